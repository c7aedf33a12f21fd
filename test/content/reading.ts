/** One file of a scripted service, and a reader of it. */
import { onTestFinished } from 'vitest';
import { BLOCK_SIZE, BlockCache } from '../../src/content/block-cache.ts';
import { BlockMemory } from '../../src/base/block-memory.ts';
import type { DiskCache } from '../../src/content/disk-cache/disk-cache.ts';
import { ReadContext, type ContentOf } from '../../src/content/read-context.ts';
import type { ReadSizes } from '../../src/content/read-plan.ts';
import { ReadStream } from '../../src/content/read-stream.ts';
import { VersionReader } from '../../src/content/reader.ts';
import { silentLog } from '../../src/base/log.ts';
import type { ObjectHead } from '../../src/service/records.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { ScriptedDownloads } from '../support/scripted-downloads.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export const KIB = 1024;
export const MIB = 1024 * 1024;

/** Blocks of 16 bytes, a window of 64 and parts of 128, so that a small file has all of them. */
export const SMALL = { blockSize: 16, sizes: { firstWindow: 64, part: 128 }, cacheBytes: 4096 };

export interface ReadingOptions {
  readonly size: number;
  readonly cacheBytes?: number;
  readonly blockSize?: number;
  readonly sizes?: ReadSizes;
  /** What was read is kept there. */
  readonly disk?: DiskCache;
  /** What blocks are made of, when it is not the disk cache's. */
  readonly memory?: BlockMemory;
}

export class FakeVersion {
  id = 1;
  readonly size: number;
  etag: string | null = 'first';

  constructor(size: number) {
    this.size = size;
  }

  matches(head: ObjectHead): boolean {
    return head.etag === 'first' && head.size === this.size;
  }
}

export class Reading {
  readonly content: Uint8Array;
  readonly service: ScriptedDownloads;
  readonly disk = new FailingDisk();
  readonly clock = new ManualClock();
  readonly cache: BlockCache;
  readonly version: FakeVersion;
  readonly context: ReadContext;
  readonly reader: VersionReader;
  /** One handle's. */
  readonly stream: ReadStream;

  private constructor(options: ReadingOptions, directory: string) {
    this.content = patternedBytes(options.size);
    this.service = new ScriptedDownloads(this.content);
    this.cache = new BlockCache(
      options.cacheBytes ?? 128 * MIB,
      options.disk?.memory ?? options.memory ?? new BlockMemory(options.blockSize ?? BLOCK_SIZE),
    );
    this.version = new FakeVersion(options.size);
    const ranges = new RangeReader({
      service: this.service,
      bucket: 'b',
      gate: (task) => task(),
      clock: this.clock,
      log: silentLog,
    });
    const { cache, clock, disk: files } = this;
    this.context = new ReadContext({
      ranges,
      cache,
      onDisk: options.disk && contentOf(options.disk),
      files,
      directory,
      space: files.budget(clock),
      clock,
      log: silentLog,
      sizes: options.sizes,
    });
    this.reader = new VersionReader(this.context, 'k', this.version);
    this.reader.acquire();
    this.stream =
      options.blockSize === undefined ? new ReadStream() : new ReadStream(2 * options.blockSize, 64);
  }

  static async begin(options: ReadingOptions): Promise<Reading> {
    const reading = new Reading(options, await temporaryDirectory());
    onTestFinished(async () => {
      reading.service.resume();
      void reading.reader.dispose();
      await settle();
    });
    return reading;
  }

  /** Reads and tells whether the bytes were right. */
  async reads(position: number, length: number, stream = this.stream): Promise<boolean> {
    const into = new Uint8Array(length);
    const count = await this.reader.read(into, position, stream);
    return Buffer.compare(into.subarray(0, count), this.content.subarray(position, position + length)) === 0;
  }

  /** Whether all bytes are here: reading them asks the service for nothing. */
  async hasAll(): Promise<boolean> {
    const before = this.service.gets.length;
    return (await this.readsAll()) && this.service.gets.length === before;
  }

  /** Reads everything in order, as a program does, and tells whether the bytes were right. */
  async readsAll(step = 128 * KIB, stream = new ReadStream()): Promise<boolean> {
    for (let position = 0; position < this.content.length; position += step) {
      if (!(await this.reads(position, step, stream))) return false;
    }
    return true;
  }
}

const contentOf = (disk: DiskCache) => (content: ContentOf) =>
  disk.content({ service: 'https://storage.example.com', bucket: 'b', ...content });

/** Lets everything run that does not wait for the test. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
