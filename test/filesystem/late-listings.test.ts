/** SEMANTICS: what a program sees of a service whose listings lag behind what is stored. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';

const TTL = 10_000;
const ROUNDS = 3;
/** Somebody else's files beside: a folder of one page is looked at in another way than one of two. */
const BESIDE: readonly (readonly [string, number])[] = [
  ['one page', 0],
  ['two pages', 1001],
];

describe.each(BESIDE)('in a folder of %s whose listings are late', (_pages, beside) => {
  let test: FileSystemForTest;
  beforeEach(async () => {
    const serviceClock = new ManualClock();
    test = await openForTest({ store: { clock: serviceClock } });
    const { fs, foreignWrite, store } = test;
    for (let index = 0; index < beside; index += 1) await foreignWrite(`x${index}`, '');
    await foreignWrite('f', 'old');
    await names(fs, '/');
    await store.lies.freezeListings();
    serviceClock.advance(5000);
  });

  it('a file that was saved here is the saved one [fresh/late-listings]', async () => {
    const { fs, clock } = test;
    await writeFile(fs, '/f', 'saved here');

    for (let round = 0; round < ROUNDS; round += 1) {
      clock.advance(TTL);
      expect(await names(fs, '/')).toContain('f');
      expect((await fs.getAttributes('/f')).size).toBe(10);
      expect((await readFile(fs, '/f')).toString()).toBe('saved here');
    }
  });

  it('a file that somebody else replaced is ESTALE at most once, and the new one from then on [fresh/late-listings]', async () => {
    const { fs, clock, foreignWrite } = test;
    await foreignWrite('f', 'theirs');
    clock.advance(TTL);
    await names(fs, '/');

    await expect(readFile(fs, '/f')).rejects.toMatchObject({ code: 'ESTALE' });
    for (let round = 0; round < ROUNDS; round += 1) {
      expect((await readFile(fs, '/f')).toString()).toBe('theirs');
      clock.advance(TTL);
      await names(fs, '/');
    }
  });

  it('a file that somebody else deleted is missing as soon as it was asked for [fresh/late-listings]', async () => {
    const { fs, clock, direct, bucket } = test;
    await direct.deleteObject(bucket, 'f');
    clock.advance(TTL);
    await names(fs, '/');

    await expect(readFile(fs, '/f')).rejects.toMatchObject({ code: 'ESTALE' });
    await expect(readFile(fs, '/f')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.getAttributes('/f')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
