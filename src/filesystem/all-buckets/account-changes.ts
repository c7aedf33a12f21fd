/**
 * How are buckets made and removed by mkdir and rmdir? Only where the person who mounts has asked for it (`bucket_admin`): a
 * bucket that is gone is gone with all that is in it (§4.5), so none goes that shows anything.
 */
import type { KnownBuckets } from '../../namespace/known-buckets.ts';
import { BUCKET_NAME_PATTERN } from '../../service/limits.ts';
import type { ObjectService } from '../../service/object-service.ts';
import type { Bucket } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { BucketStore } from '../../store/bucket-store.ts';
import type { Gates } from '../../store/gates.ts';
import { mayHaveBeenDone } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type { OpenBucket, OpenBuckets } from './open-buckets.ts';

export interface AccountChangesParts {
  readonly service: ObjectService;
  readonly gates: Gates;
  readonly known: KnownBuckets;
  readonly buckets: OpenBuckets;
  readonly bucketAdmin: boolean;
}

/** For a caller who holds the claim of the bucket's path. Rejects with an `FsError`, or with the refusal of the service. */
export class AccountChanges {
  readonly #parts: AccountChangesParts;

  constructor(parts: AccountChangesParts) {
    this.#parts = parts;
  }

  async make(path: string, name: string): Promise<void> {
    const { known, service, gates } = this.#parts;
    if ((await known.list()).has(name)) throw taken(path);
    this.#requireAdmin(path);
    if (!BUCKET_NAME_PATTERN.test(name)) {
      const rule = '3 to 40 lowercase letters, digits and hyphens, the first and the last no hyphen';
      throw new FsError('EINVAL', path, `the name of a bucket has ${rule}`);
    }
    try {
      known.made(await gates.metadata((pausing) => service.createBucket(name, { pausing })));
    } catch (error) {
      await this.#explainMaking(path, name, error);
    }
  }

  async remove(path: string, name: string): Promise<void> {
    const { known, buckets, service, gates } = this.#parts;
    const bucket = (await known.list()).get(name);
    if (bucket === undefined) throw new FsError('ENOENT', path, 'no such bucket');
    this.#requireAdmin(path);
    await this.#requireEmpty(path, await buckets.of(bucket));
    try {
      await gates.metadata((pausing) => service.deleteBucket(bucket.bucket, { pausing }));
    } catch (error) {
      if (!isRefusal(error, 'missing') && !(await this.#isGone(bucket, error))) throw error;
    }
    known.removed(name);
  }

  /** Resolves when it was made all the same: the request is never repeated, and its answer may be lost. */
  async #explainMaking(path: string, name: string, error: unknown): Promise<void> {
    if (mayHaveBeenDone(error)) {
      if ((await this.#parts.known.relist()).has(name)) return;
      throw error;
    }
    if (!isRefusal(error, 'rejected') || error.status !== 400) throw error;
    if ((await this.#parts.known.relist()).has(name)) throw taken(path);
    // Of the reasons for 400 (§4.3) those are left that speak of the account.
    throw new FsError('EDQUOT', path, error.reason, { cause: error });
  }

  /** Whether the bucket went though its removal did not say so. */
  async #isGone({ name, bucket }: Bucket, error: unknown): Promise<boolean> {
    if (!mayHaveBeenDone(error)) return false;
    return (await this.#parts.known.relist()).get(name)?.bucket !== bucket;
  }

  async #requireEmpty(path: string, { bucket, fileSystem, operations }: OpenBucket): Promise<void> {
    const { service, gates } = this.#parts;
    const notEmpty = (): FsError => new FsError('ENOTEMPTY', path, 'the bucket is not empty');
    // What unlink has promised to delete would be found in it.
    const going = (await fileSystem.unsent.list()).filter(({ kind }) => kind === 'delete');
    if (going.length > 0) await fileSystem.unsent.retry(going.map(({ id }) => id));
    for await (const entries of operations.readDirectory('/')) if (entries.length > 0) throw notEmpty();
    // What is known may be old, and keys that no directory shows are lost with the bucket, too. The count of files lags (§2.1).
    const pages = new BucketStore(service, bucket.bucket, gates).pages('');
    for await (const { folders, objects, skipped } of pages) {
      if (folders.length + objects.length + skipped > 0) throw notEmpty();
    }
  }

  #requireAdmin(path: string): void {
    if (this.#parts.bucketAdmin) return;
    throw new FsError('EPERM', path, 'buckets are made and removed only with --bucket-admin');
  }
}

function taken(path: string): FsError {
  return new FsError('EEXIST', path, 'there is a bucket of this name');
}
