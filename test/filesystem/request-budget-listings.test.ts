/** The request budget (design §4): what listings and looks cost, exactly, of a service that pages plainly and of one that takes every liberty. */
import { describe, expect, it } from 'vitest';
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, type FileSystemForTest, type TestOptions } from '../support/open-for-test.ts';

const TTL = 10_000;

interface Counting extends FileSystemForTest {
  /** The pages that the service has of a folder, and how many of them, from the first on, hold nothing. */
  readonly pagesOf: (folder: string) => Promise<{ readonly all: number; readonly empty: number }>;
  /** How many of each were asked since the last call. */
  readonly counts: () => Readonly<Record<string, number>>;
}

async function counting(options: TestOptions = {}): Promise<Counting> {
  const test = await openForTest(options);
  const { direct, bucket, asked } = test;
  return {
    ...test,
    pagesOf: async (folder) => {
      const pages: ObjectPage[] = [];
      for (let page: string | null | undefined; page !== null; page = pages.at(-1)?.nextPage ?? null) {
        pages.push(await direct.listObjects(bucket, { folder, limit: 1000, ...(page != null && { page }) }));
      }
      const first = pages.findIndex(({ folders, objects }) => folders.length + objects.length > 0);
      return { all: pages.length, empty: first === -1 ? pages.length : first };
    },
    counts: () => {
      const counts: Record<string, number> = {};
      for (const line of asked()) counts[line] = (counts[line] ?? 0) + 1;
      return counts;
    },
  };
}

/** `count` files in `folder`, stored by somebody else. */
async function fill({ foreignWrite }: FileSystemForTest, folder: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await foreignWrite(`${folder}f${index}`, '');
}

