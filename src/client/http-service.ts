/** How is each of the 13 endpoints of §4 asked over HTTP? */
import { byteLength } from '../base/byte-range.ts';
import type { ByteRange } from '../base/byte-range.ts';
import type { Clock } from '../base/clock.ts';
import type {
  CallOptions,
  Download,
  GetObjectQuery,
  ListObjectsQuery,
  ObjectService,
  PageQuery,
  UploadBody,
} from '../service/object-service.ts';
import type {
  Bucket,
  BucketPage,
  DeletedObject,
  LinkRecord,
  ObjectHead,
  ObjectPage,
  StoredObject,
  TimeSpan,
  Visibility,
  VisibilityRecord,
} from '../service/records.ts';
import { isRefusal, Refusal } from '../service/refusal.ts';
import type { RefusalDetails } from '../service/refusal.ts';
import { documentOf, readAll, readJson } from './answer-body.ts';
import type { Ask } from './ask.ts';
import { parseHttpDate } from './dates.ts';
import {
  decodeBucket,
  decodeBucketPage,
  decodeLink,
  decodeObjectPage,
  decodeStored,
  decodeVisibility,
} from './decode.ts';
import { DownloadBody } from './download-body.ts';
import type { Exchange } from './exchange.ts';
import { decodeDownload, decodeObjectHead, headerOf } from './object-headers.ts';
import { openExchange, type HttpServiceOptions } from './open-exchange.ts';
import {
  bucketPath,
  bucketsPath,
  foldersPath,
  linkPath,
  listingPath,
  objectPath,
  visibilityPath,
} from './paths.ts';
import type { ServiceAnswer } from './service-answer.ts';
import type { Traffic } from './traffic.ts';

/** A page holds at most 1000 entries; with keys of 1 KiB and escapes that is some megabytes. */
const LISTING_LIMIT = 16 * 1024 * 1024;
const DOCUMENT_LIMIT = 1024 * 1024;

type Decode<Record> = (document: unknown, details: RefusalDetails) => Record;

/**
 * The service, over a pool of kept-alive connections. As the port says: every method rejects with a `Refusal` only, and
 * retries passing faults. When the bytes of an upload cannot be read, or are not as many as announced, `putObject` rejects
 * with `aborted`, the source's error as cause, and nothing was stored by that try.
 */
export class HttpService implements ObjectService {
  readonly traffic: Pick<Traffic, 'facts'>;
  readonly #exchange: Exchange;
  readonly #clock: Clock;

  private constructor(exchange: Exchange, clock: Clock, traffic: Traffic) {
    this.#exchange = exchange;
    this.#clock = clock;
    this.traffic = traffic;
  }

  /** Connects to nothing yet. Throws a `BaseUrlError`, or an `Error` about credentials that Basic cannot carry. */
  static open(options: HttpServiceOptions): HttpService {
    const { exchange, clock, traffic } = openExchange(options);
    return new HttpService(exchange, clock, traffic);
  }

  /** Ends all connections; calls still under way reject with `aborted`. */
  close(): Promise<void> {
    return this.#exchange.close();
  }

  listBuckets(query: PageQuery = {}): Promise<BucketPage> {
    const { limit, page } = query;
    const path = (): string => bucketsPath({ limit, page });
    const ask = { operation: 'listBuckets', subject: '', method: 'GET', path } as const;
    return this.#document({ ...ask, sentPage: page !== undefined }, query, decodeBucketPage, LISTING_LIMIT);
  }

  createBucket(name: string, options?: CallOptions): Promise<Bucket> {
    const path = (): string => bucketsPath({});
    const ask = { operation: 'createBucket', subject: name, method: 'POST', path } as const;
    return this.#document(withDocument(ask, { name }), options, decodeBucket);
  }

