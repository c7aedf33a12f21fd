/** Does a bucket hold what was written, and nothing else? Only then is a write over. */
import type { ObjectService } from '../../src/service/object-service.ts';
import type { FileEntry, ObjectPage } from '../../src/service/records.ts';

/** What the store must hold of a file. */
export interface ExpectedFile {
  readonly key: string;
  readonly size: number;
  /** MD5, hexadecimal. */
  readonly etag: string;
}

/** How many files are missing, not as they should be, or too many; folders with nothing in them are too many. */
export async function differenceOf(
  service: ObjectService,
  bucket: string,
  files: readonly ExpectedFile[],
): Promise<number> {
  const missing = new Map(files.map((file) => [file.key, file]));
  let odd = 0;
  const look = ({ key, size, etag }: FileEntry): void => {
    const expected = missing.get(key);
    if (expected?.size === size && expected.etag === etag) missing.delete(key);
    else odd += 1;
  };
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const page of pagesOf(service, bucket, folder)) {
      odd += page.folders.filter((name) => !files.some(({ key }) => key.startsWith(name))).length;
      folders.push(...page.folders.map((name) => name.slice(0, -1)));
      // A folder's own entry, as S3 clients make them, is no file.
      for (const entry of page.objects) if (entry.key !== `${page.folder}/`) look(entry);
    }
  }
  return missing.size + odd;
}

async function* pagesOf(service: ObjectService, bucket: string, folder: string): AsyncGenerator<ObjectPage> {
  for (let page: string | undefined | null; page !== null;) {
    const answer: ObjectPage = await service.listObjects(bucket, {
      folder,
      limit: 1000,
      ...(page !== undefined && { page }),
    });
    yield answer;
    page = answer.nextPage;
  }
}
