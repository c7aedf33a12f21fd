/** How much memory do remembered folders take? */
import { expect, it } from 'vitest';
import { FolderMemory } from '../../src/namespace/folder-memory.ts';
import { KnownFolder } from '../../src/namespace/known-folder.ts';
import type { ObjectPage } from '../../src/service/records.ts';

it('a folder of which a look has left the first page counts with that page', () => {
  const memory = new FolderMemory(8 * 1024 * 1024);
  const object = { size: 1, etag: 'e', lastModified: new Date(0) };
  const objects = Array.from({ length: 1000 }, (_, index) => ({ ...object, key: `d/${index}` }));
  const page: ObjectPage = { bucket: 'b', folder: 'd', folders: [], objects, nextPage: 'next', skipped: 0 };

  for (let index = 0; index < 200; index += 1) {
    const folder = new KnownFolder();
    folder.firstPage = { page, at: 0 };
    memory.set(`/d${index}`, folder);
  }

  expect([...memory.all()].length).toBeLessThan(50);
});
