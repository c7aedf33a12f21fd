/** Which listings go on that nobody waits for any more? */
import { expect, it } from 'vitest';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64 } from './kernel-side.ts';

const ROOT = 1;
const ROOM = 4096;

/** Lists one name after the other. */
class OneByOne extends MemoryFileSystem {
  readonly going = new Set<symbol>();

  override async *readDirectory(path: string): ReturnType<MemoryFileSystem['readDirectory']> {
    const one = Symbol('listing');
    this.going.add(one);
    try {
      for await (const batch of super.readDirectory(path)) for (const entry of batch) yield [entry];
      return undefined;
    } finally {
      this.going.delete(one);
    }
  }
}

it('none of a program that went to the beginning and back, once it has closed the folder', async () => {
  const files = new OneByOne();
  const side = new KernelSide(files);
  for (const name of ['a', 'b', 'c']) files.replace(`/${name}`, name);
  const fh = Number((await side.succeed('opendir', ROOT, u32(0, 0))).readBigUInt64LE(0));
  for (const offset of [0, 0, 3]) await side.succeed('readdir', ROOT, readRequest(fh, offset, ROOM));
  const open = files.going.size;
  await side.succeed('releasedir', ROOT, u64(fh), u32(0, 0), u64(0));

  expect([open, files.going.size]).toEqual([2, 0]);
});

it('none that keeps the end of a mount waiting', async () => {
  const memory = new MemoryFileSystem();
  const side = new KernelSide(memory);
  const fh = Number((await side.succeed('opendir', ROOT, u32(0, 0))).readBigUInt64LE(0));
  memory.hold('readDirectory', '/');
  const answered = side.ask('readdir', ROOT, readRequest(fh, 0, ROOM));
  side.dispatcher.giveUpWaiting();
  await side.dispatcher.settled();

  expect((await answered).code).toBe('EINTR');
  memory.letGo();
});
