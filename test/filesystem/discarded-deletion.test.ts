/** SEMANTICS: with write-back a person discards a deletion that is owed: the file stays, and is at its name at once. */
import { expect, it } from 'vitest';
import { diskNow } from '../support/after-a-crash.ts';
import { names, openForTest, readFile } from '../support/open-for-test.ts';
import { goneOn } from '../support/public-file.ts';
import { textsOf } from '../support/stored-state.ts';

it('programs see it again, and nothing deletes it later, nor the mount after a kill [uploads/discard]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, faults, mounted, clock } = scene;
  await scene.foreignWrite('f', 'stays');
  await names(fs, '/');
  faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  await fs.unlink('/f');
  await expect.poll(async () => (await mounted.unsent.list()).map(({ attempts }) => attempts)).toEqual([1]);
  expect(await names(fs, '/')).toEqual([]);
  const [owed] = await mounted.unsent.list();

  await mounted.unsent.discard([owed?.id ?? '']);

  expect((await readFile(fs, '/f')).toString()).toBe('stays');
  expect(await names(fs, '/')).toEqual(['f']);
  faults.clear();
  clock.advance(600_000);
  expect(await mounted.unsent.list()).toEqual([]);
  await goneOn(await diskNow(scene), scene);
  expect(await textsOf(scene)).toEqual({ f: 'stays' });
});
