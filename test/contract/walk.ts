/** What is in a folder, all pages of it? (§4.11, the paging rules) */
import type { ObjectService } from '../../src/service/object-service.ts';
import type { FileEntry, ObjectPage } from '../../src/service/records.ts';

export interface Walked {
  readonly folders: readonly string[];
  readonly files: readonly string[];
  readonly entries: readonly FileEntry[];
  readonly pages: readonly ObjectPage[];
}

/** `between` runs after each page but the last. */
export async function walk(
  service: ObjectService,
  bucket: string,
  query: { readonly folder: string; readonly limit?: number },
  between: (page: ObjectPage) => Promise<void> = () => Promise.resolve(),
): Promise<Walked> {
  const pages: ObjectPage[] = [];
  let page = await service.listObjects(bucket, query);
  for (;;) {
    pages.push(page);
    if (page.nextPage === null) break;
    await between(page);
    page = await service.listObjects(bucket, { ...query, page: page.nextPage });
  }
  const entries = pages.flatMap(({ objects }) => objects);
  return {
    folders: pages.flatMap(({ folders }) => folders),
    files: entries.map(({ key }) => key),
    entries,
    pages,
  };
}
