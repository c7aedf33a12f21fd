/** What do programs cost that begin to work in one folder side by side? design.md §4: each alone asks for its own name. */
import { expect, it } from 'vitest';
import { names, openForTest } from '../support/open-for-test.ts';

const TTL = 10_000;

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

it('asks for each new name alone in a folder of several pages that was listed long ago, and not for its pages [list/renewed]', async () => {
  const { fs, clock, foreignWrite, asked } = await openForTest();
  for (let index = 0; index < 1001; index += 1) await foreignWrite(`long/f${index}`, '');
  await names(fs, '/long');
  clock.advance(TTL);
  for (const name of ['new1', 'new2']) await foreignWrite(`long/${name}`, '');
  await fs.getAttributes('/long');
  // The page that has told of the folder begins no listing any more.
  clock.advance(TTL / 2);
  asked();

  await Promise.all(['/long/new1', '/long/new2'].map((path) => fs.getAttributes(path)));

  expect(asked().sort()).toEqual([
    'headObject long/new1',
    'headObject long/new2',
    'listObjects long/new1',
    'listObjects long/new2',
  ]);
});

it('costs one page of a long folder where that shows the names, and who then lists it asks for the others [list/beside]', async () => {
  const { fs, foreignWrite, asked } = await openForTest();
  for (let index = 0; index < 1001; index += 1) await foreignWrite(`long/f${index}`, '');
  await foreignWrite('other/f', '');
  await names(fs, '/');
  asked();

  await Promise.all(['/long/f1', '/long/f10', '/long/f100'].map((path) => fs.getAttributes(path)));
  // What would be asked for unasked has been by then.
  await names(fs, '/other');
  const looks = asked();
  const listed = await names(fs, '/long');

  expect(looks).toEqual([
    'headObject long/f1',
    'listObjects long/f1',
    'listObjects long',
    'listObjects other',
  ]);
  expect(listed).toHaveLength(1001);
  expect(asked()).toEqual(['listObjects long']);
});
