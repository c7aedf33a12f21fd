/** SEMANTICS: a folder in which files wait is renamed, and the service goes away before the old one is removed: what waits is back once, under its name. */
import { expect, it } from 'vitest';
import { Refusal } from '../../src/service/refusal.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than until it is tried again. */
const LATER = 40_000;

it('also when the rest goes back only later [rename/undo]', async () => {
  let isAway = false;
  const scene = await openForTest({
    between: (inner) =>
      new InterceptedService(inner, async ({ operation, key = '' }, proceed) => {
        if (operation === 'deleteObject' && key === 'd/') isAway = true;
        if (!isAway) return proceed();
        await new Promise(setImmediate);
        throw new Refusal('unavailable', 'no answer', { operation, neverSent: true });
      }),
  });
  const { fs, store, mounted, clock } = scene;
  await scene.foreignWrite('d/stored', 'stored');
  await names(fs, '/d');
  store.changeAccount({ gracePeriod: true });
  expect(await errnoOfCall(writeFile(fs, '/d/waits', 'waits'))).toBe('EDQUOT');
  store.changeAccount({ gracePeriod: false });
  expect(await errnoOfCall(fs.rename('/d', '/longer', false))).toBe('EIO');
  isAway = false;

  clock.advance(LATER);
  await expect
    .poll(async () => (await mounted.unsent.list()).map(({ kind }) => kind))
    .not.toContain('rename');

  expect(await names(fs, '/')).toEqual(['d']);
  expect((await readFile(fs, '/d/waits')).toString()).toBe('waits');
  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ 'd/stored': 'stored', 'd/waits': 'waits' });
});
