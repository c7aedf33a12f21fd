/** What do calls do that mean a node by its number alone, such as those of a program that holds it with O_PATH? */
import { constants } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dropCached } from '../../../src/fuse/kernel/notifications.ts';
import { setattrBits } from '../../../src/fuse/kernel/requests.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64, writeRequest } from './kernel-side.ts';

/** `fuse_setattr_in` with these bits, a size and a mode. */
function setattr(valid: number, size = 0, mode = 0): Buffer {
  return Buffer.concat([u32(valid, 0), u64(0, size, 0, 0, 0, 0), u32(0, 0, 0, mode, 0, 0, 0, 0)]);
}

const WRITE_KILL_SUIDGID = 4;
const OPEN_KILL_SUIDGID = 1;
/** FOPEN_DIRECT_IO */
const DIRECT_IO = 1;
const askAttributes = Buffer.concat([u32(0, 0), u64(0)]);

async function sizeOf(side: KernelSide, node: number): Promise<number> {
  return Number((await side.succeed('getattr', node, askAttributes)).readBigUInt64LE(24));
}

async function makeFilled(side: KernelSide, name: string, text: string): Promise<void> {
  const node = await side.make(name);
  const fh = await side.open(node);
  await side.succeed('write', node, writeRequest(fh, 0, text));
  await side.succeed('release', node, u64(fh), u32(0, 0), u64(0));
}

describe('a file that a program holds without having it open', () => {
  it('is never cut in the shape of the one that was renamed over it', async () => {
    const side = new KernelSide(new MemoryFileSystem());
    const node = await side.make('name');
    await makeFilled(side, 'longer', 'longer');
    await side.succeed('rename', 1, u64(1), 'longer', 'name');

    expect(await side.ask('setattr', node, setattr(setattrBits.size, 0))).toMatchObject({ code: 'ESTALE' });
    expect(await sizeOf(side, await side.lookUp('name'))).toBe(6);
  });

  it('is not the one that was made under its name after it was deleted [local/removed]', async () => {
    const side = new KernelSide(new MemoryFileSystem());
    const node = await side.make('name');
    await side.succeed('unlink', 1, 'name');
    await makeFilled(side, 'name', 'second');

    expect(await side.ask('open', node, u32(0, 0))).toMatchObject({ code: 'ESTALE' });
    expect(await side.ask('setattr', node, setattr(setattrBits.size, 0))).toMatchObject({ code: 'ESTALE' });
    expect(await side.ask('setattr', node, setattr(setattrBits.mode, 0, 0o600))).toMatchObject({
      code: 'ESTALE',
    });
    expect(await side.ask('getattr', node, askAttributes)).toMatchObject({ code: 'ESTALE' });
    expect(await sizeOf(side, await side.lookUp('name'))).toBe(6);
  });

  it('shows at once that a write or an open took its set-id bits away [fresh/own-changes]', async () => {
    const side = new KernelSide(new MemoryFileSystem());
    const node = await side.make('program');
    const dropped = dropCached(node, 'attributes').toString('hex');
    const count = (): number => side.notifications.filter((one) => one === dropped).length;
    await side.succeed('setattr', node, setattr(setattrBits.mode, 0, 0o106755));
    const fh = await side.open(node);
    await side.succeed('write', node, writeRequest(fh, 0, 'x', WRITE_KILL_SUIDGID));
    const afterWrite = count();
    await side.succeed('setattr', node, setattr(setattrBits.mode, 0, 0o106755));
    await side.succeed('open', node, u32(constants.O_WRONLY | constants.O_TRUNC, OPEN_KILL_SUIDGID));

    expect([afterWrite, count()]).toEqual([1, 2]);
  });
});

describe('a file that is replaced between lookup and open', () => {
  it('opens as the file that took its name between lookup and open, and has the kernel ask for all its bytes', async () => {
    const side = new KernelSide(new MemoryFileSystem());
    const node = await side.make('name');
    const fh = await side.open(await side.make('longer'));
    await side.succeed('write', 1, writeRequest(fh, 0, 'longer'));
    await side.succeed('rename', 1, u64(1), 'longer', 'name');
    const reading = await side.succeed('open', node, u32(0, 0));
    const bytes = await side.succeed('read', node, readRequest(Number(reading.readBigUInt64LE(0)), 0, 100));

    expect(bytes.toString()).toBe('longer');
    expect(reading.readUInt32LE(8) & DIRECT_IO).toBe(DIRECT_IO);
    expect(await side.ask('open', node, u32(1, 0))).toMatchObject({ code: 'ESTALE' });
  });

  it('opens as the one that a rename under way has put in its place, and as no other [kernel/versions]', async () => {
    const memory = new MemoryFileSystem();
    const side = new KernelSide(memory);
    const node = await side.make('name');
    await side.make('longer');
    memory.hold('rename', '/longer');
    const renamed = side.ask('rename', 1, u64(1), 'longer', 'name');
    // As it is for who asks between the change itself and its answer.
    memory.replace('/name', 'longer');

    const reading = await side.succeed('open', node, u32(0, 0));
    const bytes = await side.succeed('read', node, readRequest(Number(reading.readBigUInt64LE(0)), 0, 100));
    await side.succeed('release', node, u64(Number(reading.readBigUInt64LE(0))), u32(0, 0), u64(0));
    memory.fail('rename', 'EIO');
    memory.letGo();

    expect(bytes.toString()).toBe('longer');
    expect(reading.readUInt32LE(8) & DIRECT_IO).toBe(DIRECT_IO);
    expect(await renamed).toMatchObject({ code: 'EIO' });
    expect(await side.ask('open', node, u32(0, 0))).toMatchObject({ code: 'ESTALE' });
  });
});

describe('a folder that a program stands in', () => {
  it('is missing when it was removed here, and stale when another one took its name [local/removed]', async () => {
    const side = new KernelSide(new MemoryFileSystem());
    const make = async (name: string): Promise<number> =>
      Number((await side.succeed('mkdir', 1, u32(0o755, 0), name)).readBigUInt64LE(0));
    const [removed, replaced] = [await make('removed'), await make('replaced')];
    await make('other');

    await side.succeed('rmdir', 1, 'removed');
    await side.succeed('rename', 1, u64(1), 'other', 'replaced');

    expect(await side.ask('getattr', removed, askAttributes)).toMatchObject({ code: 'ENOENT' });
    expect(await side.ask('getattr', replaced, askAttributes)).toMatchObject({ code: 'ESTALE' });
  });
});
