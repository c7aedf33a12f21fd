/** How are the rules broken that pailfs itself never makes use of? (§4.11, §8, §9) */
import { errorAnswer } from '../../src/server/answer.ts';
import type { Call } from '../../src/server/endpoint.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { breakAnswer, breakDocument, breakOperation, breakRefusal } from './breaking.ts';
import type { Mutants } from './breaking.ts';

export const requestMutants: Mutants = {
  'sends 120 files where no limit is given': () => {
    breakOperation('listObjects', (whole) => (bucket, query) => whole(bucket, { limit: 120, ...query }));
  },
  'takes a limit above 1000 for what it is': () => {
    breakOperation('listObjects', (whole) => async (bucket, query) => {
      const { limit = 100, ...rest } = query;
      if (limit <= 1000) return whole(bucket, query);
      const first = await whole(bucket, { ...rest, limit: 1000 });
      return { ...first, objects: Array.from({ length: limit }, () => FILE) };
    });
  },
  'takes every bookmark of files': () => {
    breakOperation('listObjects', (whole) => async (bucket, query) => {
      const { folder, limit } = query;
      return whole(bucket, query).catch(() => whole(bucket, { folder, limit }));
    });
  },
  'refuses a bookmark of buckets with {error}': () => {
    breakRefusal('listBuckets', 'stale-bookmark', ({ reason }) => errorAnswer('file', 400, reason));
  },
  'lists 20 buckets where no limit is given': () => {
    breakOperation('listBuckets', (whole) => (query) => whole({ limit: 20, ...query }));
  },
  'takes any limit for buckets': () => {
    breakOperation(
      'listBuckets',
      (whole) =>
        ({ limit = 50, ...query } = {}) =>
          whole({ ...query, limit: Math.min(limit, 100) }),
    );
  },
  'does not know prefix': () => {
    breakAnswer('listObjects', (ask, call) => ask(without(call, 'prefix')));
  },
  'does not know token': () => {
    breakAnswer('listObjects', (ask, call) => ask(without(call, 'token')));
  },
  'does not answer next_token': () => {
    breakDocument('listObjects', (document) => ({ ...document, next_token: undefined }));
  },
  'does not end the older prefix with a slash': () => {
    breakDocument('listObjects', (document) => ({ ...document, prefix: document['folder'] }));
  },
  'says page where a token is not valid': () => {
    const text = 'The page is not valid. Use the next_page of the previous response.';
    breakRefusal('listObjects', 'stale-bookmark', () => errorAnswer('file', 400, text));
  },
};

const FILE: ObjectPage['objects'][number] = { key: 'f', size: 1, etag: 'x', lastModified: new Date(0) };

function without(call: Call, name: string): Call {
  const query = new URLSearchParams(call.target.query);
  query.delete(name);
  return { ...call, target: { ...call.target, query } };
}
