/** What does the kernel get of a folder whose names come in batches? */
import { describe, expect, it } from 'vitest';
import { FsError } from '../../../src/filesystem/errors.ts';
import type { Attributes, DirectoryEntry } from '../../../src/filesystem/operations.ts';
import { opcodes } from '../../../src/fuse/kernel/opcodes.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64 } from './kernel-side.ts';

const ROOM = 4096;
const VALID_FOR = 5000;
/** The place before its first name. */
const SECOND_LISTING = 2 ** 32;
const VALID_SECONDS_OFFSET = 24;

type Batch = readonly string[] | FsError;

/** A folder whose batches come when the test says so. */
class BatchedFolder extends MemoryFileSystem {
  begun = 0;
  ended = 0;
  #waiting: ((batch: Batch | null) => void)[] = [];
  #ready: (Batch | null)[] = [];

  /** Null is the end. */
  give(...batches: (Batch | null)[]): void {
    for (const batch of batches) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#ready.push(batch);
      else waiting(batch);
    }
  }

  override async *readDirectory(path: string): AsyncGenerator<readonly DirectoryEntry[], undefined> {
    this.begun += 1;
    try {
      for (;;) {
        const batch = await this.#next();
        if (batch === null) return;
        if (batch instanceof FsError) throw batch;
        const attributes = {
          ...(await this.getAttributes(path)),
          kind: 'file',
          validFor: VALID_FOR,
        } as const;
        yield batch.map((name) => ({ name, attributes: attributes satisfies Attributes }));
      }
    } finally {
      this.ended += 1;
    }
  }

  async #next(): Promise<Batch | null> {
    const ready = this.#ready.shift();
    return ready === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : ready;
  }
}

interface Listing {
  readonly side: KernelSide;
  readonly folder: BatchedFolder;
  readonly fh: number;
  readonly read: (offset: number) => Promise<string[]>;
}

async function opened(): Promise<Listing> {
  const folder = new BatchedFolder();
  const side = new KernelSide(folder);
  const fh = Number((await side.succeed('opendir', 1, u32(0, 0))).readBigUInt64LE(0));
  const read = async (offset: number): Promise<string[]> =>
    namesOf(await side.succeed('readdir', 1, readRequest(fh, offset, ROOM)));
  return { side, folder, fh, read };
}

/** Of a folder with `a`, whose reader was interrupted as it waited for the next name. */
async function interrupted(): Promise<Listing> {
  const listing = await opened();
  const { side, folder, fh, read } = listing;
  folder.give(['a']);
  await read(0);
  const answered = side.ask('readdir', 1, readRequest(fh, 3, ROOM));
  side.send(opcodes.interrupt, 0, u64(Number(side.lastUnique)));
  side.clock.advance(1000);
  expect((await answered).code).toBe('EINTR');
  return listing;
}

function namesOf(body: Buffer): string[] {
  return direntsOf(body, 0).map(({ name }) => name);
}

interface Dirent {
  readonly name: string;
  readonly node: number;
  readonly validSeconds: number;
}

/** `prefix`: bytes of a `fuse_entry_out` before each. */
function direntsOf(body: Buffer, prefix: number): Dirent[] {
  const dirents: Dirent[] = [];
  for (let at = 0; at < body.length;) {
    const start = at + prefix;
    const length = body.readUInt32LE(start + 16);
    dirents.push({
      name: body.toString('utf8', start + 24, start + 24 + length),
      node: prefix === 0 ? 0 : Number(body.readBigUInt64LE(at)),
      validSeconds: prefix === 0 ? 0 : Number(body.readBigUInt64LE(at + VALID_SECONDS_OFFSET)),
    });
    at += Math.ceil((prefix + 24 + length) / 8) * 8;
  }
  return dirents;
}

const ENTRY_BYTES = 128;

