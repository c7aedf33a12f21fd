/** When are rows on the disk that nobody waits for? */
import { expect, it, vi } from 'vitest';
import { GatheredRows } from '../../../src/content/journal/gathered-rows.ts';
import { RowDatabase } from '../../../src/content/journal/row-database.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it('go together into one commit a moment later, of each only the last change', async () => {
  const rows = await RowDatabase.open(await temporaryDirectory());
  const clock = new ManualClock();
  const commit = vi.spyOn(rows, 'commit');
  const gathered = new GatheredRows(rows, clock, () => undefined);

  for (const value of ['1', '2']) gathered.set({ type: 'put', key: 'a', value });
  gathered.set({ type: 'put', key: 'b', value: '3' });
  gathered.set({ type: 'del', key: 'b' });
  expect(commit).not.toHaveBeenCalled();
  clock.advance(100);
  await gathered.written();

  expect(commit).toHaveBeenCalledTimes(1);
  expect([await rows.get('a'), await rows.get('b')]).toEqual(['2', undefined]);
  await rows.close();
});

it('are there for whoever asks, without a moment', async () => {
  const rows = await RowDatabase.open(await temporaryDirectory());
  const gathered = new GatheredRows(rows, new ManualClock(), () => undefined);

  gathered.set({ type: 'put', key: 'a', value: '1' });
  await gathered.written();
  gathered.set({ type: 'put', key: 'a', value: '2' });
  await gathered.written();

  expect(await rows.get('a')).toBe('2');
  await rows.close();
});

it('are written a moment after each of several times', async () => {
  const rows = await RowDatabase.open(await temporaryDirectory());
  const clock = new ManualClock();
  const gathered = new GatheredRows(rows, clock, () => undefined);

  for (const value of ['1', '2']) {
    gathered.set({ type: 'put', key: 'a', value });
    clock.advance(100);
    await expect.poll(() => rows.get('a')).toBe(value);
  }

  await rows.close();
});

it('that could not be written are said once, and the next are tried', async () => {
  const rows = await RowDatabase.open(await temporaryDirectory());
  const failed = vi.fn();
  const gathered = new GatheredRows(rows, new ManualClock(), failed);
  vi.spyOn(rows, 'commit').mockRejectedValueOnce(new Error('disk full'));

  for (const key of ['a', 'b']) gathered.set({ type: 'put', key, value: '1' });
  await gathered.written();
  gathered.set({ type: 'put', key: 'c', value: '1' });
  await gathered.written();

  expect(failed).toHaveBeenCalledExactlyOnceWith(new Error('disk full'));
  expect(await rows.get('c')).toBe('1');
  await rows.close();
});

it('may be more at once than a call takes parameters', async () => {
  const rows = await RowDatabase.open(await temporaryDirectory());
  const changes = Array.from({ length: 200_000 }, () => ({ type: 'put', key: 'a', value: '1' }) as const);

  await rows.commit(changes, 'written');

  expect(await rows.get('a')).toBe('1');
  await rows.close();
});
