/** SEMANTICS: only a file that was stored here a moment ago is renamed without another look at its old name. What others have stored there stays. */
import { expect, it } from 'vitest';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';

const TTL = 10_000;

it('a file that was stored here long ago, and listed a moment ago, is looked at [rename/version]', async () => {
  const { fs, clock, foreignWrite, stored } = await openForTest();
  await writeFile(fs, '/f', 'mine');
  clock.advance(TTL + 1);
  await names(fs, '/');
  await foreignWrite('f', 'theirs');

  await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'ESTALE' });

  expect((await stored('f')).toString()).toBe('theirs');
  expect(await names(fs, '/')).toEqual(['f']);
});

it('so is one that was stored here just before, once its copy has taken longer than a moment [rename/version]', async () => {
  const { fs, service, clock, foreignWrite, stored } = await openForTest();
  await writeFile(fs, '/f', 'mine');
  const copying = holdNext(service, 'putObject');

  const renamed = fs.rename('/f', '/g', false).catch((error: unknown) => error);
  await copying.begun;
  clock.advance(1000);
  await foreignWrite('f', 'theirs');
  copying.letGo();

  expect(await renamed).toMatchObject({ code: 'ESTALE' });
  expect((await stored('f')).toString()).toBe('theirs');
  expect(await names(fs, '/')).toEqual(['f']);
});
