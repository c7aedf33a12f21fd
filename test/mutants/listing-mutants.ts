/** How are the rules of List files broken? (§4.11, §7, §9) */
import { errorAnswer, jsonAnswer } from '../../src/server/answer.ts';
import type { Call } from '../../src/server/endpoint.ts';
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type { FileEntry, ObjectPage } from '../../src/service/records.ts';
import type { Operation } from '../../src/service/refusal.ts';
import { breakAnswer, breakDocument, breakOperation, breakPortRefusal, breakRefusal } from './breaking.ts';
import type { Mutants } from './breaking.ts';

const FILE_OPERATIONS: readonly Operation[] = ['listObjects', 'putObject', 'getObject', 'headObject'];

export const listingMutants: Mutants = {
  'leaves out the first name of a listing': () => {
    changePages((page, { page: bookmark }) => (bookmark === undefined ? withoutFirst(page) : page));
  },
  'leaves the folders out of all pages': () => {
    changePages((page) => ({ ...page, folders: [] }));
  },
  'leaves out the first name of each later page': () => {
    changePages((page, { page: bookmark }) => (bookmark === undefined ? page : withoutFirst(page)));
  },
  'says that nothing follows a first page': () => {
    changePages((page) => ({ ...page, nextPage: null }));
  },
  'sends all pages in one': () => {
    breakOperation('listObjects', (whole) => async (bucket, query) => {
      const pages = await allPages(whole, bucket, query);
      const [first] = pages;
      if (first === undefined) throw new Error('a listing has a page at least');
      return { ...first, ...merged(pages), nextPage: null };
    });
  },
  'counts positions in its bookmarks': () => {
    breakOperation('listObjects', (whole) => (bucket, query) => pageAtPosition(whole, bucket, query));
  },
  'counts what is left in its bookmarks': () => {
    breakOperation('listObjects', (whole) => (bucket, query) => pageBeforeEnd(whole, bucket, query));
  },
  'counts files and folders apart': () => {
    breakOperation('listObjects', (whole) => async (bucket, query) => {
      const { folders, objects } = merged(await allPages(whole, bucket, query));
      const { limit = 100, folder } = query;
      if (query.page !== undefined || Math.max(folders.length, objects.length) > limit) {
        return whole(bucket, query);
      }
      return { bucket, folder, folders, objects, skipped: 0, nextPage: null };
    });
  },
  'lists the first of nested folders': () => {
    breakOperation('listObjects', (whole) => (bucket, { folder, ...query }) => {
      return whole(bucket, { ...query, folder: folder.split('/')[0] ?? '' });
    });
  },
  'lists the top from the second page on': () => {
    breakOperation('listObjects', (whole) => async (bucket, query) => {
      const page = await whole(bucket, query);
      if (query.page === undefined) return page;
      return { ...page, objects: page.objects.map(({ key, ...file }) => ({ ...file, key: lastName(key) })) };
    });
  },
  'lists keys without their folders': () => {
    changePages((page) => ({
      ...page,
      objects: page.objects.map(({ key, ...file }) => ({ ...file, key: lastName(key) })),
    }));
  },
  'lists wrong times': () => {
    changePages((page) => ({
      ...page,
      objects: page.objects.map((file) => ({ ...file, lastModified: new Date(0) })),
    }));
  },
  'lists wrong ETags': () => {
    changePages((page) => ({
      ...page,
      objects: page.objects.map((file) => ({ ...file, etag: 'wrong' })),
    }));
  },
  'answers no names to a bookmark that it never issued': () => {
    breakPortRefusal('listObjects', 'stale-bookmark', ([bucket, { folder }]) =>
      Promise.resolve({ bucket, folder, folders: [], objects: [], skipped: 0, nextPage: null }),
    );
  },
  'loses the + of a bookmark': () => {
    breakAnswer('listObjects', (ask, call) =>
      ask(withQuery(call, (name, value) => (name === 'page' ? value.replaceAll('+', ' ') : value))),
    );
  },
  'lists the top whatever folder is asked for': () => {
    breakOperation('listObjects', (whole) => (bucket, query) => whole(bucket, { ...query, folder: '' }));
  },
  'lists folders without a slash': () => {
    changePages((page) => ({ ...page, folders: page.folders.map((folder) => folder.slice(0, -1)) }));
  },
  'lists wrong sizes': () => {
    changePages((page) => ({ ...page, objects: page.objects.map((file) => ({ ...file, size: 999 })) }));
  },
  'ends a listing at a short page': () => {
    changePages((page, { limit = 100 }) =>
      page.folders.length + page.objects.length < limit ? ended(page) : page,
    );
  },
  'ends a listing at a page without folders': () => {
    changePages((page) => (page.folders.length === 0 ? ended(page) : page));
  },
  'ends a listing at an empty page': () => {
    changePages((page) => (page.folders.length + page.objects.length === 0 ? ended(page) : page));
  },
  'ends a listing at a page without files': () => {
    changePages((page) => (page.objects.length === 0 ? ended(page) : page));
  },
  'answers null for files that there are': () => {
    breakDocument('listObjects', (document) => ({ ...document, objects: null }));
  },
  'lists what is below a folder, too': () => {
    breakOperation('listObjects', (whole, service) => async (bucket, query) => {
      const page = await whole(bucket, query);
      const below = await Promise.all(
        page.folders.map((folder) => allPages(whole.bind(service), bucket, { folder: folder.slice(0, -1) })),
      );
      return { ...page, objects: [...page.objects, ...merged(below.flat()).objects] };
    });
  },
  'gives no words in {error}': () => {
    breakRefusal('listObjects', 'stale-bookmark', () => jsonAnswer(400, { problem: 'page' }));
  },
  'puts a listing into an envelope': () => {
    breakDocument('listObjects', (data) => ({ message: 'Listed.', status: 200, data }));
  },
  'does not know folder and page': () => {
    breakAnswer('listObjects', (ask, call) =>
      ask(withQuery(call, (name, value) => (name === 'folder' || name === 'page' ? null : value))),
    );
  },
  'does not tell has_next': () => {
    breakDocument('listObjects', (document) => ({ ...document, has_next: undefined }));
  },
  'answers only below /v1/': () => {
    for (const operation of FILE_OPERATIONS) {
      breakAnswer(operation, () => Promise.resolve(errorAnswer('file', 404, 'There is no such endpoint.')));
    }
  },
};

