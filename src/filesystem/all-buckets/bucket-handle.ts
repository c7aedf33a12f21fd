/** What does a program have open in a mount of all buckets? What the bucket's file system has open, and in which bucket that is. */
import { FsError } from '../errors.ts';
import type { FileHandle, FileSystemOperations } from '../operations.ts';
import { pathInMount } from './bucket-path.ts';
import type { OpenBucket } from './open-buckets.ts';

export class BucketHandle implements FileHandle {
  readonly bucket: OpenBucket;
  /** Of the bucket's own file system. */
  readonly inner: FileHandle;

  constructor(bucket: OpenBucket, inner: FileHandle) {
    this.bucket = bucket;
    this.inner = inner;
  }

  get operations(): FileSystemOperations {
    return this.bucket.operations;
  }

  get path(): string {
    return pathInMount(this.bucket.bucket.name, this.inner.path);
  }

  /** Unique in the process, so also between buckets. */
  get identity(): number {
    return this.inner.identity;
  }
}

/** Throws EBADF for a handle of another file system. */
export function bucketHandle(handle: FileHandle): BucketHandle {
  if (handle instanceof BucketHandle) return handle;
  throw new FsError('EBADF', handle.path, 'not a handle of this file system');
}
