/** Where do clients of S3 find the store? One server over the same objects, which counts what it is asked. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeError } from '../../src/base/errors.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { listObjects } from './s3-listing.ts';
import { errorDocument, S3Objects, type S3Answer } from './s3-objects.ts';
import { readRequest, type S3Operation, type S3Request } from './s3-request.ts';
import { documentOf } from './xml.ts';

export interface S3Front {
  readonly port: number;
  /** Of each operation, since the start or the last call. */
  takeCounts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. Buckets are named by their identifiers. */
export async function startS3Front(service: ObjectService): Promise<S3Front> {
  const objects = new S3Objects(service);
  let counts: Record<string, number> = {};
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (message, response) => {
    const request = readRequest(message);
    counts[request.operation] = (counts[request.operation] ?? 0) + 1;
    void serve(service, objects, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    takeCounts: () => {
      const taken = counts;
      counts = {};
      return taken;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  service: ObjectService,
  objects: S3Objects,
  request: S3Request,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerTo(service, objects, request).catch(refusalAnswer);
  const { status, headers = {}, body } = answer;
  try {
    await drained(request.message);
    if (typeof body === 'object') {
      response.writeHead(status, headers);
      await pipeline(Readable.from(body, { objectMode: false }), response);
      return;
    }
    const text = request.message.method === 'HEAD' ? undefined : body;
    const described =
      text === undefined
        ? {}
        : { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(text) };
    response.writeHead(status, { ...described, ...headers }).end(text);
  } catch (error) {
    // The client has gone; its next request is a new one.
    response.destroy(error instanceof Error ? error : undefined);
  }
}

function answerTo(service: ObjectService, objects: S3Objects, request: S3Request): Promise<S3Answer> {
  const handlers: Record<S3Operation, () => Promise<S3Answer> | S3Answer> = {
    ListBuckets: () => ({ status: 200, body: documentOf('ListAllMyBucketsResult', ['<Buckets></Buckets>']) }),
    HeadBucket: () => bucketAnswer(service, request.bucket),
    CreateBucket: () => bucketAnswer(service, request.bucket),
    GetBucketLocation: () => ({ status: 200, body: documentOf('LocationConstraint', []) }),
    ListObjects: async () => ({
      status: 200,
      body: await listObjects(service, request.bucket, request.query),
    }),
    DeleteObjects: () => objects.deleteMany(request),
    HeadObject: () => objects.head(request),
    GetObject: () => objects.get(request),
    PutObject: () => objects.put(request),
    CopyObject: () => objects.copy(request),
    DeleteObject: () => objects.delete(request),
    CreateMultipartUpload: () => objects.beginUpload(request),
    UploadPart: () => objects.keepPart(request),
    UploadPartCopy: () => objects.copyPart(request),
    CompleteMultipartUpload: () => objects.completeUpload(request),
    AbortMultipartUpload: () => objects.abortUpload(request),
    Unknown: () => ({ status: 501, body: errorDocument('NotImplemented') }),
  };
  // Chunks of their own framing would be stored as bytes of the file.
  const isFramed = String(request.message.headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-');
  return Promise.resolve(handlers[isFramed ? 'Unknown' : request.operation]());
}

async function bucketAnswer(service: ObjectService, bucket: string): Promise<S3Answer> {
  await service.getBucket(bucket);
  return { status: 200 };
}

function refusalAnswer(error: unknown): S3Answer {
  if (isRefusal(error, 'missing')) return { status: 404, body: errorDocument('NoSuchKey') };
  if (isRefusal(error, 'range-refused')) return { status: 416, body: errorDocument('InvalidRange') };
  if (isRefusal(error, 'rejected')) return { status: 400, body: errorDocument('InvalidArgument') };
  console.error(`the S3 front failed: ${describeError(error)}`);
  return { status: 500, body: errorDocument('InternalError') };
}

/** What is left of a body would be taken for the next request. */
async function drained(message: IncomingMessage): Promise<void> {
  if (message.readableEnded || message.destroyed) return;
  const end = once(message, 'close');
  message.resume();
  await end;
}
