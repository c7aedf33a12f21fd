/** How does one account see the store? As the port, refusing with a `Refusal` and with nothing else. */
import { systemErrorCode } from '../base/errors.ts';
import type {
  CallOptions,
  Download,
  GetObjectQuery,
  ListObjectsQuery,
  ObjectService,
  PageQuery,
  UploadBody,
} from '../service/object-service.ts';
import type * as records from '../service/records.ts';
import { Refusal, type Operation, type RefusalKind } from '../service/refusal.ts';
import { AccountBuckets } from './account-buckets.ts';
import { AccountFiles } from './account-files.ts';
import { AccountUploads } from './account-uploads.ts';
import { AccountVisibility } from './account-visibility.ts';
import type { Lies } from './lies.ts';
import type { AccountState, StoreParts } from './store-parts.ts';

/** The whole port for one account. */
export class AccountService implements ObjectService {
  readonly #buckets: AccountBuckets;
  readonly #files: AccountFiles;
  readonly #uploads: AccountUploads;
  readonly #visibility: AccountVisibility;
  readonly #lies: Lies;

  constructor(parts: StoreParts, account: string, state: AccountState) {
    this.#buckets = new AccountBuckets(parts, account, state);
    this.#files = new AccountFiles(parts, account);
    this.#uploads = new AccountUploads(parts, account, state);
    this.#visibility = new AccountVisibility(parts, account);
    this.#lies = parts.lies;
  }

  listBuckets(query: PageQuery = {}): Promise<records.BucketPage> {
    return this.#answer('listBuckets', query, () => this.#buckets.list(query));
  }

  createBucket(name: string, options?: CallOptions): Promise<records.Bucket> {
    return this.#answer('createBucket', options, () => this.#buckets.create(name));
  }

  getBucket(bucket: string, options?: CallOptions): Promise<records.Bucket> {
    return this.#answer('getBucket', options, () => this.#buckets.get(bucket));
  }

  deleteBucket(bucket: string, options?: CallOptions): Promise<void> {
    return this.#answer('deleteBucket', options, () => this.#buckets.delete(bucket));
  }

  createFolder(bucket: string, folderPath: string, options?: CallOptions): Promise<void> {
    return this.#answer('createFolder', options, () => this.#uploads.createFolder(bucket, folderPath));
  }

  putObject(
    bucket: string,
    key: string,
    body: UploadBody,
    options?: CallOptions,
  ): Promise<records.StoredObject> {
    return this.#answer('putObject', options, (signal) =>
      this.#uploads.put(bucket, key, { ...body, open: () => untilAborted(body.open(), signal) }),
    );
  }

  getObject(bucket: string, key: string, query: GetObjectQuery = {}): Promise<Download> {
    return this.#answer('getObject', query, () => this.#files.get(bucket, key, query));
  }

  headObject(bucket: string, key: string, options?: CallOptions): Promise<records.ObjectHead> {
    return this.#answer('headObject', options, () => this.#files.head(bucket, key));
  }

  deleteObject(bucket: string, key: string, options?: CallOptions): Promise<records.DeletedObject> {
    return this.#answer('deleteObject', options, async () => {
      await this.#uploads.delete(bucket, key);
      return { mayArriveAgain: false };
    });
  }

  listObjects(bucket: string, query: ListObjectsQuery): Promise<records.ObjectPage> {
    return this.#answer('listObjects', query, () => this.#files.list(bucket, query));
  }

  getVisibility(bucket: string, key: string, options?: CallOptions): Promise<records.VisibilityRecord> {
    return this.#answer('getVisibility', options, () => this.#visibility.get(bucket, key));
  }

  setVisibility(
    bucket: string,
    key: string,
    visibility: records.Visibility,
    options?: CallOptions,
  ): Promise<records.VisibilityRecord> {
    return this.#answer('setVisibility', options, () => this.#visibility.set(bucket, key, visibility));
  }

  getLink(bucket: string, key: string, options?: CallOptions): Promise<records.LinkRecord> {
    return this.#answer('getLink', options, () => this.#visibility.link(bucket, key));
  }

  async #answer<Answer>(
    operation: Operation,
    options: CallOptions | undefined,
    act: (signal: AbortSignal | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    const signal = options?.signal;
    try {
      signal?.throwIfAborted();
      return await this.#lies.around(() => act(signal));
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const kind = signal?.aborted === true ? 'aborted' : kindOf(error);
      throw new Refusal(kind, kind === 'no-space' ? 'the disk is full' : 'could not be done', {
        operation,
        cause: error,
      });
    }
  }
}

function kindOf(error: unknown): RefusalKind {
  return ['ENOSPC', 'EDQUOT'].includes(systemErrorCode(error) ?? '') ? 'no-space' : 'unavailable';
}

async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    signal?.throwIfAborted();
    yield piece;
  }
  signal?.throwIfAborted();
}
