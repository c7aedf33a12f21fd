/** Where are bytes, for the file system: drafts on the local disk, cached blocks in memory, the rest behind readers. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { UploadBody } from '../service/object-service.ts';
import type { RangeReader } from '../store/range-reader.ts';
import type { Version } from '../store/version.ts';
import type { BlockCache } from './block-cache.ts';
import { BlockFeed } from './block-feed.ts';
import type { CachedContent } from './disk-cache/cached-content.ts';
import { Draft } from './draft.ts';
import type { DraftFacts } from './draft-facts.ts';
import { DraftFolder } from './draft-folder.ts';
import type { LocalFiles } from './local-files.ts';
import { ReadContext, type ContentOf, type ReadCounts } from './read-context.ts';
import type { VersionReader } from './reader.ts';
import { ReaderPool } from './reader-pool.ts';
import type { SpaceBudget } from './space-budget.ts';

export interface ContentStoreParts {
  readonly ranges: RangeReader;
  readonly cache: BlockCache;
  /** Whether blocks outlast the last program that has their file open. */
  readonly keepsBlocks: boolean;
  /** What the local disk has of a content of the bucket; absent: nothing is kept there. */
  readonly onDisk?: ((content: ContentOf) => CachedContent) | undefined;
  readonly files: LocalFiles;
  readonly drafts: DraftFolder;
  /** For drafts, copies and spools alike: they are on one disk. */
  readonly space: SpaceBudget;
  /** Existing directory of this mount alone. */
  readonly stateDirectory: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** An upload of a draft's bytes as they are now. */
export interface DraftUpload {
  readonly body: UploadBody;
  /** Whether all bytes have left in one of the tries, as far as they could be taken: before that the service has stored nothing. */
  readonly hasLeft: boolean;
  /**
   * The upload made `version`: all of it has gone up, and bytes that passed are kept in memory for its readers, as far as they fit. Not on
   * the disk: who unpacks an archive would wait for a second file beside each draft.
   */
  stored(version: Version): void;
}

/** One mount's drafts and readers. `prepare` comes first, `close` last. */
export class ContentStore {
  readonly #parts: ContentStoreParts;
  readonly #spool: string;
  readonly #copies: DraftFolder;
  readonly #readers: ReaderPool;
  readonly #served: Readonly<ReadCounts>;
  readonly #endGivingWay: () => void;
  #bytesSent = 0;

  constructor(parts: ContentStoreParts) {
    const { ranges, cache, onDisk, files, space, clock, log, stateDirectory } = parts;
    this.#parts = parts;
    this.#spool = join(stateDirectory, 'spool');
    this.#copies = new DraftFolder(this.#spool, files);
    const directory = this.#spool;
    const context = new ReadContext({ ranges, cache, onDisk, files, directory, space, clock, log });
    this.#served = context.served;
    this.#readers = new ReaderPool(context, parts.keepsBlocks);
    this.#endGivingWay = space.giveWayFirst(() => this.#readers.giveWay());
  }

  /** Makes the directory for temporary files. Rejects with the disk's error. */
  async prepare(): Promise<void> {
    // What a process that was killed left there is copies.
    await rm(this.#spool, { recursive: true, force: true });
    await mkdir(this.#spool, { recursive: true, mode: 0o700 });
  }

  /** Bytes of drafts that have gone up so far, and one for each of the files: grows while anything goes up, and not while it is only tried. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** Bytes in memory, and where those came from that programs have read. */
  get counts(): { readonly inMemory: number; readonly served: Readonly<ReadCounts> } {
    return { inMemory: this.#parts.cache.used, served: this.#served };
  }

  /** Ends what is kept for readers to come. */
  close(): void {
    this.#endGivingWay();
    this.#readers.clear();
  }

  /** An empty draft. Rejects with the disk's error. */
  async createDraft(facts: DraftFacts): Promise<Draft> {
    return new Draft(await this.#parts.drafts.create(facts), this.#parts.space.open());
  }

  /** As `createDraft`, to be filled at once with what the service is about to lose: not refused because others wait for room. */
  async createKeepsake(facts: DraftFacts): Promise<Draft> {
    return new Draft(await this.#parts.drafts.create(facts), this.#parts.space.openForCopy());
  }

  /** A draft that was on the disk before, which is what is `recorded` of it. Rejects with the disk's error, or with `HeaderUnreadable`. */
  async openDraft(id: string, size: number, recorded?: DraftFacts): Promise<Draft> {
    const file = await this.#parts.drafts.open(id, recorded);
    // Holes take no room; its header is none.
    const taken = (await file.bytesOnDisk()) || size;
    return new Draft(file, this.#parts.space.open(Math.min(size, taken)), size);
  }

  /** An empty draft for a copy of what the service has, which nobody misses after a crash. Rejects with the disk's error. */
  async createCopy(facts: DraftFacts): Promise<Draft> {
    return new Draft(await this.#copies.create(facts), this.#parts.space.openForCopy());
  }

  /** As `SpaceBudget.roomFor`. */
  roomFor(bytes: number): Promise<void> {
    return this.#parts.space.roomFor(bytes);
  }

  /** The draft must not change until the upload has ended. */
  upload(draft: Draft, contentType: string): DraftUpload {
    const feed = this.#parts.keepsBlocks ? new BlockFeed(this.#parts.cache, draft.size) : null;
    // Read, but gone only when more is asked for: also a service that is away has the first bytes read at each try.
    let read = 0;
    let farthest = 0;
    // Of an empty one nobody sees bytes pass.
    let isAskedFor = false;
    const bytes = draft.body(contentType, (data, position) => {
      farthest = Math.max(farthest, position + data.length);
      if (position > 0) this.#bytesSent += read;
      read = data.length;
      feed?.take(data, position);
    });
    const open = (): ReturnType<UploadBody['open']> => {
      isAskedFor = true;
      return bytes.open();
    };
    return {
      body: { ...bytes, open },
      get hasLeft() {
        return isAskedFor && farthest >= bytes.size;
      },
      stored: (version) => {
        this.#bytesSent += read + 1;
        feed?.commit(version.id);
      },
    };
  }

  /** The reader of `version`, where it is stored under `key`. Every call needs a `releaseReader`. */
  acquireReader(key: string, version: Version): VersionReader {
    return this.#readers.acquire(key, version);
  }

  releaseReader(version: Version): void {
    this.#readers.release(version);
  }

  /** Its file is gone, or has other bytes: what memory has of it makes room, once nobody reads it any more. */
  forget(version: Version): void {
    this.#readers.forget(version);
  }
}
