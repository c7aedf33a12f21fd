import { readdir } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { BlockMemory } from '../../src/base/block-memory.ts';
import type { CachedContent } from '../../src/content/disk-cache/cached-content.ts';
import { DiskCache } from '../../src/content/disk-cache/disk-cache.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { settle, SMALL } from './reading.ts';

/** Milliseconds after which nobody is said to read any more. */
const MOMENT = 100;
/** Bytes of a small file. */
const FEW = SMALL.blockSize / 2;

/** A disk cache in which files of `service` are kept as soon as they are read. */
class Keeping {
  readonly clock = new ManualClock(Date.now());
  readonly directory: string;
  readonly disk: DiskCache;

  private constructor(directory: string, mostWaiting: number) {
    this.directory = directory;
    const memory = new BlockMemory(SMALL.blockSize);
    const { clock } = this;
    this.disk = new DiskCache({ directory, limit: 1024 ** 3, memory, mostWaiting, clock, log: silentLog });
    this.disk.start();
    onTestFinished(() => this.disk.close());
  }

  static async begin(mostWaiting = 1024 * SMALL.blockSize): Promise<Keeping> {
    return new Keeping(await temporaryDirectory(), mostWaiting);
  }

  /** Small files with these numbers. */
  keep(first: number, last: number): void {
    for (let number = first; number <= last; number += 1) this.#keepBlock(number, FEW);
  }

  /** One block of each of these. */
  keepLarge(first: number, last: number): void {
    for (let number = first; number <= last; number += 1) this.#keepBlock(number, SMALL.blockSize);
  }

  /** Files in the directory, once all has run that does not wait for the clock. */
  async written(): Promise<number> {
    for (let turn = 0; turn < 20; turn += 1) await settle();
    const entries = await readdir(this.directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  }

  content(number: number): CachedContent {
    const [service, bucket, etag] = ['https://storage.example.com', 'b', 'e'];
    return this.disk.content({ service, bucket, key: `k${number}`, etag, size: SMALL.blockSize });
  }

  #keepBlock(number: number, bytes: number): void {
    const data = Buffer.alloc(bytes, number);
    this.content(number).keep(0, data, () => data);
  }
}

describe('small files that are read one after the other', () => {
  it('are written to the disk when nobody has read another one for a moment', async () => {
    const keeping = await Keeping.begin();
    for (let number = 1; number <= 5; number += 1) {
      keeping.keep(number, number);
      keeping.clock.advance(MOMENT - 1);
    }
    expect(await keeping.written()).toBe(0);

    keeping.clock.advance(1);

    await expect.poll(() => keeping.written()).toBe(5);
    // That of the next look at which files somebody has deleted.
    expect(keeping.clock.pendingTimers).toBe(1);
  });

  it('are written while they are read, but for as many as may wait and some that are in memory', async () => {
    const keeping = await Keeping.begin(40 * FEW);
    keeping.keep(1, 40 + 2047);
    expect(await keeping.written()).toBe(0);

    keeping.keep(2088, 2100);

    await expect.poll(() => keeping.written()).toBeGreaterThanOrEqual(10);
    // Some more, since several are written at the same time.
    expect(await keeping.written()).toBeLessThan(30);
    keeping.clock.advance(MOMENT);
    await expect.poll(() => keeping.written()).toBe(2100);
  });

  it('do not hold up somebody who waits until a block of his has room', async () => {
    const keeping = await Keeping.begin(4 * FEW);
    keeping.keep(1, 10);
    expect(await keeping.written()).toBe(0);

    await keeping.content(11).keepInTime(0, Buffer.alloc(SMALL.blockSize));

    keeping.clock.advance(MOMENT);
    await expect.poll(() => keeping.written()).toBe(11);
  });

  it('are there after an unmount at once', async () => {
    const keeping = await Keeping.begin(4 * FEW);
    keeping.keep(1, 50);

    await keeping.disk.close();

    expect(await keeping.written()).toBe(50);
    expect(keeping.clock.pendingTimers).toBe(0);
  });
});

describe('blocks of large files', () => {
  it('are written, as long as they are few, when nobody has read others for a moment', async () => {
    const keeping = await Keeping.begin(40 * SMALL.blockSize);
    expect(await keeping.written()).toBe(0);

    keeping.keepLarge(1, 30);
    expect(await keeping.written()).toBe(0);
    keeping.clock.advance(MOMENT);

    await expect.poll(() => keeping.written()).toBe(30);
    // That of the next look at which files somebody has deleted.
    expect(keeping.clock.pendingTimers).toBe(1);
  });

  it('are written while they are read once they are many, all of them, and small files with them', async () => {
    const keeping = await Keeping.begin(40 * SMALL.blockSize);
    expect(await keeping.written()).toBe(0);
    keeping.keep(1, 5);

    keeping.keepLarge(6, 40);

    await expect.poll(() => keeping.written()).toBe(40);
    keeping.keepLarge(41, 41);
    expect(await keeping.written()).toBe(40);
  });

  it('are written while they are read also behind small files that have taken all the room', async () => {
    const keeping = await Keeping.begin(40 * FEW);
    keeping.keep(1, 40);
    expect(await keeping.written()).toBe(0);

    keeping.keepLarge(41, 50);

    await expect.poll(() => keeping.written()).toBe(50);
  });
});
