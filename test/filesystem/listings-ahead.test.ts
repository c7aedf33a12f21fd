/** Programs that read a tree wait for few listings, and ask for none in vain. */
import { describe, expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  names,
  openForTest,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { RoundTrips } from '../support/round-trips.ts';

const TTL = 10_000;

interface Far extends FileSystemForTest {
  readonly trips: RoundTrips;
}

/** Two names a page. */
class FewAPage extends InterceptedService {
  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  override listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    return super.listObjects(bucket, { ...query, limit: 2 });
  }
}

async function openFar({ between = (service) => service, ...options }: TestOptions = {}): Promise<Far> {
  let trips: RoundTrips | undefined;
  const far = (service: ObjectService): ObjectService => (trips = new RoundTrips(between(service)));
  const test = await openForTest({ ...options, between: far });
  if (trips === undefined) throw new Error('nothing is between');
  return { ...test, trips };
}

/** As `find` goes: into each folder before the next one. `visit` may say not to go into a folder. */
async function find(
  fs: FileSystemOperations,
  path: string,
  visit: (folder: string) => boolean | Promise<boolean> = () => true,
): Promise<number> {
  let count = 0;
  for (const { name, attributes } of await entriesOf(fs, path)) {
    count += 1;
    const below = path === '/' ? `/${name}` : `${path}/${name}`;
    if (attributes.kind === 'folder' && (await visit(below))) count += await find(fs, below, visit);
  }
  return count;
}

/** `wide` folders in each folder, `deep` levels of them, a file at the bottom of each; returns how many folders there are, the top included. */
async function grow({ foreignWrite }: FileSystemForTest, wide: number, deep: number): Promise<number> {
  let level = [''];
  let folders = 1;
  for (let depth = 0; depth < deep; depth += 1) {
    level = level.flatMap((prefix) =>
      Array.from({ length: wide }, (_, index) => `${prefix}d${String(index).padStart(3, '0')}/`),
    );
    folders += level.length;
  }
  for (const folder of level) await foreignWrite(`${folder}file`, '');
  return folders;
}

describe('a program that reads a tree', () => {
  it.each([
    { wide: 100, deep: 1, trips: 20 },
    { wide: 10, deep: 2, trips: 40 },
    { wide: 2, deep: 6, trips: 80 },
  ])(
    'of $wide folders in each of $deep levels waits for few answers, and costs its listings [list/ahead]',
    async ({ wide, deep, trips: most }) => {
      const test = await openFar();
      const { fs, asked, trips } = test;
      const folders = await grow(test, wide, deep);

      await find(fs, '/');

      const requests = asked();
      expect(requests).toHaveLength(folders);
      expect(new Set(requests).size).toBe(folders);
      expect(trips.count).toBeLessThanOrEqual(most);
      expect(trips.widest).toBeGreaterThan(1);
      expect(trips.widest).toBeLessThanOrEqual(8);
    },
  );

  it('whose folders have several pages costs each page once [list/ahead]', async () => {
    const test = await openFar();
    const { fs, foreignWrite, asked } = test;
    for (let folder = 0; folder < 6; folder += 1) {
      for (let index = 0; index < 1100; index += 1) await foreignWrite(`d${folder}/f${index}`, '');
    }

    await find(fs, '/');

    expect(asked().sort()).toEqual(
      ['', ...[0, 1, 2, 3, 4, 5].flatMap((folder) => [` d${folder}`, ` d${folder}`])].map(
        (folder) => `listObjects${folder}`,
      ),
    );
  });

  it('whose folders take long to list costs each page once, however far away the service is [list/ahead]', async () => {
    const test = await openFar({ between: (service) => new FewAPage(service) });
    const { fs, foreignWrite, asked, clock, trips } = test;
    for (let folder = 0; folder < 7; folder += 1) {
      for (let index = 0; index < 11; index += 1) await foreignWrite(`d${folder}/f${index}`, '');
    }
    trips.atEach = () => {
      clock.advance(200);
    };

    await find(fs, '/');

    expect(asked()).toHaveLength(4 + 7 * 6);
  });

  it('and stays in each folder for longer than listings are believed costs each listing once [list/ahead]', async () => {
    const test = await openFar();
    const { fs, clock, asked } = test;
    await grow(test, 20, 1);
    const folders = (await names(fs, '/')).map((name) => `/${name}`);
    asked();

    for (const folder of folders) {
      await names(fs, folder);
      clock.advance(TTL + 1000);
    }

    // The top is listed anew each time.
    const listings = asked().filter((line) => line !== 'listObjects');
    expect(listings).toEqual(folders.map((folder) => `listObjects ${folder.slice(1)}`));
  });

  it('and goes no deeper than one level asks for nothing below it [list/ahead]', async () => {
    const test = await openFar();
    const { fs, asked } = test;
    await grow(test, 20, 2);

    await find(fs, '/', (folder) => folder.split('/').length === 2);

    expect(asked()).toHaveLength(21);
  });

  it('sees what is made, and what is gone, here while it is on its way [fresh/own-changes]', async () => {
    const test = await openFar();
    const { fs } = test;
    await grow(test, 20, 1);
    const found: string[] = [];

    await find(fs, '/', async (folder) => {
      if (folder === '/d005') {
        await writeFile(fs, '/d006/new', 'x');
        await fs.unlink('/d007/file');
      }
      for (const name of await names(fs, folder)) found.push(`${folder}/${name}`);
      return true;
    });

    expect(found).toContain('/d006/new');
    expect(found).not.toContain('/d007/file');
    expect(found).toHaveLength(20);
  });

  it('sees what the service has once somebody asks for that, whatever was asked for ahead [fresh/refresh]', async () => {
    const test = await openFar();
    const { fs, mounted, foreignWrite, asked } = test;
    await grow(test, 20, 1);
    await names(fs, '/');
    for (let index = 0; index < 5; index += 1) await names(fs, `/d00${index}`);
    // Some are there by then, and some under way.
    await foreignWrite('d005/new', 'x');
    await foreignWrite('d006/new', 'x');

    mounted.refresh('/');
    asked();

    expect(await names(fs, '/d005')).toEqual(['file', 'new']);
    expect(await names(fs, '/d006')).toEqual(['file', 'new']);
    expect(asked()).toContain('listObjects d006');
  });

  it('sees what the service has once the TTL is over, however early it was asked for [fresh/ttl]', async () => {
    const test = await openFar();
    const { fs, clock, foreignWrite } = test;
    await grow(test, 20, 1);
    let seen: string[] = [];

    await find(fs, '/', async (folder) => {
      if (folder === '/d010') {
        await foreignWrite('d011/new', 'x');
        clock.advance(TTL);
      }
      if (folder === '/d011') seen = await names(fs, folder);
      return true;
    });

    expect(seen).toEqual(['file', 'new']);
  });
});

