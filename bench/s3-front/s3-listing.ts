/** How does a folder-by-folder listing answer S3's ListObjects, both versions? */
import type { ObjectService } from '../../src/service/object-service.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { listingDocument, type ListedEntry } from './xml.ts';

const MOST_KEYS = 1000;

/** The document. Page marks are the service's own bookmarks: neither client looks into them. */
export async function listObjects(
  service: ObjectService,
  bucket: string,
  query: URLSearchParams,
): Promise<string> {
  const version = query.get('list-type') === '2' ? 2 : 1;
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const limit = Math.min(Number(query.get('max-keys') ?? MOST_KEYS), MOST_KEYS);
  const mark = query.get(version === 2 ? 'continuation-token' : 'marker') ?? '';
  const about = {
    bucket,
    prefix,
    delimiter,
    limit,
    version,
    isEncoded: query.get('encoding-type') === 'url',
  } as const;
  if (limit === 0) return listingDocument({ ...about, entries: [], folders: [], next: null });
  if (delimiter === '') {
    const entries = await everythingBelow(service, bucket, prefix, limit);
    return listingDocument({ ...about, entries, folders: [], next: null });
  }
  const page = await service.listObjects(bucket, {
    folder: folderOf(prefix),
    limit,
    ...(mark !== '' && { page: mark }),
  });
  const { entries, folders } = matching(page, prefix);
  return listingDocument({ ...about, entries, folders, next: page.nextPage });
}

/** Without a delimiter only the beginning is asked for, to see whether there is anything. */
async function everythingBelow(
  service: ObjectService,
  bucket: string,
  prefix: string,
  limit: number,
): Promise<ListedEntry[]> {
  const found: ListedEntry[] = [];
  const folders = [folderOf(prefix)];
  for (let folder = folders.shift(); folder !== undefined && found.length < limit; folder = folders.shift()) {
    let page: string | undefined;
    do {
      const answer = await service.listObjects(bucket, { folder, ...(page !== undefined && { page }) });
      const matched = matching(answer, prefix);
      found.push(...matched.entries);
      folders.push(...matched.folders.map((name) => name.slice(0, -1)));
      page = answer.nextPage ?? undefined;
    } while (page !== undefined && found.length < limit);
  }
  return found.slice(0, limit);
}

function folderOf(prefix: string): string {
  return prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')));
}

function matching(
  page: ObjectPage,
  prefix: string,
): { entries: readonly ListedEntry[]; folders: readonly string[] } {
  return {
    entries: page.objects.filter(({ key }) => key.startsWith(prefix)),
    folders: page.folders.filter((folder) => folder.startsWith(prefix)),
  };
}
