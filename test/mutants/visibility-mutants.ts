/** How are the rules of visibility and links broken? (§3.2, §4.12 to §4.14, §7) */
import type { VisibilityRecord } from '../../src/service/records.ts';
import { breakData, breakOperation, breakPortRefusal, type Mutants } from './breaking.ts';

const PRIVATE = { visibility: 'private', url: null, shareUrl: null, shareExpiresAt: null } as const;

export const visibilityMutants: Mutants = {
  'makes new files public': () => {
    breakOperation('putObject', (whole, service) => async (bucket, key, body, options) => {
      const answer = await whole(bucket, key, body, options);
      await service.setVisibility(bucket, key, 'public');
      return answer;
    });
  },
  'keeps a replaced file public': () => {
    breakOperation('putObject', (whole, service) => async (bucket, key, body, options) => {
      const before = await service.getVisibility(bucket, key).catch(() => PRIVATE);
      const answer = await whole(bucket, key, body, options);
      if (before.visibility === 'public') await service.setVisibility(bucket, key, 'public');
      return answer;
    });
  },
  'tells no link of a public file': () => {
    changeRecords((record) => ({ ...record, url: null }));
  },
  'forgets that a file was made public': () => {
    breakOperation('setVisibility', (whole) => async (bucket, key, visibility, options) => {
      const record = await whole(bucket, key, visibility, options);
      if (visibility === 'public') await whole(bucket, key, 'private', options);
      return record;
    });
  },
  'tells every file to be private': () => {
    breakOperation('getVisibility', (whole) => async (...given) => ({
      ...(await whole(...given)),
      visibility: 'private',
    }));
  },
  'tells a temporary link of a public file': () => {
    const share = { share_url: 'http://127.0.0.1/private/f', share_expires_at: '2030-01-01T00:00:00+00:00' };
    breakData('getVisibility', (data) => ({ ...data, ...share }));
    breakData('setVisibility', (data) => ({ ...data, ...share }));
  },
  'tells no temporary link of a private file': () => {
    changeRecords((record) => ({ ...record, shareUrl: null, shareExpiresAt: null }));
  },
  'tells no end of a temporary link': () => {
    changeRecords((record) => ({ ...record, shareExpiresAt: null }));
  },
  'tells a permanent link of a private file': () => {
    breakData('setVisibility', (data) => ({ ...data, url: 'http://127.0.0.1/public/f' }));
  },
  'serves the permanent link of a private file for ever': () => {
    breakOperation('setVisibility', (whole) => async (bucket, key, visibility, options) => {
      const record = await whole(bucket, key, visibility, options);
      if (visibility === 'private') await whole(bucket, key, 'public', options);
      return record;
    });
  },
  'publishes what is not there': () => {
    for (const kind of ['missing', 'rejected'] as const) {
      breakPortRefusal('setVisibility', kind, ([, key, visibility]) =>
        Promise.resolve({ ...PRIVATE, key, visibility }),
      );
    }
  },
  'gives a permanent link for a private file': () => {
    breakOperation('getLink', (whole) => async (...given) => {
      const link = await whole(...given);
      return { ...link, url: link.url.replace('/private/', '/public/').replace(/\?.*/, '') };
    });
  },
  'gives a link for what is not there': () => {
    breakPortRefusal('getLink', 'missing', ([bucket, key]) => {
      const url = `http://127.0.0.1/public/${bucket}/${key}`;
      return Promise.resolve({ bucket, key, visibility: 'public', url, expiresAt: null });
    });
  },
};

function changeRecords(change: (record: VisibilityRecord) => VisibilityRecord): void {
  breakOperation(
    'getVisibility',
    (whole) =>
      async (...given) =>
        change(await whole(...given)),
  );
  breakOperation(
    'setVisibility',
    (whole) =>
      async (...given) =>
        change(await whole(...given)),
  );
}
