/** Whose close of a file stores it, when several programs have a descriptor of it? */
import { describe, expect, it } from 'vitest';
import { setattrBits } from '../../../src/fuse/kernel/requests.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, u32, u64, writeRequest } from './kernel-side.ts';

const OPENER = 5;
const CHILD = 7;
const OTHER_CHILD = 8;

interface Opened {
  readonly side: KernelSide;
  readonly memory: MemoryFileSystem;
  readonly write: (thread: number) => Promise<unknown>;
  readonly allocate: (thread: number) => Promise<unknown>;
  readonly cut: (thread: number) => Promise<unknown>;
  /** Whether a close by `thread` is to store. */
  readonly closes: (thread: number) => Promise<boolean>;
  /** Whose descriptors are looked through. */
  readonly lookedThrough: readonly unknown[];
}

/** A file that OPENER has opened and, as `hasOpen` says, has open still; null: nobody can tell. */
async function opened(hasOpen: boolean | null = true): Promise<Opened> {
  const memory = new MemoryFileSystem();
  const side = new KernelSide(memory);
  const lookedThrough: unknown[] = [];
  Object.assign(side.context, {
    hasOpen: (...of: readonly unknown[]) => {
      lookedThrough.push(of);
      return Promise.resolve(hasOpen ?? undefined);
    },
  });
  const node = await side.make('f');
  side.thread = OPENER;
  const fh = await side.open(node);
  const as = (thread: number): KernelSide => Object.assign(side, { thread });
  const size = Buffer.concat([
    u32(setattrBits.size | setattrBits.fh, 0),
    u64(fh, 1, 0, 0, 0, 0),
    u32(0, 0, 0, 0, 0, 0, 0, 0),
  ]);
  return {
    side,
    memory,
    lookedThrough,
    write: (thread) => as(thread).succeed('write', node, writeRequest(fh, 0, 'text')),
    allocate: (thread) => as(thread).succeed('fallocate', node, u64(fh, 0, 100), u32(0, 0)),
    cut: (thread) => as(thread).succeed('setattr', node, size),
    closes: async (thread) => {
      memory.takeCalls();
      await as(thread).ask('flush', node, u64(fh, 0, 0));
      return memory.takeCalls().includes('flush /f');
    },
  };
}

describe('a close of a descriptor that was inherited [write/inherited]', () => {
  it('stores nothing of what the program is writing that has opened the file', async () => {
    const { write, closes, lookedThrough } = await opened();
    await write(OPENER);

    expect(await closes(CHILD)).toBe(false);
    expect(lookedThrough).toEqual([[[OPENER], '/f']]);
    expect(await closes(OPENER)).toBe(true);
  });

  it.each([
    ['has written', 'write'],
    ['has reserved room', 'allocate'],
    ['has cut the file', 'cut'],
  ] as const)('stores what its program %s', async (_what, change) => {
    const file = await opened();
    await file.write(OPENER);
    await file[change](CHILD);

    expect(await file.closes(OTHER_CHILD)).toBe(false);
    expect(await file.closes(CHILD)).toBe(true);
    // That is stored: what follows is others'.
    await file.write(OPENER);
    expect(await file.closes(CHILD)).toBe(false);
  });

  it('stores at the next close what could not be stored', async () => {
    const { memory, write, closes } = await opened();
    await write(CHILD);
    memory.fail('flush', 'EIO');
    await closes(CHILD);
    memory.fail('flush', undefined);

    expect(await closes(CHILD)).toBe(true);
  });

  it.each([
    ['has closed it', false],
    ['cannot be looked at', null],
  ])('stores where the program that has opened the file %s', async (_what, hasOpen) => {
    const { write, closes } = await opened(hasOpen);
    await write(OPENER);

    expect(await closes(CHILD)).toBe(true);
  });

  it.each([
    ['another thread of the program that has opened the file', [[CHILD, OPENER]]],
    ['another thread of the program that has written', [[CHILD, OTHER_CHILD]]],
    ['somebody who cannot be seen', [[CHILD, undefined]]],
    ['somebody while who has opened it cannot be seen', [[OPENER, undefined]]],
    ['somebody while one who has written cannot be seen', [[OTHER_CHILD, undefined]]],
  ] as const)('is none by %s', async (_who, processes) => {
    const { side, write, closes } = await opened();
    for (const [thread, process] of processes) side.processes.set(thread, process);
    await write(OPENER);
    await write(OTHER_CHILD);

    expect(await closes(CHILD)).toBe(true);
  });

  it('is looked for only where others have written', async () => {
    const { write, closes, lookedThrough } = await opened();

    expect(await closes(CHILD)).toBe(true);
    await write(OPENER);
    expect(await closes(OPENER)).toBe(true);
    await write(CHILD);
    expect(await closes(CHILD)).toBe(true);

    expect(lookedThrough).toEqual([]);
  });
});
