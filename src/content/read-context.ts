/** What do all readers of a mount share? */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { RangeReader } from '../store/range-reader.ts';
import type { BlockCache } from './block-cache.ts';
import type { CachedContent } from './disk-cache/cached-content.ts';
import type { LocalFiles } from './local-files.ts';
import type { SpaceBudget } from './space-budget.ts';
import { FIRST_WINDOW, PART, sizesFor, type ReadSizes } from './read-plan.ts';
import { ReadWindows } from './read-windows.ts';

/** What names one content of the bucket. */
export interface ContentOf {
  readonly key: string;
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
}

/** Bytes that programs were given, by where they were at that moment. */
export interface ReadCounts {
  memory: number;
  disk: number;
  /** On their way, or not even asked for. */
  service: number;
}

export interface ReadContextOptions {
  readonly ranges: RangeReader;
  readonly cache: BlockCache;
  /** What the local disk has of a content; absent: nothing is kept there. */
  readonly onDisk?: ((content: ContentOf) => CachedContent) | undefined;
  readonly files: LocalFiles;
  /** For spools; made when missing. */
  readonly directory: string;
  readonly space: SpaceBudget;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly log: Log;
  readonly sizes?: ReadSizes | undefined;
}

/** The mount's means of reading. */
export class ReadContext {
  readonly ranges: RangeReader;
  readonly cache: BlockCache;
  readonly onDisk: ((content: ContentOf) => CachedContent) | undefined;
  readonly files: LocalFiles;
  readonly directory: string;
  readonly space: SpaceBudget;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly log: Log;
  /** Fitting the cache. */
  readonly sizes: ReadSizes;
  readonly windows: ReadWindows;
  readonly served: ReadCounts = { memory: 0, disk: 0, service: 0 };

  constructor(options: ReadContextOptions) {
    this.ranges = options.ranges;
    this.cache = options.cache;
    this.onDisk = options.onDisk;
    this.files = options.files;
    this.directory = options.directory;
    this.space = options.space;
    this.clock = options.clock;
    this.log = options.log;
    this.sizes = sizesFor(options.sizes ?? { firstWindow: FIRST_WINDOW, part: PART }, options.cache);
    this.windows = new ReadWindows(options.clock, options.cache);
  }
}
