import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { LibfuseHandles } from '../../../src/fuse/native/libfuse-handles.ts';
import { Replacements } from '../../../src/fuse/native/replacements.ts';
import { xattrCalls } from '../../../src/fuse/native/xattr-calls.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';

async function attributeCalls(): Promise<ReturnType<typeof xattrCalls>> {
  const operations = new MemoryFileSystem();
  const calls = xattrCalls({
    operations,
    handles: new LibfuseHandles(() => 0),
    replacements: new Replacements(systemClock),
    log: silentLog,
  });
  await operations.create('/f', { read: true, write: true, truncate: false, exclusive: false, mode: 0o644 });
  await calls.setxattr('/f', 'user.a', Buffer.from('value'), 0, 0);
  return calls;
}

describe('extended attributes', () => {
  it('tell their size to a probe without room', async () => {
    const calls = await attributeCalls();

    expect(await calls.getxattr('/f', 'user.a', Buffer.alloc(0), 0)).toMatchObject({ result: 5 });
    expect(await calls.listxattr('/f', Buffer.alloc(0))).toMatchObject({ result: 'user.a\0'.length });
  });

  it('say ERANGE to a buffer that is too small, and leave it alone [xattr/answers]', async () => {
    const calls = await attributeCalls();
    const small = Buffer.alloc(4);

    expect(await calls.getxattr('/f', 'user.a', small, 0)).toMatchObject({ result: -constants.errno.ERANGE });
    expect(await calls.listxattr('/f', small)).toMatchObject({ result: -constants.errno.ERANGE });
    expect(small.equals(Buffer.alloc(4))).toBe(true);
  });

  it('fill a buffer that is just large enough', async () => {
    const calls = await attributeCalls();
    const value = Buffer.alloc(5);
    const names = Buffer.alloc(7);

    expect(await calls.getxattr('/f', 'user.a', value, 0)).toMatchObject({ result: 5 });
    expect(await calls.listxattr('/f', names)).toMatchObject({ result: 7 });
    expect(value.toString()).toBe('value');
    expect(names.toString()).toBe('user.a\0');
  });

  it('hand on whether an attribute must be new or must exist', async () => {
    const calls = await attributeCalls();
    const [create, replace] = process.platform === 'darwin' ? [2, 4] : [1, 2];
    const value = Buffer.from('v');

    await expect(calls.setxattr('/f', 'user.a', value, 0, create)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(calls.setxattr('/f', 'user.b', value, 0, replace)).rejects.toMatchObject({
      code: 'ENODATA',
    });
  });

  it('are as they were set, whatever becomes of the buffer that they came in', async () => {
    const calls = await attributeCalls();
    const given = Buffer.from('given');
    const into = Buffer.alloc(5);
    await calls.setxattr('/f', 'user.a', given, 0, 0);
    given.fill(0);
    await calls.getxattr('/f', 'user.a', into, 0);

    expect(into.toString()).toBe('given');
  });

  it('of a file that was deleted while open are none [xattr/answers]', async () => {
    const calls = await attributeCalls();
    const hidden = '/.fuse_hidden0000000200000001';

    expect(await calls.listxattr(hidden, Buffer.alloc(0))).toMatchObject({ result: 0 });
    expect(() => calls.getxattr(hidden, 'user.a', Buffer.alloc(0), 0)).toThrow(
      expect.objectContaining({ code: 'ENODATA' }),
    );
    await expect(calls.setxattr(hidden, 'user.a', Buffer.alloc(1), 0, 0)).rejects.toMatchObject({
      code: 'ENOTSUP',
    });
  });

  it('outside user. are not supported, at once, when read as when set', async () => {
    const calls = await attributeCalls();

    expect(() => calls.getxattr('/f', 'security.capability', Buffer.alloc(0), 0)).toThrow(
      expect.objectContaining({ code: 'ENOTSUP' }),
    );
    await expect(calls.setxattr('/f', 'system.x', Buffer.alloc(1), 0, 0)).rejects.toMatchObject({
      code: 'ENOTSUP',
    });
  });
});
