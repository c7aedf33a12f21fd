/** What do programs cost that begin to work in one folder side by side? design.md §4: each alone asks for its own name. */
import { expect, it } from 'vitest';
import { openForTest } from '../support/open-for-test.ts';

it('asks for the first name, and lists the folder once for all the others [list/beside]', async () => {
  const { fs, foreignWrite, asked } = await openForTest();
  await foreignWrite('here', '');

  const looks = ['/a', '/b', '/here', '/c'].map((path) => fs.getAttributes(path));
  const ends = await Promise.allSettled(looks);

  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected']);
  expect(asked().sort()).toEqual(['headObject a', 'listObjects', 'listObjects a']);
});

it('asks for each name where one page does not show it, and for the page once [list/beside]', async () => {
  const { fs, foreignWrite, asked } = await openForTest();
  for (let index = 0; index < 1001; index += 1) await foreignWrite(`long/f${index}`, '');
  await fs.getAttributes('/long');
  asked();

  await Promise.all(['/long/f997', '/long/f998', '/long/f999'].map((path) => fs.getAttributes(path)));

  expect(asked().filter((request) => request === 'listObjects long')).toHaveLength(0);
});
