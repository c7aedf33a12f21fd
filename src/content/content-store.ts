/** Where are bytes, for the file system: drafts on the local disk, cached blocks in memory, the rest behind readers. */
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { UploadBody } from '../service/object-service.ts';
import type { RangeReader } from '../store/range-reader.ts';
import type { Version } from '../store/version.ts';
import type { BlockCache } from './block-cache.ts';
import { BlockFeed } from './block-feed.ts';
import { Draft } from './draft.ts';
import type { LocalFiles } from './local-files.ts';
import { ReadContext } from './read-context.ts';
import type { VersionReader } from './reader.ts';
import { ReaderPool } from './reader-pool.ts';

export interface ContentStoreParts {
  readonly ranges: RangeReader;
  readonly cache: BlockCache;
  readonly files: LocalFiles;
  /** Existing directory of this mount alone. */
  readonly stateDirectory: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** An upload of a draft's bytes as they are now. */
export interface DraftUpload {
  readonly body: UploadBody;
  /** The upload made `version`: bytes that passed are kept for its readers, as far as they fit. */
  keepFor(version: Version): void;
}

/** One mount's drafts and readers. `prepare` comes first, `close` last. */
export class ContentStore {
  readonly #parts: ContentStoreParts;
  readonly #readers: ReaderPool;
  #bytesSent = 0;

  constructor(parts: ContentStoreParts) {
    const { ranges, cache, files, clock, log, stateDirectory } = parts;
    this.#parts = parts;
    const directory = join(stateDirectory, 'spool');
    this.#readers = new ReaderPool(new ReadContext({ ranges, cache, files, directory, clock, log }));
  }

  /** Makes the directories for temporary files. Rejects with the disk's error. */
  async prepare(): Promise<void> {
    await mkdir(this.#directory('drafts'), { recursive: true, mode: 0o700 });
    // What a process that was killed left there is copies.
    await rm(this.#directory('spool'), { recursive: true, force: true });
    await mkdir(this.#directory('spool'), { recursive: true, mode: 0o700 });
  }

  /** Bytes of drafts handed to uploads so far: grows while anything goes up. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** Ends what is kept for readers to come. */
  close(): void {
    this.#readers.clear();
  }

  /** An empty draft. Rejects with the disk's error. */
  createDraft(): Promise<Draft> {
    return Draft.create({ directory: this.#directory('drafts'), files: this.#parts.files });
  }

  /** An empty draft for a copy of what the service has, which nobody misses after a crash. Rejects with the disk's error. */
  createCopy(): Promise<Draft> {
    return Draft.create({ directory: this.#directory('spool'), files: this.#parts.files });
  }

  /** The draft must not change until the upload has ended. */
  upload(draft: Draft, contentType: string): DraftUpload {
    const feed = new BlockFeed(this.#parts.cache, draft.size);
    const body = draft.body(contentType, (data, position) => {
      this.#bytesSent += data.length;
      feed.take(data, position);
    });
    return {
      body,
      keepFor: (version) => {
        feed.commit(version.id);
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

  /**
   * Moves a draft's bytes to where nothing touches them any more, with a note of what they are. Returns the file's path.
   * Rejects with the disk's error; the draft is then as before.
   */
  async setAside(draft: Draft, note: { readonly key: string; readonly reason: string }): Promise<string> {
    const directory = this.#directory('set-aside');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, `${this.#parts.clock.now()}-${draft.revision}-${fileNameFor(note.key)}`);
    await draft.sync();
    await link(draft.path, path);
    await writeFile(`${path}.json`, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
    await draft.remove();
    return path;
  }

  #directory(name: string): string {
    return join(this.#parts.stateDirectory, name);
  }
}

/** The last name of a key, short enough to be part of a local file name. */
function fileNameFor(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1).replaceAll(/[^\p{L}\p{N}._-]/gu, '_');
  return Array.from(name).slice(-40).join('');
}