/** More than it takes until all that was asked is answered: turns of the event loop, since time may pass without any. */
const TURNS = 500;

async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('what is asked for in vain', () => {
  it('is nothing when a program lists one folder, or two [list/ahead]', async () => {
    const test = await openFar();
    const { fs, asked } = test;
    await grow(test, 20, 2);

    await names(fs, '/');
    await names(fs, '/d000');
    await names(fs, '/d010');
    await names(fs, '/d011');

    expect(asked()).toHaveLength(4);
  });

  it('is a page at most where a program lists the first two folders, and three where it lists three [list/ahead]', async () => {
    const test = await openFar();
    const { fs, asked } = test;
    await grow(test, 20, 1);
    await names(fs, '/');
    await names(fs, '/d000');
    await names(fs, '/d001');
    await settled();
    expect(asked()).toHaveLength(4);
    await names(fs, '/d002');
    await settled();

    expect(asked()).toHaveLength(2);
  });

  it('ends with the first folder that was not foreseen [list/ahead]', async () => {
    const test = await openFar();
    const { fs, asked } = test;
    await grow(test, 40, 1);
    await names(fs, '/');
    for (let index = 0; index < 8; index += 1) await names(fs, `/d00${index}`);
    await names(fs, '/d030');
    asked();

    await names(fs, '/d025');

    expect(asked()).toEqual(['listObjects d025']);
  });

  it('is nothing where nothing is trusted, and nothing that would be old before the program comes to it [list/ahead]', async () => {
    const untrusting = await openFar({ settings: { metadataTtl: 0 } });
    await grow(untrusting, 10, 1);
    await find(untrusting.fs, '/');
    expect(untrusting.trips.widest).toBe(1);
    const slow = await openFar();
    await grow(slow, 20, 1);

    await find(slow.fs, '/', () => {
      slow.clock.advance(TTL / 3);
      return true;
    });

    const folders = slow.asked().filter((line) => line !== 'listObjects');
    expect(folders).toHaveLength(20);
  });

  it('and what the service refuses is asked again by the program itself, which hears of it [list/ahead]', async () => {
    const test = await openFar();
    const { fs, faults, asked } = test;
    await grow(test, 20, 1);
    await names(fs, '/');
    for (let index = 0; index < 5; index += 1) await names(fs, `/d00${index}`);
    await settled();
    faults.add({ times: 1, fault: { kind: 'status', status: 503 } });
    await names(fs, '/d005');
    await settled();
    asked();

    expect(await find(fs, '/')).toBe(40);

    // Of the others each was there, or is asked for now: the one that failed among them.
    expect(new Set(asked()).size).toBeLessThan(15);
  });
});
