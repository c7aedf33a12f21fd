/** When do the set-id bits of a file go? The kernel leaves that to the driver. */
import { describe, expect, it } from 'vitest';
import { setattrBits } from '../../../src/fuse/kernel/requests.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, u32, u64, writeRequest } from './kernel-side.ts';

/** `fuse_setattr_in` with these bits and a mode. */
function setattr(valid: number, mode = 0): Buffer {
  return Buffer.concat([u32(valid, 0), u64(0, 0, 0, 0, 0, 0), u32(0, 0, 0, mode, 0, 0, 0, 0)]);
}

describe('the kernel driver', () => {
  it('takes the set-id bits away when somebody without the right to keep them writes', async () => {
    const side = new KernelSide(new MemoryFileSystem());
    const node = await side.make('program');
    await side.succeed('setattr', node, setattr(setattrBits.mode, 0o106755));
    const fh = await side.open(node);
    await side.succeed('write', node, writeRequest(fh, 0, 'x'));
    const kept = await side.succeed('getattr', node, u32(0, 0), u64(0));
    await side.succeed('write', node, writeRequest(fh, 0, 'x', 4));
    const cleared = await side.succeed('getattr', node, u32(0, 0), u64(0));

    expect([kept, cleared].map((body) => (body.readUInt32LE(76) & 0o7777).toString(8))).toEqual([
      '6755',
      '755',
    ]);
  });

  it.each([
    ['of a program, as the kernel says', setattrBits.uid | setattrBits.killSuidgid, 0o106755, '755'],
    ['of a program whose owner and group stay', 0, 0o106755, '755'],
    ['but for the group that may not execute it', 0, 0o106644, '2644'],
  ])('takes the set-id bits away at chown(2): %s', async (_what, valid, mode, left) => {
    const side = new KernelSide(new MemoryFileSystem());
    const node = await side.make('program');
    await side.succeed('setattr', node, setattr(setattrBits.mode, mode));

    const reply = await side.succeed('setattr', node, setattr(valid));

    expect((reply.readUInt32LE(76) & 0o7777).toString(8)).toBe(left);
  });

  it('takes them away also where nobody has asked for more than the name of the file', async () => {
    const memory = new MemoryFileSystem();
    const side = new KernelSide(memory);
    memory.replace('/program', 'of somebody else');
    await memory.setAttributes('/program', { mode: 0o6755 });
    const node = await side.lookUp('program');
    await side.succeed('write', node, writeRequest(await side.open(node), 0, 'x', 4));

    expect((await memory.getAttributes('/program')).mode).toBe(0o755);
  });

  it('sets no mode where a write finds no such bits: the one of the mount goes on', async () => {
    const memory = new MemoryFileSystem();
    const side = new KernelSide(memory);
    const node = await side.make('file');
    const fh = await side.open(node);
    memory.takeCalls();
    await side.succeed('write', node, writeRequest(fh, 0, 'x', 4));

    expect(memory.takeCalls()).not.toContain('setAttributes /file');
  });

  it('leaves the set-id bits at a change of size or times by who may keep them, and those of a folder', async () => {
    const side = new KernelSide(new MemoryFileSystem());
    const node = await side.make('program');
    const folder = Number((await side.succeed('mkdir', 1, u32(0o755, 0), 'folder')).readBigUInt64LE(0));
    for (const each of [node, folder])
      await side.succeed('setattr', each, setattr(setattrBits.mode, 0o106755));

    const { size, mtime, atime } = setattrBits;
    const modes = [];
    for (const valid of [size, mtime, atime])
      modes.push((await side.succeed('setattr', node, setattr(valid))).readUInt32LE(76) & 0o7777);
    modes.push((await side.succeed('setattr', folder, setattr(0))).readUInt32LE(76) & 0o7777);

    expect(modes.map((mode) => mode.toString(8))).toEqual(['6755', '6755', '6755', '6755']);
  });
});
