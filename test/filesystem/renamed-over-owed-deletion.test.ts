/** SEMANTICS: with write-back a file is renamed to a name whose file is still to be deleted: it is deleted first, and nobody hears of it. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { textsOf } from '../support/stored-state.ts';

it('the file that arrives stays, and no deletion is left that says it is somebody else’s [write-back/unlink]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, faults, mounted, clock } = scene;
  await scene.foreignWrite('f', 'renamed');
  await scene.foreignWrite('g', 'deleted');
  await names(fs, '/');
  faults.add({
    operation: 'deleteObject',
    key: 'g',
    times: Infinity,
    fault: { kind: 'status', status: 503 },
  });
  await fs.unlink('/g');
  await expect.poll(async () => (await mounted.unsent.list()).map(({ attempts }) => attempts)).toEqual([1]);
  faults.clear();

  await fs.rename('/f', '/g', false);

  expect(await names(fs, '/')).toEqual(['g']);
  clock.advance(60_000);
  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ g: 'renamed' });
  expect(await mounted.unsent.list()).toEqual([]);
});
