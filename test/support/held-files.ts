/** What is there, on the service or in a directory? As hashes, so that whole trees can be compared. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { isRefusal } from '../../src/service/refusal.ts';

/** Name below the top, folders ending in `/`, to the SHA-256 of the bytes; empty for folders. */
export type HeldFiles = Readonly<Record<string, string>>;

/** All keys below `folder` (without slashes at its ends; empty for the whole bucket), folders included. */
export async function heldByService(
  service: ObjectService,
  bucket: string,
  folder: string,
): Promise<HeldFiles> {
  const top = folder === '' ? '' : `${folder}/`;
  const held = new Map<string, string>();
  const folders = [folder];
  for (const each of folders) {
    for (let page: string | undefined | null; page !== null;) {
      const answer = await pageOf(service, bucket, each, page);
      if (answer === null) break;
      for (const { key } of answer.objects) {
        // A service may list a folder among its own files.
        if (!key.endsWith('/')) held.set(key.slice(top.length), await hashOfKey(service, bucket, key));
      }
      for (const path of answer.folders) {
        held.set(path.slice(top.length), '');
        folders.push(path.slice(0, -1));
      }
      page = answer.nextPage;
    }
  }
  return sorted(held);
}

/** Null when the service says that there is no such folder. */
async function pageOf(
  service: ObjectService,
  bucket: string,
  folder: string,
  page: string | undefined,
): Promise<ObjectPage | null> {
  try {
    return await service.listObjects(bucket, { folder, limit: 1000, page });
  } catch (error) {
    if (isRefusal(error, 'missing')) return null;
    throw error;
  }
}

export async function hashOfKey(service: ObjectService, bucket: string, key: string): Promise<string> {
  const { body } = await service.getObject(bucket, key);
  return hashOf(body);
}

/** The same of a directory. */
export async function heldByDirectory(directory: string): Promise<HeldFiles> {
  const held = new Map<string, string>();
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(`${directory}/${below}`, { withFileTypes: true })) {
      const name = below + entry.name;
      if (entry.isDirectory()) {
        held.set(`${name}/`, '');
        await walk(`${name}/`);
      } else {
        held.set(name, await hashOf(createReadStream(`${directory}/${name}`)));
      }
    }
  };
  await walk('');
  return sorted(held);
}

export async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece);
  return hash.digest('hex');
}

function sorted(held: ReadonlyMap<string, string>): HeldFiles {
  return Object.fromEntries([...held].sort(([a], [b]) => (a < b ? -1 : 1)));
}