  getBucket(bucket: string, options?: CallOptions): Promise<Bucket> {
    const path = (): string => bucketPath(bucket);
    return this.#document(
      { operation: 'getBucket', subject: bucket, method: 'GET', path },
      options,
      decodeBucket,
    );
  }

  deleteBucket(bucket: string, options?: CallOptions): Promise<void> {
    const path = (): string => bucketPath(bucket);
    return this.#done({ operation: 'deleteBucket', subject: bucket, method: 'DELETE', path }, options);
  }

  createFolder(bucket: string, folderPath: string, options?: CallOptions): Promise<void> {
    const path = (): string => foldersPath(bucket);
    const subject = `${bucket}/${folderPath}/`;
    const ask = { operation: 'createFolder', subject, method: 'POST', path } as const;
    return this.#done(withDocument(ask, { folder_path: folderPath }), options);
  }

  putObject(bucket: string, key: string, body: UploadBody, options?: CallOptions): Promise<StoredObject> {
    const startedAt = this.#clock.monotonic();
    const headers = {
      'content-length': String(body.size),
      ...(body.contentType === undefined ? {} : { 'content-type': body.contentType }),
    };
    const ask = { ...objectAsk('putObject', 'PUT', bucket, key), headers, upload: body };
    return this.#exchange.run(ask, options, async (answer) => {
      const storedWithin = this.#storedWithin(answer, startedAt);
      const stored = decodeStored(
        await readJson(answer.body, DOCUMENT_LIMIT, answer.details),
        answer.details,
      );
      if (stored.size === body.size)
        return { ...stored, storedWithin, mayArriveAgain: answer.followsUnknown };
      const problem = `${stored.size} bytes were stored instead of ${body.size}`;
      throw new Refusal('malformed', `the answer's field size: ${problem}`, answer.details);
    });
  }

  async getObject(bucket: string, key: string, query: GetObjectQuery = {}): Promise<Download> {
    const { range, isReadAtOnce = false } = query;
    const ask: Ask = { ...objectAsk('getObject', 'GET', bucket, key), isReadAtOnce };
    const ranged: Ask =
      range === undefined ? ask : { ...ask, sentRange: true, headers: { range: rangeHeader(range, ask) } };
    return this.#exchange.open(ranged, query, (answer) => {
      const download = decodeDownload(answer.status, answer.headers, range, answer.details);
      answer.watch.liftTotal();
      return { ...download, body: new DownloadBody(answer, byteLength(download.range)) };
    });
  }

  async headObject(bucket: string, key: string, options?: CallOptions): Promise<ObjectHead> {
    try {
      return await this.#head(bucket, key, options);
    } catch (error) {
      if (!isRefusal(error, 'missing') || !error.isPage) throw error;
      // It has no body to tell by whether this is the service: a page of a proxy would have every file be gone.
      const { body } = await this.getObject(bucket, key, options);
      await body[Symbol.asyncIterator]().return?.();
      return this.#head(bucket, key, options);
    }
  }

  #head(bucket: string, key: string, options: CallOptions | undefined): Promise<ObjectHead> {
    return this.#exchange.run(objectAsk('headObject', 'HEAD', bucket, key), options, async (answer) => {
      await readAll(answer.body, DOCUMENT_LIMIT, answer.details);
      return decodeObjectHead(answer.headers, answer.details);
    });
  }

  deleteObject(bucket: string, key: string, options?: CallOptions): Promise<DeletedObject> {
    const ask = objectAsk('deleteObject', 'DELETE', bucket, key);
    return this.#exchange.run(ask, options, async (answer) => {
      await readDone(answer);
      return { mayArriveAgain: answer.followsUnknown };
    });
  }

  listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    const { limit, page } = query;
    const folder = query.folder === '' ? undefined : query.folder;
    const path = (): string => listingPath(bucket, { folder, limit, page });
    const subject = `${bucket}/${query.folder}`;
    const ask = { operation: 'listObjects', subject, method: 'GET', path } as const;
    return this.#document({ ...ask, sentPage: page !== undefined }, query, decodeObjectPage, LISTING_LIMIT);
  }

  getVisibility(bucket: string, key: string, options?: CallOptions): Promise<VisibilityRecord> {
    const path = (): string => visibilityPath(bucket, key);
    const ask = { operation: 'getVisibility', subject: `${bucket}/${key}`, method: 'GET', path } as const;
    return this.#document(ask, options, decodeVisibility);
  }

  setVisibility(
    bucket: string,
    key: string,
    visibility: Visibility,
    options?: CallOptions,
  ): Promise<VisibilityRecord> {
    const path = (): string => visibilityPath(bucket);
    const ask = { operation: 'setVisibility', subject: `${bucket}/${key}`, method: 'PUT', path } as const;
    const decode: Decode<VisibilityRecord> = (document, details) => {
      const record = decodeVisibility(document, details);
      if (record.visibility === visibility) return record;
      throw new Refusal(
        'malformed',
        `the answer's field visibility: it is still ${record.visibility}`,
        details,
      );
    };
    return this.#document(withDocument(ask, { object_key: key, visibility }), options, decode);
  }

  getLink(bucket: string, key: string, options?: CallOptions): Promise<LinkRecord> {
    const path = (): string => linkPath(bucket);
    const ask = { operation: 'getLink', subject: `${bucket}/${key}`, method: 'POST', path } as const;
    return this.#document(withDocument(ask, { object_key: key }), options, decodeLink);
  }

  #document<Record>(
    ask: Ask,
    options: CallOptions | undefined,
    decode: Decode<Record>,
    limit = DOCUMENT_LIMIT,
  ): Promise<Record> {
    return this.#exchange.run(ask, options, async ({ body, details }) =>
      decode(await readJson(body, limit, details), details),
    );
  }

  /** For answers that say nothing but yes. */
  #done(ask: Ask, options: CallOptions | undefined): Promise<void> {
    return this.#exchange.run(ask, options, readDone);
  }

  /** By the service's clock: its Date now, less the time that passed here since the first try began. */
  #storedWithin(answer: ServiceAnswer, startedAt: number): TimeSpan | null {
    const to = parseHttpDate(headerOf(answer.headers, 'date'))?.getTime();
    if (to === undefined) return null;
    return { from: Math.floor(to - (this.#clock.monotonic() - startedAt)), to };
  }
}

/** A document need not be there; but a page of HTML is the yes of somebody on the way, such as a captive portal. Rejects with `malformed`. */
async function readDone({ body, details }: Pick<ServiceAnswer, 'body' | 'details'>): Promise<void> {
  const bytes = await readAll(body, DOCUMENT_LIMIT, details);
  if (bytes.byteLength > 0) documentOf(bytes, details);
}

function objectAsk(operation: Ask['operation'], method: Ask['method'], bucket: string, key: string): Ask {
  return { operation, method, subject: `${bucket}/${key}`, path: () => objectPath(bucket, key) };
}

function withDocument(ask: Ask, document: unknown): Ask {
  return { ...ask, document, headers: { 'content-type': 'application/json' } };
}

/** HTTP counts both ends in, so it has no way to ask for nothing. */
function rangeHeader(range: ByteRange, ask: Ask): string {
  if (Number.isSafeInteger(range.start) && range.start >= 0 && range.end > range.start) {
    return `bytes=${range.start}-${range.end - 1}`;
  }
  const { operation, subject } = ask;
  throw new Refusal('rejected', 'the range asked for is empty or not valid', { operation, subject });
}
