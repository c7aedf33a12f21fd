/** When may the kernel list a folder by itself? */
import { describe, expect, it } from 'vitest';
import { dropCached } from '../../../src/fuse/kernel/notifications.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64 } from './kernel-side.ts';

const ROOT = 1;
const ROOM = 4096;
const ENTRY_BYTES = 128;
/** What OPENDIR may allow, bit by bit. */
const REMEMBER = 8;
const GO_ON = 2;
const getattr = u32(0, 0);
const DROPPED = dropCached(ROOT, 'bytes').toString('hex');

interface Place {
  readonly name: string;
  readonly next: number;
}

class Lister {
  readonly files = new MemoryFileSystem();
  readonly kernel = new KernelSide(this.files);

  /** A kernel that has found these files at the top, and trusts what it is told for a minute. */
  static async of(...names: readonly string[]): Promise<Lister> {
    const lister = new Lister();
    const { files, kernel } = lister;
    kernel.context.trust.names = true;
    files.trust(60_000);
    await kernel.succeed('getattr', ROOT, getattr, u64(0));
    for (const name of names) await kernel.make(name);
    return lister;
  }

  async open(): Promise<{ readonly fh: number; readonly flags: number }> {
    const body = await this.kernel.succeed('opendir', ROOT, u32(0, 0));
    return { fh: Number(body.readBigUInt64LE(0)), flags: body.readUInt32LE(8) };
  }

  async read(
    fh: number,
    offset: number,
    operation: 'readdir' | 'readdirplus' = 'readdirplus',
  ): Promise<Place[]> {
    const body = await this.kernel.succeed(operation, ROOT, readRequest(fh, offset, ROOM));
    const prefix = operation === 'readdirplus' ? ENTRY_BYTES : 0;
    const places: Place[] = [];
    for (let at = 0; at < body.length;) {
      const start = at + prefix;
      const length = body.readUInt32LE(start + 16);
      const name = body.toString('utf8', start + 24, start + 24 + length);
      places.push({ name, next: Number(body.readBigUInt64LE(start + 8)) });
      at += Math.ceil((prefix + 24 + length) / 8) * 8;
    }
    return places;
  }

  close(fh: number): Promise<unknown> {
    return this.kernel.succeed('releasedir', ROOT, u64(fh), u32(0, 0), u64(0));
  }

  /** To the end, as a kernel does that has nothing; what OPENDIR allowed. */
  async list(operation: 'readdir' | 'readdirplus' = 'readdirplus'): Promise<number> {
    const { fh, flags } = await this.open();
    let last: Place | undefined;
    for (let offset = 0; ; offset = last.next) {
      last = (await this.read(fh, offset, operation)).at(-1);
      if (last === undefined) break;
    }
    await this.close(fh);
    return flags;
  }

  /** What OPENDIR allows. */
  async flags(): Promise<number> {
    const { fh, flags } = await this.open();
    await this.close(fh);
    return flags;
  }
}

describe('a folder that was listed to its end', () => {
  it('is listed by the kernel alone as long as it is the same, and the file system hears that it is', async () => {
    const lister = await Lister.of('a', 'b');

    expect(await lister.list()).toBe(REMEMBER);
    lister.files.takeCalls();
    expect(await lister.flags()).toBe(REMEMBER | GO_ON);
    expect(await lister.flags()).toBe(REMEMBER | GO_ON);
    expect(lister.files.takeCalls()).toEqual(['listedAgain /', 'listedAgain /']);
  });

  it.each<[string, (lister: Lister) => unknown]>([
    [
      'a file was removed by somebody else',
      ({ files }) => {
        files.remove('/a');
      },
    ],
    [
      'a file was replaced by somebody else',
      ({ files }) => {
        files.replace('/a', 'other');
      },
    ],
    ['a file was made here', ({ kernel }) => kernel.make('c')],
    ['a file was renamed here', ({ kernel }) => kernel.succeed('rename', ROOT, u64(ROOT), 'a', 'c')],
    [
      'little is left of the time for which it is trusted',
      ({ files }) => {
        files.trust(100);
      },
    ],
    [
      'all was to be looked at again',
      ({ kernel }) => {
        kernel.context.listings.dropAll();
      },
    ],
    [
      'every name has to be looked up again',
      ({ kernel }) => {
        kernel.context.listings.attributesGone();
      },
    ],
    [
      'the kernel let go of the files',
      async ({ kernel }) => {
        for (const name of ['a', 'b']) kernel.context.nodes.forget(await kernel.lookUp(name), 3);
      },
    ],
  ])('is not once %s', async (_title, change) => {
    const lister = await Lister.of('a', 'b');
    await lister.list();
    await change(lister);

    expect(await lister.flags()).toBe(REMEMBER);
  });

  it('is not when the kernel was told names alone: it would look up each', async () => {
    const lister = await Lister.of('a', 'b');
    await lister.list('readdir');

    expect(await lister.flags()).toBe(REMEMBER);
  });

  it('is never where nothing is trusted', async () => {
    const lister = await Lister.of('a');
    lister.files.trust(0);
    lister.kernel.clock.advance(60_000);
    await lister.list();

    expect(await lister.list()).toBe(0);
    expect(await lister.flags()).toBe(0);
  });
});

