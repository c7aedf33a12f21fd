/** How does S3 look, over any `ObjectService`? Each method answers one request. Signatures are not looked at. */
import type { IncomingMessage } from 'node:http';
import type { ByteRange } from '../../src/base/byte-range.ts';
import { askedRange } from '../../src/server/range-header.ts';
import type { ObjectService, UploadBody } from '../../src/service/object-service.ts';
import type { ObjectHead } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import type { S3Request } from './s3-request.ts';
import { S3Uploads, type Metadata } from './s3-uploads.ts';
import { documentOf, element, textsOf } from './xml.ts';

export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
}

const UPLOAD_REFUSED: S3Answer = { status: 404, body: errorDocument('NoSuchUpload') };

/** S3 keeps what clients tell it of an object; the service below does not, so it is kept here. */
export class S3Objects {
  readonly #service: ObjectService;
  readonly #uploads = new S3Uploads();
  readonly #metadata = new Map<string, Metadata>();

  constructor(service: ObjectService) {
    this.#service = service;
  }

  async head({ bucket, key }: S3Request): Promise<S3Answer> {
    const head = await this.#service.headObject(bucket, key);
    return {
      status: 200,
      headers: { ...this.#headersOf(bucket, key, head), 'content-length': String(head.size) },
    };
  }

  async get({ bucket, key, message }: S3Request): Promise<S3Answer> {
    const range = await this.#rangeOf(bucket, key, message.headers.range);
    const {
      head,
      range: sent,
      body,
    } = await this.#service.getObject(bucket, key, { ...(range && { range }) });
    const headers = {
      ...this.#headersOf(bucket, key, head),
      'content-length': String(sent.end - sent.start),
    };
    if (range === undefined) return { status: 200, headers, body };
    const contentRange = `bytes ${sent.start}-${sent.end - 1}/${head.size}`;
    return { status: 206, headers: { ...headers, 'content-range': contentRange }, body };
  }

  async put({ bucket, key, message }: S3Request): Promise<S3Answer> {
    const size = Number(message.headers['content-length'] ?? NaN);
    if (Number.isNaN(size)) return { status: 411, body: errorDocument('MissingContentLength') };
    const body = { size, contentType: message.headers['content-type'], open: () => message };
    await this.#store(bucket, key, body, metadataOf(message));
    const { etag } = await this.#service.headObject(bucket, key);
    return { status: 200, headers: { etag: `"${etag}"` } };
  }

  async copy({ bucket, key, message }: S3Request): Promise<S3Answer> {
    const source = sourceOf(message);
    const head = await this.#service.headObject(source.bucket, source.key);
    const isReplaced = message.headers['x-amz-metadata-directive'] === 'REPLACE';
    const metadata = isReplaced ? metadataOf(message) : this.#metadataOf(source.bucket, source.key);
    const isSelf = source.bucket === bucket && source.key === key;
    // Only what is told of the object changes then, and no server moves bytes for that.
    if (isSelf) this.#metadata.set(`${bucket}/${key}`, metadata);
    else {
      const { body } = await this.#service.getObject(source.bucket, source.key);
      const contentType = (isReplaced ? message.headers['content-type'] : head.contentType) ?? undefined;
      await this.#store(bucket, key, { size: head.size, contentType, open: () => body }, metadata);
    }
    return { status: 200, body: copyDocument('CopyObjectResult', head.etag) };
  }

  async delete({ bucket, key }: S3Request): Promise<S3Answer> {
    await this.#remove(bucket, key);
    return { status: 204 };
  }

  async deleteMany({ bucket, message }: S3Request): Promise<S3Answer> {
    const keys = textsOf((await bytesOf(message)).toString(), 'Key');
    for (const key of keys) await this.#remove(bucket, key);
    const deleted = keys.map((key) => element('Deleted', [element('Key', key)]));
    return { status: 200, body: documentOf('DeleteResult', deleted) };
  }

  beginUpload({ bucket, key, message }: S3Request): S3Answer {
    const id = this.#uploads.begin(message.headers['content-type'], metadataOf(message));
    const elements = [element('Bucket', bucket), element('Key', key), element('UploadId', id)];
    return { status: 200, body: documentOf('InitiateMultipartUploadResult', elements) };
  }

  async keepPart({ query, message }: S3Request): Promise<S3Answer> {
    const etag = this.#keep(query, await bytesOf(message));
    return etag === undefined ? UPLOAD_REFUSED : { status: 200, headers: { etag: `"${etag}"` } };
  }

  async copyPart({ query, message }: S3Request): Promise<S3Answer> {
    const { bucket, key } = sourceOf(message);
    const range = await this.#rangeOf(bucket, key, headerOf(message, 'x-amz-copy-source-range'));
    const { body } = await this.#service.getObject(bucket, key, { ...(range && { range }) });
    const etag = this.#keep(query, await bytesOf(body));
    return etag === undefined ? UPLOAD_REFUSED : { status: 200, body: copyDocument('CopyPartResult', etag) };
  }

  async completeUpload({ bucket, key, query, message }: S3Request): Promise<S3Answer> {
    const id = query.get('uploadId') ?? '';
    const upload = this.#uploads.body(id, (await bytesOf(message)).toString());
    if (upload === undefined) return UPLOAD_REFUSED;
    await this.#store(bucket, key, upload.body, upload.metadata);
    this.#uploads.end(id);
    const { etag } = await this.#service.headObject(bucket, key);
    const elements = [element('Bucket', bucket), element('Key', key), element('ETag', `"${etag}"`)];
    return { status: 200, body: documentOf('CompleteMultipartUploadResult', elements) };
  }

  abortUpload({ query }: S3Request): S3Answer {
    this.#uploads.end(query.get('uploadId') ?? '');
    return { status: 204 };
  }

  #keep(query: URLSearchParams, bytes: Buffer): string | undefined {
    const part = query.get('partNumber') ?? '';
    const isKept = this.#uploads.keep(query.get('uploadId') ?? '', Number(part), bytes);
    // Neither client compares it, and hashing here would slow the store down for others.
    return isKept ? `part-${part}` : undefined;
  }

