/** SEMANTICS: what is believed of a folder that was just made here. */
import { expect, it } from 'vitest';
import { names, openForTest } from '../support/open-for-test.ts';

it('a folder made here is believed empty no longer than it was believed missing', async () => {
  const { fs, clock, foreignWrite } = await openForTest();
  await names(fs, '/');
  await foreignWrite('made/by-others', 'x');
  clock.advance(5000);
  await fs.mkdir('/made', 0o755);

  clock.advance(5000);

  expect(await names(fs, '/made')).toEqual(['by-others']);
});
