/** SEMANTICS: with write-back a person asks that what waits be tried again, and the service refuses it for good. */
import { expect, it } from 'vitest';
import { openForTest, names, writeFile } from '../support/open-for-test.ts';

it('what waits and is refused for good when a person has it tried again is set aside at once [uploads/retry] [write-back/refused]', async () => {
  const { fs, mounted, faults, clock } = await openForTest({ settings: { writeBack: true } });
  faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
  await writeFile(fs, '/f', 'promised');
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list()).map(({ state }) => state)).toEqual(['failed']);
  faults.clear();
  faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });

  const [outcome] = await mounted.unsent.retry(null);

  expect(outcome).toMatchObject({ isDone: false });
  expect((await mounted.unsent.list()).map(({ state }) => state)).toEqual(['set aside']);
  expect(await names(fs, '/')).toEqual([]);
});