  async #store(bucket: string, key: string, body: UploadBody, metadata: Metadata): Promise<void> {
    await this.#service.putObject(bucket, key, body);
    this.#metadata.set(`${bucket}/${key}`, metadata);
  }

  async #remove(bucket: string, key: string): Promise<void> {
    await this.#service.deleteObject(bucket, key);
    this.#metadata.delete(`${bucket}/${key}`);
  }

  #metadataOf(bucket: string, key: string): Metadata {
    return this.#metadata.get(`${bucket}/${key}`) ?? {};
  }

  #headersOf(bucket: string, key: string, head: ObjectHead): Record<string, string> {
    return {
      'content-type': head.contentType ?? 'application/octet-stream',
      etag: `"${head.etag}"`,
      'last-modified': head.lastModified.toUTCString(),
      'accept-ranges': 'bytes',
      ...this.#metadataOf(bucket, key),
    };
  }

  async #rangeOf(bucket: string, key: string, header: string | undefined): Promise<ByteRange | undefined> {
    const asked = askedRange(header);
    if (asked === undefined || 'end' in asked) return asked;
    const { size } = await this.#service.headObject(bucket, key);
    return { start: Math.max(0, size - asked.last), end: size };
  }
}

export function errorDocument(code: string): string {
  // Errors are the one document without S3's namespace.
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('Error', [element('Code', code), element('Message', code)])}`;
}

function copyDocument(name: string, etag: string): string {
  return documentOf(name, [element('LastModified', new Date().toISOString()), element('ETag', `"${etag}"`)]);
}

function metadataOf({ headers }: IncomingMessage): Metadata {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

function sourceOf(message: IncomingMessage): { bucket: string; key: string } {
  const source = decodeURIComponent(headerOf(message, 'x-amz-copy-source') ?? '').replace(/^\//, '');
  const slash = source.indexOf('/');
  if (slash === -1) throw new Refusal('rejected', 'the source has no key', { operation: 'getObject' });
  return { bucket: source.slice(0, slash), key: source.slice(slash + 1) };
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
