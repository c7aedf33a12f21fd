/** SEMANTICS, "Errors": what a program is told of a mounted bucket that somebody else has deleted. */
import { expect, it } from 'vitest';
import { names, openForTest } from '../support/open-for-test.ts';
import { LogForTest } from '../support/program-acts.ts';

it('does not seem empty to who lists it, and the log says why [errors/missing] [list/no-short-listing]', async () => {
  const log = new LogForTest();
  const { fs, clock, direct, bucket, foreignWrite } = await openForTest({ log });
  await foreignWrite('a', 'x');
  expect(await names(fs, '/')).toEqual(['a']);

  await direct.deleteBucket(bucket);
  clock.advance(10_001);

  // ENOENT would be the end of the listing to readdir(3), and no error.
  await expect(names(fs, '/')).rejects.toMatchObject({ code: 'EIO' });
  await expect(fs.getAttributes('/a')).rejects.toMatchObject({ code: 'EIO' });
  expect(log.about('an operation failed')).not.toEqual([]);
});

it('nor does a folder of it that was known before, and not a 404 of a folder alone is such an end [errors/missing]', async () => {
  const { fs, direct, bucket, foreignWrite } = await openForTest({
    store: { behaviours: { missingFolder: 'missing' } },
  });
  for (const key of ['gone/a', 'd/a', 'stays']) await foreignWrite(key, 'x');
  expect(await names(fs, '/')).toEqual(['d', 'gone', 'stays']);

  await direct.deleteObject(bucket, 'gone/a');
  expect(await names(fs, '/gone')).toEqual([]);
  await direct.deleteBucket(bucket);

  await expect(names(fs, '/d')).rejects.toMatchObject({ code: 'EIO' });
});