/** Each page of a listing, as `change` makes it. */
function changePages(change: (page: ObjectPage, query: ListObjectsQuery) => ObjectPage): void {
  breakOperation('listObjects', (whole) => async (bucket, query) => {
    return change(await whole(bucket, query), query);
  });
}

function ended(page: ObjectPage): ObjectPage {
  return { ...page, nextPage: null };
}

function withoutFirst(page: ObjectPage): ObjectPage {
  if (page.folders.length > 0) return { ...page, folders: page.folders.slice(1) };
  return { ...page, objects: page.objects.slice(1) };
}

async function allPages(
  list: ObjectService['listObjects'],
  bucket: string,
  query: ListObjectsQuery,
): Promise<readonly ObjectPage[]> {
  const pages: ObjectPage[] = [];
  for (let page: string | null | undefined = query.page; page !== null; page = pages.at(-1)?.nextPage) {
    pages.push(await list(bucket, { ...query, limit: 1000, ...(page === undefined ? {} : { page }) }));
  }
  return pages;
}

function merged(pages: readonly ObjectPage[]): { folders: string[]; objects: FileEntry[] } {
  return {
    folders: pages.flatMap(({ folders }) => folders),
    objects: pages.flatMap(({ objects }) => objects),
  };
}

async function pageAtPosition(
  list: ObjectService['listObjects'],
  bucket: string,
  { page, limit = 100, ...query }: ListObjectsQuery,
): Promise<ObjectPage> {
  const { folders, objects } = merged(await allPages(list, bucket, query));
  const start = Number(Buffer.from(page ?? '', 'base64').toString());
  const end = start + limit;
  const isLast = end >= folders.length + objects.length;
  return {
    bucket,
    folder: query.folder,
    folders: folders.slice(start, end),
    objects: objects.slice(Math.max(0, start - folders.length), Math.max(0, end - folders.length)),
    skipped: 0,
    nextPage: isLast ? null : Buffer.from(String(end)).toString('base64'),
  };
}

/** As `pageAtPosition`, but the bookmark says how many names were left. */
async function pageBeforeEnd(
  list: ObjectService['listObjects'],
  bucket: string,
  { page, ...query }: ListObjectsQuery,
): Promise<ObjectPage> {
  const { folders, objects } = merged(await allPages(list, bucket, query));
  const all = folders.length + objects.length;
  const left = page === undefined ? all : Number(Buffer.from(page, 'base64').toString());
  const start = Buffer.from(String(all - left)).toString('base64');
  const answer = await pageAtPosition(list, bucket, { ...query, page: start });
  if (answer.nextPage === null) return answer;
  const end = Number(Buffer.from(answer.nextPage, 'base64').toString());
  return { ...answer, nextPage: Buffer.from(String(all - end)).toString('base64') };
}

function lastName(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** The same call with other words behind the `?`; null leaves one out. */
function withQuery(call: Call, change: (name: string, value: string) => string | null): Call {
  const query = new URLSearchParams();
  for (const [name, value] of call.target.query) {
    const changed = change(name, value);
    if (changed !== null) query.append(name, changed);
  }
  return { ...call, target: { ...call.target, query } };
}
