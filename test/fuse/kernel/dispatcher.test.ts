import { constants } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { opcodes } from '../../../src/fuse/kernel/opcodes.ts';
import { setattrBits } from '../../../src/fuse/kernel/requests.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { asReply, KernelSide, readRequest, u32, u64, writeRequest } from './kernel-side.ts';

/** `FOPEN_…` of linux/fuse.h. */
const NO_FLUSH = 32;

function opened(): { side: KernelSide; memory: MemoryFileSystem } {
  const memory = new MemoryFileSystem();
  return { side: new KernelSide(memory), memory };
}

/** `fuse_setattr_in` with these bits, a size and a mode. */
function setattr(valid: number, size = 0, mode = 0): Buffer {
  return Buffer.concat([u32(valid, 0), u64(0, size, 0, 0, 0, 0), u32(0, 0, 0, mode, 0, 0, 0, 0)]);
}

const sizeOf = (attributeReply: Buffer): number => Number(attributeReply.readBigUInt64LE(24));

/** The names of a listing's answer, with the numbers of their nodes. */
function namesOf(page: Buffer, isPlus: boolean): readonly (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  let start = 0;
  while (start < page.length) {
    const dirent = start + (isPlus ? 128 : 0);
    const length = page.readUInt32LE(dirent + 16);
    const node = isPlus ? Number(page.readBigUInt64LE(start)) : 0;
    found.push([page.toString('utf8', dirent + 24, dirent + 24 + length), node]);
    start = dirent + Math.ceil((24 + length) / 8) * 8;
  }
  return found;
}

