/**
 * The account as a `FileSystemOperations`: a directory a bucket, by name (account-top.ts), and below each what that bucket's own file
 * system says (open-buckets.ts).
 */
import type { ByteRange } from '../../base/byte-range.ts';
import type { Log } from '../../base/log.ts';
import { PathClaims } from '../../base/path-claims.ts';
import type { ReadInto } from '../../base/read-into.ts';
import { Interrupted, STAYING, unlessLeaving, type Waiter } from '../../base/waiter.ts';
import type { KnownBuckets } from '../../namespace/known-buckets.ts';
import { reasonOf, toFsError } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type {
  AttributeChange,
  Attributes,
  CreateIntent,
  DirectoryEntry,
  FileHandle,
  FileSystemOperations,
  FileSystemStatistics,
  OpenIntent,
  Owner,
  ShownListing,
  XattrSetMode,
} from '../operations.ts';
import { checkPath } from '../names/paths.ts';
import type { AccountTop, PathOperations } from './account-top.ts';
import { BucketHandle, bucketHandle } from './bucket-handle.ts';
import { bucketPathOf, type BucketPath } from './bucket-path.ts';
import type { OpenBucket, OpenBuckets } from './open-buckets.ts';

export interface AllBucketsParts {
  readonly known: KnownBuckets;
  readonly buckets: OpenBuckets;
  readonly top: AccountTop;
  readonly log: Log;
}

/** Who answers for a path, and what it is called there. */
interface Answerer {
  /** Null: the top does. */
  readonly bucket: OpenBucket | null;
  readonly operations: PathOperations;
  readonly path: string;
}

export class AllBucketsFileSystem implements FileSystemOperations {
  readonly #parts: AllBucketsParts;
  /** So that no name is made in a bucket that is being removed. */
  readonly #claims = new PathClaims();

  constructor(parts: AllBucketsParts) {
    this.#parts = parts;
  }

