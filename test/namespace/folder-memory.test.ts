/** How much memory do remembered folders take? */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import { KnownFolder } from '../../src/namespace/known-folder.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { Version } from '../../src/store/version.ts';

it('a folder of which a look has left the first page counts with that page', () => {
  const memory = new FolderMemory(new NamesRoom(8 * 1024 * 1024));
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

it('the folders of all buckets share the room of the mount', () => {
  const room = new NamesRoom(64 * 1024);
  const [one, other] = [new FolderMemory(room, 'one'), new FolderMemory(room, 'other')];
  const [mine, its] = [new KnownFolder(), new KnownFolder()];

  one.set('/d', mine);
  other.set('/d', its);

  expect(one.get('/d')).toBe(mine);
  expect(other.get('/d')).toBe(its);
  expect([...one.all()]).toEqual([mine]);
  for (let index = 0; index < 100; index += 1) other.set(`/d${index}`, new KnownFolder());
  expect([...one.all()]).toEqual([]);
  expect([...other.all()].length).toBeGreaterThan(10);
});

it.each([1, 10, 40])('many folders of %i files take no more than they may', async (files) => {
  const most = 48 * 1024 * 1024;
  const before = liveBytes();
  const memory = new FolderMemory(new NamesRoom(most));

  for (let index = 0; index < 30_000; index += 1) memory.set(`/d${index}`, listedFolder(files));

  // The engine lets go of what is outside of its own memory in a thread of its own.
  await expect.poll(() => liveBytes() - before).toBeLessThan(most);
  expect([...memory.all()].length).toBeGreaterThan(5000);
});

function listedFolder(files: number): KnownFolder {
  const folder = new KnownFolder();
  for (let index = 0; index < files; index += 1) {
    const etag = String(index).padStart(32, '0');
    const version = Version.told({ size: index, etag, lastModified: new Date(0) });
    const entry = { kind: 'file', version, confirmedAt: 0 } as const;
    folder.names.setTold(`file-${index}.txt`, entry, folder.names);
  }
  folder.becomeListed({ since: 0, at: 0, pages: 1, hidden: 0, told: true, folders: [] });
  return folder;
}

/** Of the engine's memory, and of that outside of it, what is not garbage. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
