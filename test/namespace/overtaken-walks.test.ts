/** SEMANTICS `[fresh/last-asked]`: what is seen of a folder that is listed anew while an older listing of it is still under way? */
import { describe, expect, it } from 'vitest';
import type { DirectoryEntry } from '../../src/filesystem/operations.ts';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { HeldPages } from '../support/held-pages.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { nothingKept } from '../support/nothing-kept.ts';
import { names, openForTest, type FileSystemForTest } from '../support/open-for-test.ts';
import { LogForTest } from '../support/program-acts.ts';

const PAGE = 3;
/** More than two pages. */
const NAMES = ['a', 'b', 'c', 'e', 'f', 'g', 'h', 'i'];

interface Scene extends FileSystemForTest {
  readonly pages: HeldPages;
  readonly serviceClock: ManualClock;
  /** Nothing that was told before is trusted; what is asked from now on leaves later. */
  readonly refresh: () => void;
  readonly foreignDelete: (key: string) => Promise<unknown>;
}

/** A folder `d` with files, which nobody has listed. Answers for its later pages are made at once, and wait. */
async function scene(metadataTtl = 10_000): Promise<Scene> {
  const held: HeldPages[] = [];
  const serviceClock = new ManualClock();
  const opened = await openForTest({
    store: { clock: serviceClock },
    settings: { metadataTtl },
    between: (service) => {
      const pages = new HeldPages(service, PAGE, 'answer');
      held.push(pages);
      return pages;
    },
  });
  const [pages] = held;
  if (pages === undefined) throw new Error('no pages were held');
  for (const name of NAMES) await opened.foreignWrite(`d/${name}`, 'x');
  await names(opened.fs, '/');
  const refresh = (): void => {
    opened.clock.advance(10);
    opened.mounted.refresh('/');
    opened.clock.advance(10);
  };
  const foreignDelete = (key: string): Promise<unknown> => opened.direct.deleteObject(opened.bucket, key);
  return { ...opened, pages, serviceClock, refresh, foreignDelete };
}

/** Begins a listing of `/d`; resolves when its second page is on its way. */
async function listingUnderWay({ fs, pages }: Scene): Promise<{ readonly listed: Promise<string[]> }> {
  const { waiting } = pages;
  const listed = names(fs, '/d');
  await expect.poll(() => pages.waiting).toBe(waiting + 1);
  return { listed };
}

async function identitiesOf({ fs }: Scene): Promise<Map<string, number>> {
  const entries = await entriesOf(fs, '/d');
  return new Map(entries.map(({ name, attributes }) => [name, attributes.identity]));
}

describe('a folder that is listed after a refresh, while an older listing is under way,', () => {
  it('has what came back since, though that listing ends first [fresh/last-asked]', async () => {
    const test = await scene();
    const { fs, clock, pages, foreignWrite, foreignDelete, refresh } = test;
    // A program knows the name.
    expect((await fs.getAttributes('/d/b')).size).toBe(1);
    await foreignDelete('d/b');
    clock.advance(10_000);
    const older = await listingUnderWay(test);
    await foreignWrite('d/b', 'xyz');
    refresh();
    const newer = await listingUnderWay(test);

    pages.letPass();
    await older.listed;

    expect(await newer.listed).toEqual(NAMES);
    expect(await names(fs, '/d')).toEqual(NAMES);
    expect((await fs.getAttributes('/d/b')).size).toBe(3);
  });

  it('has nothing that only the older one shows, whichever page comes first [fresh/last-asked]', async () => {
    const test = await scene();
    const { pages, foreignDelete, refresh } = test;
    await listingUnderWay(test);
    await foreignDelete('d/f');
    refresh();
    const newer = await listingUnderWay(test);

    pages.letPass();

    expect(await newer.listed).toEqual(NAMES.filter((name) => name !== 'f'));
  });

  it.each(['ends', 'fails'])(
    'stays as that listing told when the older one goes on and %s [fresh/last-asked]',
    async (end) => {
      const test = await scene();
      const { fs, pages, asked, foreignDelete, foreignWrite, refresh } = test;
      const older = await listingUnderWay(test);
      const olderEnd = older.listed.catch(() => 'fails');
      await foreignDelete('d/f');
      await foreignWrite('d/aa', 'x');
      refresh();
      const newest = await identitiesAtOnce(test);

      pages.letPass(1);
      await expect.poll(() => pages.waiting).toBe(1);
      if (end === 'fails') pages.refuseNext('unavailable');
      asked();
      pages.letPass();
      const ended = await olderEnd;

      expect(ended).toEqual(end === 'fails' ? 'fails' : expect.arrayContaining(['a', 'b', 'g', 'i']));
      expect([...newest.keys()].sort()).toEqual(['a', 'aa', 'b', 'c', 'e', 'g', 'h', 'i']);
      expect(await identitiesOf(test)).toEqual(newest);
      await expect(fs.getAttributes('/d/f')).rejects.toMatchObject({ code: 'ENOENT' });
      expect(asked().filter((line) => line === 'listObjects d' || line.includes('d/f'))).toEqual([]);
    },
  );

  it('is believed of a file that is newer, by the times of the service, than what the older one shows [fresh/last-asked]', async () => {
    const test = await scene();
    const { fs, pages, asked, serviceClock, foreignWrite, refresh } = test;
    const older = await listingUnderWay(test);
    serviceClock.advance(5000);
    await foreignWrite('d/f', 'xyz');
    refresh();
    await identitiesAtOnce(test);
    asked();

    pages.letPass();
    await older.listed;

    expect((await fs.getAttributes('/d/f')).size).toBe(3);
    expect(asked().filter((line) => line.startsWith('headObject'))).toEqual([]);
  });

  it('is trusted for no longer than its own listing allows, however long the older one has taken [fresh/long-listings]', async () => {
    const test = await scene();
    const { fs, clock, pages, asked, foreignWrite, refresh } = test;
    // A fourth page.
    for (const name of ['j', 'k']) await foreignWrite(`d/${name}`, 'x');
    const older = await listingUnderWay(test);
    const olderEnd = older.listed.catch(() => 'fails');
    clock.advance(40_000);
    refresh();
    await identitiesAtOnce(test);
    for (let page = 2; page < 4; page += 1) {
      pages.letPass(1);
      await expect.poll(() => pages.waiting).toBe(1);
    }
    pages.refuseNext('unavailable');
    pages.letPass();
    await olderEnd;
    clock.advance(15_000);
    asked();

    await fs.getAttributes('/d/a');

    expect(asked()).toContain('headObject d/a');
  });

  it('has a folder where others have made one of a file that the older one still shows [fresh/last-asked]', async () => {
    const test = await scene();
    const { fs, pages, asked, foreignDelete, foreignWrite, refresh } = test;
    const older = await listingUnderWay(test);
    await foreignDelete('d/f');
    await foreignWrite('d/f/inside', 'x');
    refresh();
    expect((await fs.getAttributes('/d/f')).kind).toBe('folder');

    pages.letPass();
    await older.listed;
    asked();

    expect((await fs.getAttributes('/d/f')).kind).toBe('folder');
    expect(asked()).toEqual([]);
  });
});

