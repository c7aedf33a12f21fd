/** SEMANTICS `[fresh/last-asked]`: what is believed of a name when an answer comes late, after that of a listing which was asked for later? */
import { describe, expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { HeldPages } from '../support/held-pages.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { namesAlone } from '../support/names-alone.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';

const TTL = 10_000;

/** Because nothing is trusted any more that was told before: so long after it is asked for, or because somebody wants that. */
const LATER = ['after the TTL', 'after a refresh'] as const;

/** A folder `d` that nobody has listed; the next answer to be held is made at once, and comes when the test lets it. */
async function scene() {
  const held = new HeldAnswers();
  const test = await openForTest({ between: held.between });
  await test.foreignWrite('d/a', 'x');
  await names(test.fs, '/');
  const passesOver = (later: (typeof LATER)[number]): void => {
    test.clock.advance(later === 'after the TTL' ? TTL + 10 : 10);
    if (later === 'after a refresh') test.mounted.refresh('/');
    test.clock.advance(10);
  };
  return { ...test, held, passesOver };
}

/** A folder `d` of three pages that nobody has listed. Answers for all but the first are made at once, and wait. */
async function sceneOfPages(clock = new ManualClock()) {
  const held = new HeldAnswers();
  const all: HeldPages[] = [];
  const test = await openForTest({
    store: { clock },
    between: (service) => {
      const pages = new HeldPages(service, 3, 'answer');
      all.push(pages);
      return held.between(pages);
    },
  });
  const [pages] = all;
  if (pages === undefined) throw new Error('no pages were held');
  for (const name of ['a', 'b', 'c', 'e', 'g', 'h', 'i']) await test.foreignWrite(`d/${name}`, 'x');
  await names(test.fs, '/');
  return { ...test, pages, held };
}

describe.each(LATER)(
  'a listing that is asked for %s, while a look that began before waits for its answer,',
  (later) => {
    it('goes on showing what others have stored meanwhile [fresh/last-asked]', async () => {
      const { fs, held, foreignWrite, passesOver, asked } = await scene();
      const answer = held.hold('headObject');
      const look = errnoOfCall(fs.getAttributes('/d/f'));
      await answer.made;
      await foreignWrite('d/f', 'xyz');
      passesOver(later);
      await names(fs, '/d');

      answer.letGo();
      await look;
      asked();

      expect(await names(fs, '/d')).toEqual(['a', 'f']);
      expect((await fs.getAttributes('/d/f')).size).toBe(3);
      expect(asked()).toEqual([]);
    });

    it.each([
      ['file', 'd/f', 'headObject'],
      ['folder', 'd/f/inside', 'listObjects'],
    ] as const)(
      'goes on lacking a %s that others have removed meanwhile [fresh/last-asked]',
      async (_kind, key, operation) => {
        const { fs, held, foreignWrite, direct, bucket, passesOver } = await scene();
        await foreignWrite(key, 'x');
        const answer = held.hold(operation);
        const look = errnoOfCall(fs.getAttributes('/d/f'));
        await answer.made;
        await direct.deleteObject(bucket, key);
        passesOver(later);
        await names(fs, '/d');

        answer.letGo();
        await look;

        expect(await names(fs, '/d')).toEqual(['a']);
        expect(await errnoOfCall(fs.getAttributes('/d/f'))).toBe('ENOENT');
      },
    );

    it('has the file asked for again that both tell differently, and who looked is given that [fresh/last-asked]', async () => {
      const { fs, held, foreignWrite, passesOver } = await scene();
      await foreignWrite('d/f', 'x');
      for (let index = 0; index < 1001; index += 1) await foreignWrite(`d/z${index}`, '');
      await names(fs, '/d');
      passesOver('after the TTL');
      const answer = held.hold('headObject');
      const look = fs.getAttributes('/d/f');
      await answer.made;
      await foreignWrite('d/f', 'xyz');
      passesOver(later);
      await names(fs, '/d');

      answer.letGo();

      expect((await look).size).toBe(3);
      expect((await fs.getAttributes('/d/f')).size).toBe(3);
    });
  },
);

it('a listing is believed of a file that is newer, by the times of the service, than what a look from before tells [fresh/last-asked]', async () => {
  const serviceClock = new ManualClock();
  const { fs, clock, pages, asked, held, foreignWrite } = await sceneOfPages(serviceClock);
  pages.letNewPass();
  await names(fs, '/d');
  clock.advance(TTL + 10);
  const answer = held.hold('headObject');
  const look = fs.getAttributes('/d/b');
  await answer.made;
  serviceClock.advance(5000);
  await foreignWrite('d/b', 'xyz');
  clock.advance(TTL + 10);
  await names(fs, '/d');
  asked();

  answer.letGo();

  expect((await look).size).toBe(3);
  expect((await fs.getAttributes('/d/b')).size).toBe(3);
  expect(asked()).toEqual([]);
});

describe('a look that finds what others have just stored is not undone when a listing ends that was under way', () => {
  it('and has one page [fresh/last-asked]', async () => {
    const { namespace, clock, held, requests, direct, bucket } = await namesAlone();
    const answer = held.hold('listObjects');
    const listed = namespace.list('/');
    await answer.made;
    await direct.putObject(bucket, 'f', uploadOf('x'));
    clock.advance(10);
    expect((await namespace.confirmFile('/f'))?.kind).toBe('file');
    requests.reset();

    answer.letGo();

    expect((await listed).recall('f')?.kind).toBe('file');
    expect((await namespace.lookup('/f')).kind).toBe('file');
    expect(requests.operations).toEqual([]);
  });

  it.each(['nobody has listed', 'was listed before'])(
    'and is of several pages in a folder that %s [fresh/last-asked]',
    async (before) => {
      const { fs, clock, pages, asked, direct, bucket, foreignWrite } = await sceneOfPages();
      await foreignWrite('d/f', 'x');
      pages.letNewPass();
      if (before === 'was listed before') await names(fs, '/d');
      else await fs.getAttributes('/d/f');
      pages.hold();
      await direct.deleteObject(bucket, 'd/f');
      clock.advance(TTL + 10);
      const listed = names(fs, '/d');
      for (let page = 2; page < 4; page += 1) {
        await expect.poll(() => pages.waiting).toBe(1);
        if (page < 3) pages.letPass(1);
      }
      await foreignWrite('d/f', 'xyz');
      clock.advance(10);
      expect((await fs.getAttributes('/d/f')).size).toBe(3);
      asked();

      pages.letPass();

      expect(await listed).toContain('f');
      expect((await fs.getAttributes('/d/f')).size).toBe(3);
      expect(asked()).toEqual([]);
    },
  );
});

it('a look is given what it found, though a listing that had passed the name ends before all is told of it [fresh/last-asked]', async () => {
  const { fs, clock, pages, held, foreignWrite } = await sceneOfPages();
  pages.letNewPass();
  await names(fs, '/d');
  pages.hold();
  clock.advance(TTL + 10);
  const listed = names(fs, '/d');
  await expect.poll(() => pages.waiting).toBe(1);
  // Its place is on the first page.
  await foreignWrite('d/aa', 'xyz');
  clock.advance(10);
  const answer = held.hold('listObjects');
  const look = fs.getAttributes('/d/aa');
  await answer.made;
  clock.advance(10);
  pages.letPass();
  await listed;

  answer.letGo();

  expect((await look).size).toBe(3);
});

describe('who asks for the file itself', () => {
  it('is told what is there, though a late listing that was asked for since shows another [fresh/late-listings]', async () => {
    const { namespace, clock, held, direct, bucket, store } = await namesAlone();
    await direct.putObject(bucket, 'f', uploadOf('old'));
    await store.lies.freezeListings();
    await direct.putObject(bucket, 'f', uploadOf('theirs'));
    const answer = held.hold('headObject');
    const confirmed = namespace.confirmFile('/f');
    await answer.made;
    clock.advance(10);
    await namespace.list('/');

    answer.letGo();

    // A rename would delete what it takes for the old file.
    expect(await confirmed).toMatchObject({ kind: 'file', version: { size: 6 } });
    expect(await namespace.lookup('/f')).toMatchObject({ kind: 'file', version: { size: 6 } });
  });

  it('and hears that it is gone has said nothing of a folder that a listing under way shows [fresh/last-asked]', async () => {
    const { namespace, clock, held, direct, bucket } = await namesAlone();
    await direct.putObject(bucket, 'f', uploadOf('x'));
    await namespace.list('/');
    clock.advance(TTL);
    await direct.deleteObject(bucket, 'f');
    await direct.putObject(bucket, 'f/inside', uploadOf('x'));
    const answer = held.hold('listObjects');
    const listed = namespace.list('/');
    await answer.made;
    clock.advance(10);
    expect((await namespace.confirmFile('/f'))?.kind).toBe('missing');

    answer.letGo();

    expect((await listed).recall('f')?.kind).toBe('folder');
  });

  it('and hears that it is gone leaves a folder of its name that a look of before then finds [fresh/last-asked]', async () => {
    const { namespace, clock, held, direct, bucket, requests } = await namesAlone();
    await direct.putObject(bucket, 'f', uploadOf('x'));
    await direct.putObject(bucket, 'f/inside', uploadOf('x'));
    const answer = held.hold('listObjects');
    const look = namespace.lookup('/f');
    await answer.made;
    await expect.poll(() => namespace.known.recall('/f')?.kind).toBe('file');
    clock.advance(10);
    await direct.deleteObject(bucket, 'f');
    expect((await namespace.confirmFile('/f'))?.kind).toBe('missing');

    answer.letGo();

    expect((await look).kind).toBe('folder');
    const asked = requests.count();
    expect((await namespace.lookup('/f')).kind).toBe('folder');
    expect(requests.count()).toBe(asked);
  });

  it('and hears that it is gone has said nothing of a folder of its name, which the next look asks for once the TTL is over since there was a file [fresh/last-asked]', async () => {
    const { namespace, clock, direct, bucket } = await namesAlone();
    await direct.putObject(bucket, 'f', uploadOf('x'));
    await namespace.list('/');
    await direct.deleteObject(bucket, 'f');
    await direct.putObject(bucket, 'f/inside', uploadOf('x'));
    clock.advance(TTL - 10);
    expect((await namespace.confirmFile('/f'))?.kind).toBe('missing');
    expect((await namespace.lookup('/f')).kind).toBe('missing');

    clock.advance(10);

    expect((await namespace.lookup('/f')).kind).toBe('folder');
  });
});

it('the last names of a page that was on its way at a refresh are asked for again [fresh/refresh]', async () => {
  const { fs, clock, pages, mounted, foreignWrite } = await sceneOfPages();
  const listed = names(fs, '/d');
  await expect.poll(() => pages.waiting).toBe(1);
  // The last of its page: a folder of its name might be on the next.
  await foreignWrite('d/h', 'xyz');
  clock.advance(10);
  mounted.refresh('/');
  clock.advance(10);

  pages.letPass();
  await listed;

  expect((await fs.getAttributes('/d/h')).size).toBe(3);
});

it.each([
  ['a refresh', 10, true],
  ['more than a moment', 5000, false],
])(
  'a folder that a look has found is listed from its beginning after %s, with what others have stored meanwhile [fresh/refresh]',
  async (_words, later, isRefreshed) => {
    const { namespace, clock, direct, bucket } = await namesAlone();
    for (let index = 0; index < 1001; index += 1) await direct.putObject(bucket, `d/f${index}`, uploadOf(''));
    await namespace.lookup('/d');
    await direct.putObject(bucket, 'd/a', uploadOf(''));
    clock.advance(10);
    if (isRefreshed) namespace.refresh('/d');
    clock.advance(later);

    // Who has the folder open looks for no name before.
    expect((await namespace.list('/d')).recall('a')?.kind).toBe('file');
  },
);