describe('a folder whose names come in batches', () => {
  it('gives the first before the second is there, and ends after the last [list/as-pages-arrive]', async () => {
    const { folder, read } = await opened();
    folder.give(['a', 'b']);
    expect(await read(0)).toEqual(['.', '..', 'a', 'b']);

    const waiting = read(4);
    folder.give([], ['c']);

    expect(await waiting).toEqual(['c']);
    folder.give(null);
    expect(await read(5)).toEqual([]);
  });

  it('gives the same at the same offset however often, and another listing from offset 0 on', async () => {
    const { folder, read } = await opened();
    folder.give(['a', 'b'], ['c']);
    await read(0);
    await read(4);

    expect(await read(3)).toEqual(['b', 'c']);
    expect(await read(1)).toEqual(['..', 'a', 'b', 'c']);
    folder.give(['x'], null);
    expect(await read(0)).toEqual(['.', '..', 'x']);
    expect(await read(SECOND_LISTING + 3)).toEqual([]);
  });

  it('has all names for who goes to its beginning in the middle, and back, each once [list/no-short-listing]', async () => {
    const { folder, read } = await opened();
    folder.give(['a', 'b']);
    await read(0);
    folder.give(['a', 'x']);
    expect(await read(0)).toEqual(['.', '..', 'a', 'x']);

    folder.give(['a'], ['b', 'c'], null);

    expect(await read(4)).toEqual(['c']);
    expect(await read(5)).toEqual([]);
    expect(await read(SECOND_LISTING + 3)).toEqual(['x']);
  });

  it('reads on to an offset that was given out elsewhere', async () => {
    const { folder, read } = await opened();
    folder.give(['a', 'b'], ['c'], null);

    expect(await read(4)).toEqual(['c']);
  });

  it('refuses to go on where the listing broke off, until it begins anew [list/no-short-listing]', async () => {
    const { side, folder, fh, read } = await opened();
    folder.give(['a'], new FsError('EIO', '/', 'a page failed'));
    expect(await read(0)).toEqual(['.', '..', 'a']);

    expect((await side.ask('readdir', 1, readRequest(fh, 3, ROOM))).code).toBe('EIO');
    expect((await side.ask('readdirplus', 1, readRequest(fh, 3, ROOM))).code).toBe('EIO');
    expect(await read(2)).toEqual(['a']);
    folder.give(['a', 'b']);
    expect(await read(0)).toEqual(['.', '..', 'a', 'b']);
  });

  it('refuses the first read when nothing can be listed', async () => {
    const { side, folder, fh } = await opened();
    folder.give(new FsError('ENOENT', '/', 'gone'));

    expect((await side.ask('readdir', 1, readRequest(fh, 0, ROOM))).code).toBe('ENOENT');
  });

  it('lets go of a reader that is interrupted, and goes on for the next one', async () => {
    const { folder, read } = await interrupted();

    folder.give(['b']);

    expect(await read(3)).toEqual(['b']);
  });

  it('is not asked for again by a reader that was interrupted and has closed it', async () => {
    const { side, folder, fh } = await interrupted();
    await side.succeed('releasedir', 1, u64(fh), u32(0, 0), u64(0));

    folder.give(new FsError('EINTR', '/', 'its only reader has left'));

    await expect.poll(() => folder.ended).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(folder.begun).toBe(1);
  });

  it('is asked for no more once closed, or begun anew', async () => {
    const { side, folder, fh, read } = await opened();
    folder.give(['a'], ['b']);
    await read(0);
    await read(0);
    expect(folder.ended).toBe(1);

    await side.succeed('releasedir', 1, u64(fh), u32(0, 0), u64(0));

    await expect.poll(() => folder.ended).toBe(2);
  });

  it('gives attributes as old as their batch, but not those of a batch that a change here overtook', async () => {
    const { side, folder, fh } = await opened();
    const readPlus = async (offset: number): Promise<Dirent[]> =>
      direntsOf(await side.succeed('readdirplus', 1, readRequest(fh, offset, ROOM)), ENTRY_BYTES);
    folder.give(['a'], ['b']);
    await readPlus(0);
    side.clock.advance(2000);
    const [a] = await readPlus(2);
    const [b] = await readPlus(3);
    await side.make('elsewhere');
    folder.give(['c']);
    const overtaken = await readPlus(2);
    const [c] = await readPlus(4);

    expect([a?.validSeconds, b?.validSeconds]).toEqual([3, 5]);
    expect(overtaken.map(({ name, node }) => [name, node])).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
    expect(c?.name).toBe('c');
    expect(c?.node).toBeGreaterThan(0);
    expect(c?.validSeconds).toBe(5);
  });
});

describe('a folder in its own listing', () => {
  it("has its own number, and the one above it that one's, unless that is outside of the mount", async () => {
    const side = new KernelSide(new MemoryFileSystem());
    const outer = Number((await side.succeed('mkdir', 1, u32(0o755, 0), 'outer')).readBigUInt64LE(0));
    const inner = Number((await side.succeed('mkdir', outer, u32(0o755, 0), 'inner')).readBigUInt64LE(0));
    const numbersOfDots = async (node: number): Promise<bigint[]> => {
      const fh = Number((await side.succeed('opendir', node, u32(0, 0))).readBigUInt64LE(0));
      const page = await side.succeed('readdir', node, readRequest(fh, 0, 4096));
      return [page.readBigUInt64LE(0), page.readBigUInt64LE(32)];
    };

    expect(await numbersOfDots(inner)).toEqual([BigInt(inner), BigInt(outer)]);
    expect(await numbersOfDots(1)).toEqual([1n, 0xffffffffn]);
  });
});