describe.each(['ordinary', 'nasty'] as const)('of a service whose pages are %s', (pages) => {
  const open = (): Promise<Counting> => counting({ store: { behaviours: { pages } } });

  it('a listing costs its pages, and the attributes of all names nothing', async () => {
    const test = await open();
    const { fs, pagesOf, counts } = test;
    await fill(test, '', 2500);

    expect(await names(fs, '/')).toHaveLength(2500);
    expect(counts()).toEqual({ listObjects: (await pagesOf('')).all });
    for (let index = 0; index < 2500; index += 1) await fs.getAttributes(`/f${index}`);

    expect(counts()).toEqual({});
  });

  it('a walk costs the pages of its folders, and within the TTL nothing again', async () => {
    const test = await open();
    const { fs, foreignWrite, pagesOf, counts, clock } = test;
    await fill(test, 'a/b/', 1500);
    await foreignWrite('a/d', '');
    await foreignWrite('e/f', '');
    const walk = async (): Promise<void> => {
      for (const folder of ['/', '/a', '/a/b', '/e']) await names(fs, folder);
    };

    await walk();
    expect(counts()).toEqual({
      listObjects: (await pagesOf('')).all,
      'listObjects a': (await pagesOf('a')).all,
      'listObjects a/b': (await pagesOf('a/b')).all,
      'listObjects e': (await pagesOf('e')).all,
    });
    clock.advance(TTL - 1);
    await walk();
    await expect(fs.getAttributes('/a/b/absent')).rejects.toMatchObject({ code: 'ENOENT' });

    expect(counts()).toEqual({});
  });

  it('a look into an unlisted folder costs a HEAD and what shows whether it is a folder, which its listing goes on from', async () => {
    const test = await open();
    const { fs, pagesOf, counts } = test;
    await fill(test, 'long/', 2500);
    const { all, empty } = await pagesOf('long');

    await fs.getAttributes('/long/f5');
    expect(counts()).toEqual({
      'headObject long': 1,
      'listObjects long': empty + 1,
      'headObject long/f5': 1,
      'listObjects long/f5': (await pagesOf('long/f5')).all,
    });
    expect(await names(fs, '/long')).toHaveLength(2500);

    expect(counts()).toEqual({ 'listObjects long': all - empty - 1 });
  });

  it('a look that finds neither file nor folder costs the listing of the folder above, once', async () => {
    const test = await open();
    const { fs, foreignWrite, pagesOf, counts } = test;
    await foreignWrite('here', '');

    await expect(fs.getAttributes('/absent')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(counts()).toEqual({
      'headObject absent': 1,
      'listObjects absent': (await pagesOf('absent')).all,
      listObjects: (await pagesOf('')).all,
    });
    await expect(fs.getAttributes('/other')).rejects.toMatchObject({ code: 'ENOENT' });
    await fs.getAttributes('/here');

    expect(counts()).toEqual({});
  });

  it('a name of a long listing is renewed by one HEAD, a folder by what shows that it is one', async () => {
    const test = await open();
    const { fs, foreignWrite, pagesOf, counts, clock } = test;
    await fill(test, '', 2500);
    await foreignWrite('folder/x', '');
    await names(fs, '/');
    clock.advance(TTL);
    counts();

    await Promise.all([fs.getAttributes('/f7'), fs.getAttributes('/f7')]);
    expect(counts()).toEqual({ 'headObject f7': 1 });
    await fs.getAttributes('/folder');

    expect(counts()).toEqual({ 'listObjects folder': (await pagesOf('folder')).empty + 1 });
  });

  it('names of a long listing cost one HEAD each for as many as it has pages, then its pages once, and then nothing [list/renewed]', async () => {
    const test = await open();
    const { fs, pagesOf, counts, clock } = test;
    await fill(test, '', 2500);
    await names(fs, '/');
    clock.advance(TTL);
    counts();
    const { all } = await pagesOf('');
    const look = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index += 1) await fs.getAttributes(`/f${index}`);
    };

    await look(0, all);
    const heads = Object.fromEntries(Array.from({ length: all }, (_, index) => [`headObject f${index}`, 1]));
    expect(counts()).toEqual(heads);
    await look(all, all + 1);
    // Whoever lists it meanwhile reads along.
    await names(fs, '/');
    expect(counts()).toEqual({ [`headObject f${all}`]: 1, listObjects: all });
    await look(all + 1, 2500);

    expect(counts()).toEqual({});
  });

  it('a listing costs its pages once, however many programs list the folder and look at its names', async () => {
    const test = await open();
    const { fs, pagesOf, counts } = test;
    await fill(test, '', 2500);

    await Promise.all([1, 2, 3].map(() => names(fs, '/')));

    expect(counts()).toEqual({ listObjects: (await pagesOf('')).all });
  });
});

describe('a service that changes its mind while a folder is listed', () => {
  it('and refuses a bookmark is asked from the beginning, once', async () => {
    const test = await counting({ between: (service) => new StaleOnce(service, 2) });
    const { fs, counts } = test;
    await fill(test, '', 2500);

    expect(await names(fs, '/')).toHaveLength(2500);

    // Two pages, the refusal, and all three anew.
    expect(counts()).toEqual({ listObjects: 2 + 3 });
  });

  it('and gives names twice is asked no more for it', async () => {
    const test = await counting({ between: (service) => new Repeating(service) });
    const { fs, counts } = test;
    await fill(test, '', 2500);

    expect(await names(fs, '/')).toHaveLength(2500);
    await fs.getAttributes('/f999');

    expect(counts()).toEqual({ listObjects: 3 });
  });
});

/** Refuses one bookmark. */
class StaleOnce extends InterceptedService {
  /** `after`: so many pages. */
  constructor(inner: ObjectService, after: number) {
    let pages = 0;
    super(inner, async (call, proceed) => {
      pages += call.operation === 'listObjects' ? 1 : 0;
      if (call.operation !== 'listObjects' || pages !== after + 1) return proceed();
      throw new Refusal('stale-bookmark', 'as the test wants', { operation: 'listObjects' });
    });
  }
}

/** Begins each page with the last ten entries of the one before. */
class Repeating extends InterceptedService {
  #last: ObjectPage['objects'] = [];

  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  override async listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    const page = await super.listObjects(bucket, query);
    const objects = [...this.#last, ...page.objects];
    this.#last = page.objects.slice(-10);
    return { ...page, objects };
  }
}
