/** How do the endpoints of files answer? (§4.7 to §4.11) */
import type { ByteRange } from '../base/byte-range.ts';
import type { Download } from '../service/object-service.ts';
import { Refusal, isRefusal } from '../service/refusal.ts';
import type { UploadDocument } from '../service/wire.ts';
import { errorAnswer, jsonAnswer, type Answer } from './answer.ts';
import type { Behaviours } from './behaviours.ts';
import { encodeHead, encodeObjectPage } from './encode.ts';
import { pageQuery, type Call, type Endpoint } from './endpoint.ts';
import { askedRange } from './range-header.ts';

const listObjects: Endpoint = {
  operation: 'listObjects',
  method: 'GET',
  path: 'listing',
  family: 'file',
  access: 'read',
  answer: async (call) => {
    const { query, bucket } = call.target;
    const folder = query.get('folder') ?? query.get('prefix') ?? '';
    const page = await call.service.listObjects(bucket, { ...pageQuery(call), folder });
    const oldNames = query.has('prefix') || query.has('token');
    return jsonAnswer(200, encodeObjectPage(page, call.behaviours, oldNames));
  },
};

const putObject: Endpoint = {
  operation: 'putObject',
  method: 'PUT',
  path: 'object',
  family: 'file',
  access: 'read-write',
  answer: async ({ service, target: { bucket, key }, request, behaviours }) => {
    const length = request.headers['content-length'];
    if (length === undefined)
      throw new Refusal('rejected', 'Content-Length is required', { operation: 'putObject', status: 411 });
    const stored = await service.putObject(bucket, key, {
      size: Number(length),
      contentType: rawHeader(request.rawHeaders, 'content-type'),
      open: () => request as AsyncIterable<Uint8Array>,
    });
    const document: UploadDocument = { bucket: stored.bucket, key: stored.key, size: stored.size };
    return jsonAnswer(behaviours.uploaded, document);
  },
};

const getObject: Endpoint = {
  operation: 'getObject',
  method: 'GET',
  path: 'object',
  family: 'file',
  access: 'read',
  answer: async (call) => {
    const { service, target, behaviours } = call;
    const range = await rangeOf(call);
    try {
      const download = await service.getObject(target.bucket, target.key, { range });
      return downloadAnswer(download, behaviours, range !== undefined);
    } catch (error) {
      if (!isRefusal(error, 'range-refused')) throw error;
      const { size } = await service.headObject(target.bucket, target.key);
      const answer = errorAnswer('file', 416, 'The range cannot be satisfied.');
      return { ...answer, headers: { ...answer.headers, 'content-range': `bytes */${size}` } };
    }
  },
};

const headObject: Endpoint = {
  operation: 'headObject',
  method: 'HEAD',
  path: 'object',
  family: 'file',
  access: 'read',
  answer: async ({ service, target, behaviours }) => {
    const head = await service.headObject(target.bucket, target.key);
    const headers = { ...encodeHead(head, behaviours), 'content-length': String(head.size) };
    return { status: 200, headers, body: null };
  },
};

const deleteObject: Endpoint = {
  operation: 'deleteObject',
  method: 'DELETE',
  path: 'object',
  family: 'file',
  access: 'read-write',
  answer: async ({ service, target }) => {
    await service.deleteObject(target.bucket, target.key);
    return { status: 204, headers: {}, body: null };
  },
};

/** Those that move bytes or bare documents. */
export const fileEndpoints: readonly Endpoint[] = [
  listObjects,
  putObject,
  getObject,
  headObject,
  deleteObject,
];

/** 206 for a part, and for the whole when it was asked for as a range; else 200. */
export function downloadAnswer(download: Download, behaviours: Behaviours, ranged: boolean): Answer {
  const { head, range, body } = download;
  const headers = { ...encodeHead(head, behaviours), 'content-length': String(range.end - range.start) };
  if (!ranged && range.start === 0 && range.end === head.size) return { status: 200, headers, body };
  const contentRange = `bytes ${range.start}-${range.end - 1}/${head.size}`;
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, body };
}

async function rangeOf({ service, target, request, behaviours }: Call): Promise<ByteRange | undefined> {
  if (behaviours.range === 'ignored') return undefined;
  const asked = askedRange(request.headers.range);
  if (asked === undefined || 'end' in asked) return asked;
  const { size } = await service.headObject(target.bucket, target.key);
  return { start: Math.max(0, size - asked.last), end: size };
}

/** As it was sent: `headers` may have been made to please the router. */
function rawHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const at = rawHeaders.findIndex((text, position) => position % 2 === 0 && text.toLowerCase() === name);
  return at === -1 ? undefined : rawHeaders[at + 1];
}
