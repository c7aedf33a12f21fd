/**
 * Which buckets does the mount have a file system of? One is opened when a program first looks into its bucket, and stays until
 * the end: what is not stored yet needs it, whatever becomes of the bucket's name.
 */
import type { Log } from '../../base/log.ts';
import type { Bucket } from '../../service/records.ts';
import type { EndOfMount, UnsentDraft } from '../end-of-mount.ts';
import type { MountedFileSystem } from '../open-file-system.ts';
import type { FileSystemOperations } from '../operations.ts';
import { pathInMount } from './bucket-path.ts';

/** A file system over one bucket, with what it took to open it. */
export interface BucketFileSystem {
  readonly fileSystem: MountedFileSystem;
  /** Of this bucket alone. */
  readonly stateDirectory: string;
  /** Gives the state directory up, after `fileSystem.close`. */
  release(): Promise<void>;
}

export interface OpenBucket extends BucketFileSystem {
  readonly bucket: Bucket;
  readonly operations: FileSystemOperations;
}

export class OpenBuckets {
  readonly #open: (bucket: Bucket) => Promise<BucketFileSystem>;
  readonly #log: Log;
  /** By identifier: a bucket that was removed and made again is another one. */
  readonly #opening = new Map<string, Promise<OpenBucket>>();
  readonly #opened = new Map<string, OpenBucket>();

  constructor(open: (bucket: Bucket) => Promise<BucketFileSystem>, log: Log) {
    this.#open = open;
    this.#log = log;
  }

  get all(): readonly OpenBucket[] {
    return [...this.#opened.values()];
  }

  /** Undefined: nobody has looked into it yet. */
  peek({ bucket }: Bucket): OpenBucket | undefined {
    return this.#opened.get(bucket);
  }

  /** Rejects with the local disk's error, and tries again the next time. */
  of(bucket: Bucket): Promise<OpenBucket> {
    const known = this.#opening.get(bucket.bucket);
    if (known !== undefined) return known;
    const opening = this.#begin(bucket);
    this.#opening.set(bucket.bucket, opening);
    return opening;
  }

  /** Ends all of them at once; the end is not over for one while another gets anywhere. Rejects as the first that fails. */
  async close(end: EndOfMount): Promise<UnsentDraft[]> {
    await Promise.allSettled(this.#opening.values());
    const progress = (): number => this.bytesSent();
    const ends = await Promise.allSettled(
      this.all.map(async ({ bucket, fileSystem }) => {
        const unsent = await fileSystem.close({ ...end, progress });
        return unsent.map((draft) => ({ ...draft, path: pathInMount(bucket.name, draft.path) }));
      }),
    );
    const failed = ends.filter((one) => one.status === 'rejected');
    for (const { reason } of failed.slice(1)) {
      this.#log.error('Finishing the uploads of a bucket failed', { error: reason as unknown });
    }
    if (failed[0] !== undefined) throw failed[0].reason;
    return ends.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  }

  /** Grows while anything goes up. */
  bytesSent(): number {
    return this.all.reduce((sum, { fileSystem }) => sum + fileSystem.bytesSent(), 0);
  }

  async release(): Promise<void> {
    for (const opened of this.all) await opened.release();
  }

  async #begin(bucket: Bucket): Promise<OpenBucket> {
    try {
      const opened = await this.#open(bucket);
      const { operations } = opened.fileSystem;
      const open = { bucket, operations, ...opened };
      this.#opened.set(bucket.bucket, open);
      return open;
    } catch (error) {
      this.#opening.delete(bucket.bucket);
      throw error;
    }
  }
}
