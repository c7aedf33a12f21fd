/** How are the rules of files and folders broken? (§3.2, §4.6 to §4.10, §7) */
import { Readable } from 'node:stream';
import type { ObjectHead, StoredObject } from '../../src/service/records.ts';
import { isRefusal, Refusal } from '../../src/service/refusal.ts';
import { bytesOf } from '../support/embedded-service.ts';
import {
  breakAnswer,
  breakDocument,
  breakOperation,
  breakPortRefusal,
  withWrongByte,
  type Mutants,
} from './breaking.ts';

const NO_BYTES: ObjectHead = { size: 0, etag: 'none', lastModified: new Date(0), contentType: null };

export const fileMutants: Mutants = {
  'stores other bytes than were sent': () => {
    breakOperation('putObject', (whole) => (bucket, key, body, options) => {
      return whole(bucket, key, { ...body, open: () => withWrongByte(body.open()) }, options);
    });
  },
  'forgets the Content-Type': () => {
    breakOperation('putObject', (whole) => (bucket, key, body, options) => {
      return whole(bucket, key, { ...body, contentType: undefined }, options);
    });
  },
  'sends other bytes than it stores': () => {
    breakOperation('getObject', (whole) => async (...given) => {
      const download = await whole(...given);
      return { ...download, body: withWrongByte(download.body) };
    });
  },
  'tells a wrong size in HEAD': () => {
    breakAnswer('headObject', async (ask) => {
      const answer = await ask();
      return { ...answer, headers: { ...answer.headers, 'content-length': '999' } };
    });
  },
  'finds every file in HEAD': () => {
    breakPortRefusal('headObject', 'missing', () => Promise.resolve(NO_BYTES));
  },
  'deletes nothing': () => {
    breakOperation('deleteObject', () => () => Promise.resolve({ mayArriveAgain: false }));
  },
  'refuses to delete what is gone': () => {
    breakOperation('deleteObject', (whole, service) => async (bucket, key, options) => {
      await service.headObject(bucket, key);
      return whole(bucket, key, options);
    });
  },
  'sends what was deleted': sendDeletedFiles,
  'makes no folder that was asked for': () => {
    breakOperation('createFolder', () => () => Promise.resolve());
  },
  'makes the first of nested folders alone': () => {
    breakOperation('createFolder', (whole) => (bucket, folder, options) => {
      return whole(bucket, folder.split('/')[0] ?? '', options);
    });
  },
  'puts the answer to an upload into an envelope': () => {
    breakDocument('putObject', (data) => ({ message: 'Stored.', status: 200, data }));
  },
  'makes no folders for uploads': showOnlyMadeFolders,
  'keeps the old bytes of a key that exists': () => {
    breakOperation('putObject', (whole, service) => async (bucket, key, body, options) => {
      const isNew = await service.headObject(bucket, key).then(
        () => false,
        (error: unknown) => isRefusal(error, 'missing'),
      );
      return isNew ? whole(bucket, key, body, options) : stored(bucket, key, body.size);
    });
  },
  'takes uploads in a grace period': () => {
    breakPortRefusal('putObject', 'paused', ([bucket, key, body]) =>
      Promise.resolve(stored(bucket, key, body.size)),
    );
  },
  'refuses uploads in a grace period with 409': () => {
    breakPortRefusal('putObject', 'paused', (_given, { reason }) =>
      Promise.reject(new Refusal('rejected', reason, { operation: 'putObject', status: 409 })),
    );
  },
};

function sendDeletedFiles(): void {
  const deleted = new Map<string, { readonly head: ObjectHead; readonly bytes: Buffer }>();
  breakOperation('deleteObject', (whole, service) => async (bucket, key, options) => {
    const { head, body } = await service.getObject(bucket, key);
    deleted.set(key, { head, bytes: await bytesOf(body) });
    return whole(bucket, key, options);
  });
  breakPortRefusal('getObject', 'missing', ([, key], refusal) => {
    const found = deleted.get(key);
    if (found === undefined) return Promise.reject(refusal);
    const { head, bytes } = found;
    return Promise.resolve({ head, range: { start: 0, end: head.size }, body: Readable.from([bytes]) });
  });
}

function showOnlyMadeFolders(): void {
  const made = new Set<string>();
  breakOperation('createFolder', (whole) => (bucket, folder, options) => {
    made.add(`${folder}/`);
    return whole(bucket, folder, options);
  });
  breakOperation('listObjects', (whole) => async (...given) => {
    const page = await whole(...given);
    return { ...page, folders: page.folders.filter((folder) => made.has(folder)) };
  });
}

/** What a service answers that has stored nothing. */
function stored(bucket: string, key: string, size: number): StoredObject {
  return { bucket, key, size, storedWithin: null, mayArriveAgain: false };
}