  getAttributes(path: string, handle?: FileHandle, waiter?: Waiter): Promise<Attributes> {
    return this.#posix('getattr', path, async () => {
      if (handle !== undefined) {
        const { operations, inner } = bucketHandle(handle);
        return operations.getAttributes(inner.path, inner, waiter);
      }
      const { operations, path: named } = await this.#answererOf(path, waiter);
      return operations.getAttributes(named, undefined, waiter);
    });
  }

  async *readDirectory(
    path: string,
    waiter?: Waiter,
  ): AsyncGenerator<readonly DirectoryEntry[], ShownListing | undefined> {
    try {
      checkPath(path);
      const { operations, path: named } = await this.#answererOf(path, waiter);
      return yield* operations.readDirectory(named, waiter);
    } catch (error) {
      throw this.#refusal('readdir', path, error);
    }
  }

  open(path: string, intent: OpenIntent, waiter?: Waiter): Promise<FileHandle> {
    return this.#posix('open', path, async () => {
      const { bucket, operations, path: named } = await this.#answererOf(path, waiter);
      const handle = await operations.open(named, intent, waiter);
      return bucket === null ? handle : new BucketHandle(bucket, handle);
    });
  }

  create(path: string, intent: CreateIntent): Promise<FileHandle> {
    return this.#claimed('create', [path], async () => {
      const { bucket, operations, path: named } = await this.#answererOf(path);
      const handle = await operations.create(named, intent);
      return bucket === null ? handle : new BucketHandle(bucket, handle);
    });
  }

  async read(handle: FileHandle, into: ReadInto, position: number, waiter?: Waiter): Promise<number> {
    const { operations, inner } = bucketHandle(handle);
    return operations.read(inner, into, position, waiter);
  }

  async write(handle: FileHandle, data: Uint8Array, position: number, free?: () => void): Promise<number> {
    const { operations, inner } = bucketHandle(handle);
    return operations.write(inner, data, position, free);
  }

  async allocate(handle: FileHandle, range: ByteRange, keepsSize: boolean): Promise<void> {
    const { operations, inner } = bucketHandle(handle);
    return operations.allocate(inner, range, keepsSize);
  }

  async flush(handle: FileHandle, isOpenElsewhere?: () => Promise<boolean>): Promise<void> {
    const { operations, inner } = bucketHandle(handle);
    return operations.flush(inner, isOpenElsewhere);
  }

  async fsync(handle: FileHandle): Promise<void> {
    const { operations, inner } = bucketHandle(handle);
    return operations.fsync(inner);
  }

  async release(handle: FileHandle): Promise<void> {
    const { operations, inner } = bucketHandle(handle);
    return operations.release(inner);
  }

  truncate(path: string, size: number, handle?: FileHandle): Promise<void> {
    return this.#posix('truncate', path, async () => {
      if (handle !== undefined) {
        const { operations, inner } = bucketHandle(handle);
        return operations.truncate(inner.path, size, inner);
      }
      const { operations, path: named } = await this.#answererOf(path);
      return operations.truncate(named, size);
    });
  }

  setAttributes(path: string, change: AttributeChange, handle?: FileHandle): Promise<void> {
    return this.#posix('setattr', path, async () => {
      if (handle !== undefined) {
        const { operations, inner } = bucketHandle(handle);
        return operations.setAttributes(inner.path, change, inner);
      }
      const { operations, path: named } = await this.#answererOf(path);
      return operations.setAttributes(named, change);
    });
  }

  unlink(path: string): Promise<void> {
    return this.#posix('unlink', path, async () => {
      const { operations, path: named } = await this.#answererOf(path);
      return operations.unlink(named);
    });
  }

  mkdir(path: string, mode: number, maker?: Owner): Promise<void> {
    return this.#claimed('mkdir', [path], async () => {
      const { operations, path: named } = await this.#answererOf(path);
      return operations.mkdir(named, mode, maker);
    });
  }

  rmdir(path: string): Promise<void> {
    return this.#claimed('rmdir', [path], async () => {
      const { operations, path: named } = await this.#answererOf(path);
      return operations.rmdir(named);
    });
  }

  rename(from: string, to: string, noReplace: boolean): Promise<void> {
    return this.#claimed('rename', [from, to], async () => {
      const [source, target] = [bucketPathOf(from), bucketPathOf(to)];
      if (source === null || target === null) throw new FsError('EBUSY', from, 'it is the mountpoint');
      if (source.path === '/') {
        await this.#parts.top.bucket(from);
        // Not EXDEV, which would have mv(1) copy the whole bucket.
        throw new FsError('EPERM', from, 'a bucket keeps its name');
      }
      if (!isSameBucket(source, target)) throw betweenBuckets(from);
      const { operations } = await this.#opened(source);
      return operations.rename(source.path, target.path, noReplace);
    });
  }

  link(path: string, to: string): Promise<never> {
    return this.#posix('link', to, async () => {
      const [source, target] = [bucketPathOf(path), bucketPathOf(to)];
      if (source === null || target === null || !isSameBucket(source, target)) throw betweenBuckets(to);
      const { operations } = await this.#opened(source);
      return operations.link(source.path, target.path);
    });
  }

  getXattr(path: string, name: string, waiter?: Waiter): Promise<Uint8Array> {
    return this.#posix('getxattr', path, async () => {
      const { operations, path: named } = await this.#answererOf(path, waiter);
      return operations.getXattr(named, name, waiter);
    });
  }

  setXattr(path: string, name: string, value: Uint8Array, mode: XattrSetMode): Promise<void> {
    return this.#posix('setxattr', path, async () => {
      const { operations, path: named } = await this.#answererOf(path);
      return operations.setXattr(named, name, value, mode);
    });
  }

  listXattrs(path: string, waiter?: Waiter): Promise<readonly string[]> {
    return this.#posix('listxattr', path, async () => {
      const { operations, path: named } = await this.#answererOf(path, waiter);
      return operations.listXattrs(named, waiter);
    });
  }

  removeXattr(path: string, name: string): Promise<void> {
    return this.#posix('removexattr', path, async () => {
      const { operations, path: named } = await this.#answererOf(path);
      return operations.removeXattr(named, name);
    });
  }

  statistics(path = '/'): FileSystemStatistics {
    return this.#parts.top.statistics(bucketPathOf(path)?.name);
  }

  async #answererOf(path: string, waiter?: Waiter): Promise<Answerer> {
    const place = bucketPathOf(path);
    if (place === null || place.path === '/') return { bucket: null, operations: this.#parts.top, path };
    const bucket = await this.#opened(place, waiter);
    return { bucket, operations: bucket.operations, path: place.path };
  }

  /** Below its top a bucket is not looked up again: who walks there has looked. */
  async #opened({ name }: BucketPath, waiter: Waiter = STAYING): Promise<OpenBucket> {
    const { known, buckets, top } = this.#parts;
    const bucket = known.latest.get(name) ?? (await top.bucket(`/${name}`, waiter));
    return unlessLeaving(waiter, buckets.of(bucket));
  }

  #claimed<Result>(
    operation: string,
    paths: readonly [string, ...string[]],
    run: () => Promise<Result>,
  ): Promise<Result> {
    return this.#posix(operation, paths[0], () => {
      for (const path of paths) checkPath(path);
      return this.#claims.run(paths, run);
    });
  }

  async #posix<Result>(operation: string, path: string, run: () => Promise<Result>): Promise<Result> {
    try {
      checkPath(path);
      return await run();
    } catch (error) {
      throw this.#refusal(operation, path, error);
    }
  }

  /** An `FsError` is between the file system and the program, or in the log already. */
  #refusal(operation: string, path: string, error: unknown): FsError {
    const refusal = toFsError(error, path);
    if (!(error instanceof FsError || error instanceof Interrupted)) {
      const cause = reasonOf(error);
      this.#parts.log.warn('an operation failed', { operation, path, errno: refusal.code, cause });
    }
    return refusal;
  }
}

function isSameBucket(source: BucketPath, target: BucketPath): boolean {
  return target.path !== '/' && source.name === target.name;
}

function betweenBuckets(path: string): FsError {
  return new FsError('EXDEV', path, 'from bucket to bucket files are copied');
}