describe('a folder that was not listed to its end', () => {
  it('is asked for again', async () => {
    const lister = await Lister.of('a', 'b');
    const { fh } = await lister.open();
    await lister.read(fh, 0);
    await lister.close(fh);

    expect(await lister.flags()).toBe(REMEMBER);
  });
});

describe('a folder that somebody has open', () => {
  it('is remembered for one listing at a time: who opens it meanwhile asks, and leaves the other its own', async () => {
    const lister = await Lister.of('a');
    const { fh } = await lister.open();

    expect(await lister.flags()).toBe(GO_ON);
    await lister.read(fh, 0);
    expect(await lister.flags()).toBe(GO_ON);
    await lister.read(fh, 3);
    expect(await lister.flags()).toBe(REMEMBER | GO_ON);
    lister.files.remove('/a');
    expect(await lister.flags()).toBe(GO_ON);
  });

  it('is dropped by the kernel soon after it changed, so that who begins anew sees that', async () => {
    const lister = await Lister.of('a');
    const { fh } = await lister.open();
    await lister.read(fh, 0);
    await lister.read(fh, 3);
    lister.kernel.clock.advance(100);
    expect(lister.kernel.notifications).toEqual([]);
    lister.files.remove('/a');
    lister.kernel.clock.advance(100);

    expect(lister.kernel.notifications).toEqual([DROPPED]);
    lister.kernel.clock.advance(100);
    expect(lister.kernel.notifications).toEqual([DROPPED]);
  });

  it('is dropped by the kernel when all is to be looked at again', async () => {
    const lister = await Lister.of('a');
    await lister.list();
    await lister.open();
    lister.kernel.context.listings.dropAll();

    expect(lister.kernel.notifications).toEqual([DROPPED]);
  });

  it('is looked after by no timer any more once it is closed', async () => {
    const lister = await Lister.of('a');
    await lister.list();
    lister.kernel.clock.advance(100);

    expect(lister.kernel.clock.pendingTimers).toBe(0);
  });
});

describe('who is in the midst of a listing that the kernel has lost', () => {
  it('goes on with the names of that listing, whatever was made and removed since', async () => {
    const lister = await Lister.of('a', 'b', 'c');
    const first = await lister.open();
    const places = await lister.read(first.fh, 0);
    await lister.read(first.fh, places.at(-1)?.next ?? 0);
    const second = await lister.open();
    await lister.close(first.fh);
    lister.files.remove('/a');
    await lister.kernel.make('d');

    expect(second.flags).toBe(REMEMBER | GO_ON);
    const behindA = places.find(({ name }) => name === 'a')?.next ?? 0;
    expect((await lister.read(second.fh, behindA)).map(({ name }) => name)).toEqual(['b', 'c']);
  });

  it('goes on with what another was given, if the kernel gave it that', async () => {
    const lister = await Lister.of('a', 'b', 'c');
    await lister.list();
    const [first, second] = [await lister.open(), await lister.open()];
    lister.files.remove('/a');
    const others = await lister.read(first.fh, 0);
    const behindB = others.find(({ name }) => name === 'b')?.next ?? 0;

    expect((await lister.read(second.fh, behindB)).map(({ name }) => name)).toEqual(['c']);
  });
});

describe('two listings of a folder', () => {
  it('have no place in common, so that the kernel cannot go on in one with the other', async () => {
    const lister = await Lister.of('a', 'b');
    const { fh } = await lister.open();
    const places = await lister.read(fh, 0);
    const others = await lister.read(fh, 0);

    expect(others.map(({ name }) => name)).toEqual(places.map(({ name }) => name));
    const taken = new Set(places.map(({ next }) => next));
    expect(others.filter(({ next }) => taken.has(next))).toEqual([]);
  });
});