describe('the dispatcher of the kernel driver', () => {
  it('agrees with a kernel on the protocol', async () => {
    const { side } = opened();
    const body = await side.succeed('init', 0, u32(7, 45, 131072, 0x7fffffff));

    expect([body.readUInt32LE(0), body.readUInt32LE(4), body.length]).toEqual([7, 38, 64]);
    expect(side.greeting).toBe('agreed');
  });

  it('refuses a kernel that is too old, and says so', async () => {
    const { side } = opened();

    expect(await side.ask('init', 0, u32(7, 30, 0, 0))).toMatchObject({ code: 'EPROTO' });
    expect(side.greeting).toContain('version 7.30');
  });

  it('answers what nobody offers with ENOSYS, also operations that are not invented yet', async () => {
    const { side } = opened();
    for (const opcode of [34, 37, 39, 40, 46, 47, 52, 4711]) {
      const answered = side.expectAnswer();
      side.send(opcode, 1);
      expect(asReply(await answered).code).toBe('ENOSYS');
    }
  });

  it('keeps room in a file, and says that holes and zeros in place of bytes are not offered', async () => {
    const { side } = opened();
    const node = await side.make('image');
    const fh = await side.open(node);
    const fallocate = (mode: number): Buffer[] => [u64(fh), u64(0), u64(4096), u32(mode, 0)];

    await side.succeed('fallocate', node, ...fallocate(0));
    const codes = [];
    for (const mode of [2, 3, 8, 16, 32])
      codes.push((await side.ask('fallocate', node, ...fallocate(mode))).code);

    expect(sizeOf(await side.succeed('getattr', node, u32(0, 0), u64(0)))).toBe(4096);
    expect(new Set(codes)).toEqual(new Set(['ENOTSUP']));
  });

  it('goes on with a file that was deleted while open: reads, writes, cuts, and shows it', async () => {
    const { side } = opened();
    const node = await side.make('doomed');
    const fh = await side.open(node);
    await side.succeed('unlink', 1, 'doomed');

    await side.succeed('write', node, writeRequest(fh, 0, 'still here'));
    const cut = await side.succeed('setattr', node, setattr(setattrBits.size, 5));
    const bytes = await side.succeed('read', node, readRequest(fh, 0, 100));

    expect(sizeOf(cut)).toBe(5);
    expect(bytes.toString()).toBe('still');
    expect(await side.ask('lookup', 1, 'doomed')).toMatchObject({ code: 'ENOENT' });
    await side.succeed('release', node, u64(fh), u32(0, 0), u64(0));
    expect(await side.ask('getattr', node, u32(0, 0), u64(0))).toMatchObject({ code: 'ESTALE' });
  });

  it.each([
    ['is not asked for the close of who only reads', constants.O_RDONLY, false],
    ['is asked for the close of who writes', constants.O_WRONLY, true],
    ['is asked for the close of who reads and writes', constants.O_RDWR, true],
    ['is asked for the close of who empties', constants.O_RDONLY | constants.O_TRUNC, true],
  ])('%s', async (_case, flags, isAsked) => {
    const { side } = opened();
    const reply = await side.succeed('open', await side.make('file'), u32(flags, 0));

    expect((reply.readUInt32LE(8) & NO_FLUSH) === 0).toBe(isAsked);
  });

  it('finds nodes under their new names after a rename, also below a renamed folder', async () => {
    const { side, memory } = opened();
    const folder = Number((await side.succeed('mkdir', 1, u32(0o755, 0), 'old')).readBigUInt64LE(0));
    const node = await side.make('file', folder);
    await side.succeed('rename', 1, u64(1), 'old', 'new');
    const fh = await side.open(node);
    await side.succeed('write', node, writeRequest(fh, 0, 'text'));

    expect(memory.text('/new/file')).toBe('text');
    expect(memory.takeCalls()).toContain('open /new/file');
  });

  it('renames without replacing when asked, and never exchanges', async () => {
    const { side } = opened();
    await side.make('a');
    await side.make('b');

    expect(await side.ask('rename2', 1, u64(1), u32(1, 0), 'a', 'b')).toMatchObject({ code: 'EEXIST' });
    expect(await side.ask('rename2', 1, u64(1), u32(2, 0), 'a', 'b')).toMatchObject({ code: 'EINVAL' });
    expect(await side.ask('rename2', 1, u64(1), u32(0, 0), 'a', 'b')).toMatchObject({ code: 'OK' });
  });

  it('lets one of many creators win with O_EXCL', async () => {
    const { side } = opened();
    const create = (): Promise<{ code: string }> =>
      side.ask('create', 1, u32(0o301, 0o100644, 0, 0), 'contested');
    const codes = (await Promise.all([create(), create(), create()])).map(({ code }) => code);

    expect(codes.toSorted()).toEqual(['EEXIST', 'EEXIST', 'OK']);
  });

  it('lists by offset what the folder held when the listing began', async () => {
    const { side } = opened();
    for (const name of ['a', 'b', 'c']) await side.make(name);
    const fh = Number((await side.succeed('opendir', 1, u32(0, 0))).readBigUInt64LE(0));
    const first = await side.succeed('readdir', 1, readRequest(fh, 0, 32 * 3));
    await side.succeed('unlink', 1, 'a');
    await side.make('d');
    const rest = await side.succeed('readdir', 1, readRequest(fh, 3, 4096));
    const again = await side.succeed('readdir', 1, readRequest(fh, 0, 4096));

    expect(namesOf(first, false).map(([name]) => name)).toEqual(['.', '..', 'a']);
    expect(namesOf(rest, false).map(([name]) => name)).toEqual(['b', 'c']);
    expect(namesOf(again, false).map(([name]) => name)).toEqual(['.', '..', 'b', 'c', 'd']);
  });

  it('lists with attributes, which count as lookups, but for names that were changed since', async () => {
    const { side } = opened();
    for (const name of ['a', 'b']) await side.make(name);
    const known = side.context.nodes.size;
    const fh = Number((await side.succeed('opendir', 1, u32(0, 0))).readBigUInt64LE(0));
    const first = namesOf(await side.succeed('readdirplus', 1, readRequest(fh, 0, 4096)), true);
    await side.make('c');
    const after = namesOf(await side.succeed('readdirplus', 1, readRequest(fh, 2, 4096)), true);

    expect(first.map(([name]) => name)).toEqual(['.', '..', 'a', 'b']);
    expect(first.map(([, node]) => node > 0)).toEqual([false, false, true, true]);
    expect(after.map(([, node]) => node)).toEqual([0, 0]);
    expect(side.context.nodes.size).toBe(known + 1);
  });

  it('forgets what the kernel gives back, one by one and in batches', async () => {
    const { side } = opened();
    const [a, b] = [await side.make('a'), await side.make('b')];
    await side.lookUp('a');
    side.send(opcodes.forget, a, u64(2));
    side.send(opcodes.batchForget, 0, u32(1, 0), u64(b, 1));

    expect(side.context.nodes.size).toBe(1);
    expect(side.replies.has(side.lastUnique)).toBe(false);
  });

  it('takes back what the kernel did not want to hear any more', async () => {
    const { side, memory } = opened();
    await side.make('a');
    side.send(opcodes.forget, await side.lookUp('a'), u64(2));
    side.takesAnswers = false;
    await side.ask('lookup', 1, 'a');
    await side.ask('create', 1, u32(0o101, 0o100644, 0, 0), 'new');
    await side.ask('opendir', 1, u32(0, 0));
    await side.dispatcher.settled();

    await expect.poll(() => memory.openCount).toBe(0);
    expect([side.context.nodes.size, side.context.files.size, side.context.folders.size]).toEqual([1, 0, 0]);
  });

  it('gives up a read that still stalls a while after its program was interrupted [interrupt/patience]', async () => {
    const { side, memory } = opened();
    const node = await side.make('slow');
    const fh = await side.open(node);
    memory.delay('read', 50);
    const answered = side.ask('read', node, readRequest(fh, 0, 10));
    const unique = side.lastUnique;
    side.send(opcodes.interrupt, 0, u64(Number(unique)));
    side.clock.advance(400);
    expect(side.replies.has(unique)).toBe(false);
    side.clock.advance(200);

    expect(await answered).toMatchObject({ code: 'EINTR' });
    await side.dispatcher.settled();
    expect(side.replies.get(unique)).toHaveLength(1);
  });

  it('lets the file system know when it gives a request up, but not before', async () => {
    const { side, memory } = opened();
    const node = await side.make('slow');
    const fh = await side.open(node);
    const signals: (AbortSignal | undefined)[] = [];
    memory.read = (_handle, _into, _position, waiter) => {
      signals.push(waiter?.signal);
      return new Promise(() => undefined);
    };
    const answered = side.ask('read', node, readRequest(fh, 0, 10));
    side.send(opcodes.interrupt, 0, u64(Number(side.lastUnique)));
    side.clock.advance(499);
    const before = signals[0]?.aborted;
    side.clock.advance(1);

    expect(await answered).toMatchObject({ code: 'EINTR' });
    expect([before, signals[0]?.aborted]).toEqual([false, true]);
  });

  it('closes again what was opened for a program that did not wait for it', async () => {
    const { side, memory } = opened();
    const node = await side.make('slow');
    memory.delay('open', 50);
    const answered = side.ask('open', node, u32(0, 0));
    side.send(opcodes.interrupt, 0, u64(Number(side.lastUnique)));
    side.clock.advance(500);

    expect(await answered).toMatchObject({ code: 'EINTR' });
    await side.dispatcher.settled();
    await expect.poll(() => memory.openCount).toBe(0);
    expect(side.context.files.size).toBe(0);
  });

  it('does not give up an open that empties the file', async () => {
    const { side, memory } = opened();
    const node = await side.make('slow');
    memory.delay('open', 20);
    const answered = side.ask('open', node, u32(constants.O_WRONLY | constants.O_TRUNC, 0));
    side.send(opcodes.interrupt, 0, u64(Number(side.lastUnique)));
    side.clock.advance(10_000);

    expect(await answered).toMatchObject({ code: 'OK' });
  });

  it('asks for an interrupt again when what it is about is not there, or not there yet', async () => {
    const { side } = opened();
    const answered = side.expectAnswer();
    side.send(opcodes.interrupt, 0, u64(4711));
    expect(side.replies.size).toBe(0);
    side.clock.advance(100);

    expect(asReply(await answered)).toMatchObject({ code: 'EAGAIN' });
  });

  it('answers each request once with EIO when its process exits, changes too', async () => {
    const { side, memory } = opened();
    const node = await side.make('slow');
    const fh = await side.open(node);
    memory.delay('write', 20);
    const written = side.ask('write', node, writeRequest(fh, 0, 'text'));
    const unique = side.lastUnique;
    side.dispatcher.abandon();
    side.dispatcher.abandon();

    expect(await written).toMatchObject({ code: 'EIO' });
    await side.dispatcher.settled();
    expect(side.replies.get(unique)).toHaveLength(1);
  });

  it('gives up what changes nothing when the mount ends, and lets changes end', async () => {
    const { side, memory } = opened();
    const node = await side.make('slow');
    const fh = await side.open(node);
    memory.delay('read', 3_600_000);
    memory.delay('write', 20);
    const read = side.ask('read', node, readRequest(fh, 0, 10));
    const written = side.ask('write', node, writeRequest(fh, 0, 'text'));
    side.dispatcher.giveUpWaiting();
    await side.dispatcher.settled();

    expect(await read).toMatchObject({ code: 'EINTR' });
    expect(await written).toMatchObject({ code: 'OK' });
  });

  it('does not give up a write: its program would not know whether it was done [interrupt/changes]', async () => {
    const { side, memory } = opened();
    const node = await side.make('slow');
    const fh = await side.open(node);
    memory.delay('write', 20);
    const answered = side.ask('write', node, writeRequest(fh, 0, 'text'));
    side.send(opcodes.interrupt, 0, u64(Number(side.lastUnique)));
    side.clock.advance(10_000);

    expect(await answered).toMatchObject({ code: 'OK' });
  });

  it('tells the size of an extended attribute, ERANGE for too little room, and the value', async () => {
    const { side } = opened();
    const node = await side.make('x');
    await side.succeed('setxattr', node, u32(5, 0), 'user.a', Buffer.from('value'));

    expect((await side.succeed('getxattr', node, u32(0, 0), 'user.a')).readUInt32LE(0)).toBe(5);
    expect(await side.ask('getxattr', node, u32(4, 0), 'user.a')).toMatchObject({ code: 'ERANGE' });
    expect((await side.succeed('getxattr', node, u32(5, 0), 'user.a')).toString()).toBe('value');
    expect((await side.succeed('listxattr', node, u32(0, 0))).readUInt32LE(0)).toBe(7);
    expect(await side.ask('setxattr', node, u32(0, 1), 'user.a')).toMatchObject({ code: 'EEXIST' });
    expect(await side.ask('getxattr', node, u32(9, 0), 'security.x')).toMatchObject({ code: 'ENOTSUP' });
    expect(await side.ask('getxattr', node, u32(9, 0), 'com.apple.x')).toMatchObject({ code: 'ENODATA' });
  });

  it('counts the memory of requests in progress, answers of reads included', async () => {
    const { side, memory } = opened();
    const fh = await side.open(await side.make('file'));
    memory.delay('read', 10);
    const answered = side.ask('read', 1, readRequest(fh, 0, 131072));
    const during = side.dispatcher.bytesInFlight;
    await answered;
    await side.dispatcher.settled();

    expect(during).toBeGreaterThan(131072);
    expect(side.dispatcher.bytesInFlight).toBe(0);
  });

  it('says EIO for what nobody foresaw, and serves on', async () => {
    const { side, memory } = opened();
    memory.getXattr = () => Promise.reject(new TypeError('a fault'));
    const node = await side.make('a');

    expect(await side.ask('getxattr', node, u32(9, 0), 'user.a')).toMatchObject({ code: 'EIO' });
    expect(await side.ask('lookup', 1, 'a')).toMatchObject({ code: 'OK' });
  });
});
