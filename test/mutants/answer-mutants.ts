/** How are the rules of answers broken where pailfs itself does not look? (§4) */
import { errorAnswer, jsonAnswer, type Answer } from '../../src/server/answer.ts';
import type { Operation } from '../../src/service/refusal.ts';
import {
  breakAnswer,
  breakData,
  breakDocument,
  breakOperation,
  breakRefusal,
  type JsonObject,
  type Mutants,
} from './breaking.ts';

const AN_HOUR_MS = 3_600_000;

export const answerMutants: Mutants = {
  'gives no message with buckets': () => {
    breakDocument('listBuckets', (document) => ({ ...document, message: '' }));
  },
  'answers 200 to who creates a bucket': () => {
    breakStatus('createBucket', 200);
  },
  'gives no status with a refusal': () => {
    breakRefusal('createBucket', 'rejected', ({ reason }) => jsonAnswer(400, { message: reason }));
  },
  'answers 204 to who deletes a bucket': () => {
    breakStatus('deleteBucket', 204);
  },
  'answers null for data to who creates a folder': () => {
    breakDocument('createFolder', (document) => ({ ...document, data: null }));
  },
  'does not name the folder that it made': () => {
    breakDocument('createFolder', (document) => ({ ...document, message: 'Folder created.' }));
  },
  'tells a wrong size of what it stored': () => {
    breakDocument('putObject', (document) => ({ ...document, size: 999 }));
  },
  'takes uploads without a Content-Length': () => {
    breakAnswer('putObject', (ask, call) =>
      call.request.headers['content-length'] === undefined
        ? Promise.resolve(jsonAnswer(200, { bucket: call.target.bucket, key: call.target.key, size: 0 }))
        : ask(),
    );
  },
  'downloads without Content-Type': () => {
    leaveOut('content-type');
  },
  'downloads without Content-Length': () => {
    leaveOut('content-length');
  },
  'downloads without ETag': () => {
    leaveOut('etag');
  },
  'downloads without Last-Modified': () => {
    leaveOut('last-modified');
  },
  'downloads everything as text/plain': () => {
    changeHeaders('getObject', (headers) => ({ ...headers, 'content-type': 'text/plain' }));
  },
  'tells an end of a permanent link': () => {
    breakData('getLink', (data) => ({ ...data, expires_at: '2030-01-01T00:00:00+00:00' }));
  },
  'tells no end of the link that it gives': () => {
    breakData('getLink', (data) => ({ ...data, expires_at: null }));
  },
  'says nothing with the 404 of a download': () => {
    breakRefusal('getObject', 'missing', () => errorAnswer('file', 404, ''));
  },
  'tells another time with HEAD': () => {
    breakOperation('headObject', (whole) => async (...given) => {
      const head = await whole(...given);
      return { ...head, lastModified: new Date(head.lastModified.getTime() - AN_HOUR_MS) };
    });
  },
  'does not quote the ETag of HEAD': () => {
    changeHeaders('headObject', ({ etag = '', ...headers }) => ({
      ...headers,
      etag: etag.replaceAll('"', ''),
    }));
  },
  'answers 200 to who deletes a file': () => {
    breakStatus('deleteObject', 200);
  },
  'answers 404 to who deletes what is gone': () => {
    breakAnswer('deleteObject', async (ask, { service, target: { bucket, key } }) => {
      await service.headObject(bucket, key);
      return ask();
    });
  },
  'lists with the name of the bucket': () => {
    breakDocument('listObjects', (document) => ({ ...document, bucket: 'photos' }));
  },
  'tells the top as the folder listed': () => {
    breakDocument('listObjects', (document) => ({ ...document, folder: '' }));
  },
  'has a bookmark on the last page': () => {
    breakDocument('listObjects', (document) => ({ ...document, next_page: document['next_page'] ?? 'more' }));
  },
  'leaves the envelope of a visibility away': () => {
    leaveEnvelopeAway('getVisibility');
  },
  'leaves the envelope of a changed visibility away': () => {
    leaveEnvelopeAway('setVisibility');
  },
  'leaves the envelope of a link away': () => {
    leaveEnvelopeAway('getLink');
  },
  'tells another file with a link': () => {
    breakData('getLink', (data) => ({ ...data, key: 'other' }));
  },
  'answers 404 to who asks for a link of nothing': () => {
    breakRefusal('getLink', 'missing', ({ reason }) => errorAnswer('management', 404, reason));
  },
};

function breakStatus(operation: Operation, status: number): void {
  breakAnswer(operation, async (ask) => ({ ...(await ask()), status }));
}

function leaveEnvelopeAway(operation: Operation): void {
  breakDocument(operation, ({ data }) => data as JsonObject);
}

function leaveOut(name: string): void {
  changeHeaders('getObject', (headers) =>
    Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)),
  );
}

function changeHeaders(
  operation: Operation,
  change: (headers: Answer['headers']) => Answer['headers'],
): void {
  breakAnswer(operation, async (ask) => {
    const answer = await ask();
    return { ...answer, headers: change(answer.headers) };
  });
}
