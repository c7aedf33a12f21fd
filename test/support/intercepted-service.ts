/** How does one stand between a caller and a service, whatever the operation? */
import type { ByteRange } from '../../src/base/byte-range.ts';
import type {
  CallOptions,
  Download,
  GetObjectQuery,
  ListObjectsQuery,
  ObjectService,
  PageQuery,
  UploadBody,
} from '../../src/service/object-service.ts';
import type * as records from '../../src/service/records.ts';
import type { RequestRecord } from '../../src/server/request-log.ts';

/** One call: what it is about, and how to go on. May reject, wait, go on twice, or look at the answer. */
export type Interceptor = <Answer>(
  call: RequestRecord & { readonly range?: ByteRange | undefined },
  proceed: () => Promise<Answer>,
) => Promise<Answer>;

export class InterceptedService implements ObjectService {
  readonly #inner: ObjectService;
  readonly #intercept: Interceptor;

  constructor(inner: ObjectService, intercept: Interceptor) {
    this.#inner = inner;
    this.#intercept = intercept;
  }

  listBuckets(query?: PageQuery): Promise<records.BucketPage> {
    return this.#intercept({ operation: 'listBuckets' }, () => this.#inner.listBuckets(query));
  }

  createBucket(name: string, options?: CallOptions): Promise<records.Bucket> {
    return this.#intercept({ operation: 'createBucket' }, () => this.#inner.createBucket(name, options));
  }

  getBucket(bucket: string, options?: CallOptions): Promise<records.Bucket> {
    return this.#intercept({ operation: 'getBucket', bucket }, () => this.#inner.getBucket(bucket, options));
  }

  deleteBucket(bucket: string, options?: CallOptions): Promise<void> {
    return this.#intercept({ operation: 'deleteBucket', bucket }, () =>
      this.#inner.deleteBucket(bucket, options),
    );
  }

  createFolder(bucket: string, folderPath: string, options?: CallOptions): Promise<void> {
    return this.#intercept({ operation: 'createFolder', bucket, folder: folderPath }, () =>
      this.#inner.createFolder(bucket, folderPath, options),
    );
  }

  putObject(
    bucket: string,
    key: string,
    body: UploadBody,
    options?: CallOptions,
  ): Promise<records.StoredObject> {
    return this.#intercept({ operation: 'putObject', bucket, key }, () =>
      this.#inner.putObject(bucket, key, body, options),
    );
  }

  getObject(bucket: string, key: string, query?: GetObjectQuery): Promise<Download> {
    return this.#intercept({ operation: 'getObject', bucket, key, range: query?.range }, () =>
      this.#inner.getObject(bucket, key, query),
    );
  }

  headObject(bucket: string, key: string, options?: CallOptions): Promise<records.ObjectHead> {
    return this.#intercept({ operation: 'headObject', bucket, key }, () =>
      this.#inner.headObject(bucket, key, options),
    );
  }

  deleteObject(bucket: string, key: string, options?: CallOptions): Promise<records.DeletedObject> {
    return this.#intercept({ operation: 'deleteObject', bucket, key }, () =>
      this.#inner.deleteObject(bucket, key, options),
    );
  }

  listObjects(bucket: string, query: ListObjectsQuery): Promise<records.ObjectPage> {
    return this.#intercept({ operation: 'listObjects', bucket, folder: query.folder }, () =>
      this.#inner.listObjects(bucket, query),
    );
  }

  getVisibility(bucket: string, key: string, options?: CallOptions): Promise<records.VisibilityRecord> {
    return this.#intercept({ operation: 'getVisibility', bucket, key }, () =>
      this.#inner.getVisibility(bucket, key, options),
    );
  }

  setVisibility(
    bucket: string,
    key: string,
    visibility: records.Visibility,
    options?: CallOptions,
  ): Promise<records.VisibilityRecord> {
    return this.#intercept({ operation: 'setVisibility', bucket, key }, () =>
      this.#inner.setVisibility(bucket, key, visibility, options),
    );
  }

  getLink(bucket: string, key: string, options?: CallOptions): Promise<records.LinkRecord> {
    return this.#intercept({ operation: 'getLink', bucket, key }, () =>
      this.#inner.getLink(bucket, key, options),
    );
  }
}

/** Uploads go through `through` on their way. */
export class InterceptedUploads extends InterceptedService {
  readonly #through: (key: string, body: UploadBody) => UploadBody;

  constructor(inner: ObjectService, through: (key: string, body: UploadBody) => UploadBody) {
    super(inner, (_call, proceed) => proceed());
    this.#through = through;
  }

  override putObject(
    bucket: string,
    key: string,
    body: UploadBody,
    options?: CallOptions,
  ): Promise<records.StoredObject> {
    return super.putObject(bucket, key, this.#through(key, body), options);
  }
}
