/** What is in a folder whose listing had to begin anew? (§4.11) */
import { expect, it } from 'vitest';
import { listFolder } from '../../../src/cli/direct/folder-content.ts';
import type { FileEntry } from '../../../src/service/records.ts';
import type { BucketStore } from '../../../src/store/bucket-store.ts';

const file = (key: string): FileEntry => ({ key, size: 1, etag: 'etag', lastModified: new Date(0) });

it('what is there then: what went meanwhile is not listed, nor what was unclear before', async () => {
  const store = {
    async *pages(_folder: string, { restarted }: { readonly restarted: () => void }) {
      yield { folders: ['gone/', 'stays/'], objects: [file('gone'), file('stays')], skipped: 2 };
      restarted();
      yield await Promise.resolve({ folders: ['stays/'], objects: [file('stays')], skipped: 1 });
    },
  };
  const { folders, files, unclear } = await listFolder(store as unknown as BucketStore, '');

  expect([folders, files.map(({ key }) => key), unclear]).toEqual([['stays/'], ['stays'], 1]);
});