describe('with metadata_ttl=0, where each listing is asked for anew,', () => {
  it('one shows what was stored before it began, though an older one ends later [fresh/last-asked]', async () => {
    const test = await scene(0);
    const { clock, pages, requests, foreignWrite } = test;
    const older = await listingUnderWay(test);
    await foreignWrite('d/ff', 'x');
    clock.advance(10);
    pages.letNewPass();
    const newer = reading(test);
    // The program is busy with what it was given first.
    const shown = await namesOfNext(newer);
    const pagesAsked = (): number => requests.all.filter(({ folder }) => folder === 'd').length;
    await expect.poll(pagesAsked).toBe(2 + 3);

    pages.letPass();
    await older.listed;
    for (let next = await namesOfNext(newer); next.length > 0; next = await namesOfNext(newer))
      shown.push(...next);

    expect(shown.sort()).toEqual([...NAMES, 'ff'].sort());
  });

  it('files are the same files for who reads the older one', async () => {
    const test = await scene(0);
    const { clock, pages } = test;
    const before = await identitiesAtOnce(test);
    clock.advance(10);
    const older = identitiesOf(test);
    await expect.poll(() => pages.waiting).toBe(1);
    clock.advance(10);
    const newer = identitiesOf(test);
    await expect.poll(() => pages.waiting).toBe(2);

    pages.letPass();

    expect([await older, await newer, await identitiesOf(test)]).toEqual([before, before, before]);
  });
});

it('a folder that the memory does not hold is listed whole, though one of its names is asked for meanwhile [list/no-short-listing]', async () => {
  const { service, direct, bucket } = await openEmbeddedService();
  for (let index = 0; index < 100; index += 1) await direct.putObject(bucket, `d/${index}`, uploadOf('x'));
  const namespace = new Namespace({
    store: new BucketStore(service, bucket, createGates()),
    clock: new ManualClock(),
    log: new LogForTest(),
    ttl: 10_000,
    folders: new FolderMemory(new NamesRoom(4000)),
    locals: nothingKept,
  });
  await namespace.lookup('/d');

  const shown: string[] = [];
  for await (const batch of namespace.batches('/d')) {
    await namespace.confirmFile('/d/7');
    shown.push(...[...batch.names].filter((name) => batch.peek(name)?.kind === 'file'));
  }

  expect(shown).toHaveLength(100);
});

/** All of it at once. Other listings that wait for a page go on waiting, and wait for the next one, too. */
async function identitiesAtOnce(test: Scene): Promise<Map<string, number>> {
  test.pages.letNewPass();
  const identities = await identitiesOf(test);
  test.pages.hold();
  return identities;
}

/** A program that begins to read `/d`, and goes on when it likes. */
function reading({ fs }: Scene): AsyncIterator<readonly DirectoryEntry[], unknown> {
  return fs.readDirectory('/d')[Symbol.asyncIterator]();
}

/** None at the end. */
async function namesOfNext(reader: AsyncIterator<readonly DirectoryEntry[], unknown>): Promise<string[]> {
  const step = await reader.next();
  return step.done === true ? [] : step.value.map(({ name }) => name);
}
