/** SEMANTICS: the local disk is full of what the service refuses for good: a writer hears of that, and waits for nobody. */
import { expect, it } from 'vitest';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToRead, openToRewrite } from '../support/program-acts.ts';

const MOST_OF_IT = new Uint8Array(80_000);

it('also while a program has that open to read [write/no-space]', async () => {
  const scene = await openForTest({ settings: { writeBack: true, cache: 'disk', cacheSize: 100_000 } });
  const { fs, faults, clock, mounted } = scene;
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
  await writeFile(fs, '/a', MOST_OF_IT);
  const reader = await openToRead(fs, '/a');
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list())[0]?.state).toBe('failed');

  const other = await openToRewrite(fs, '/b');
  let outcome = 'waits';
  void errnoOfCall(fs.write(other, MOST_OF_IT, 0)).then((errno) => (outcome = errno));
  await expect
    .poll(() => {
      clock.advance(1000);
      return outcome;
    })
    .toBe('ENOSPC');

  await fs.release(other);
  await fs.release(reader);
  expect(await mounted.unsent.list()).toMatchObject([{ path: '/a', state: 'set aside' }]);
});
