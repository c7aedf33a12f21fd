/** SEMANTICS: an edit whose file somebody else has replaced is to give way; another close stores it first, since theirs has gone again. */
import { expect, it } from 'vitest';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest } from '../support/open-for-test.ts';
import { openToEdit, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it('it stays at its name, and so does what its programs write next [conflict/keep-both] [write/handles]', async () => {
  let isLooked = true;
  const scene = await openForTest({
    between: (inner) =>
      new InterceptedService(inner, async ({ operation }, proceed) => {
        const answer = await proceed();
        if (operation !== 'headObject' || isLooked) return answer;
        isLooked = true;
        await inner.deleteObject(scene.bucket, 'f');
        return answer;
      }),
  });
  const { fs } = scene;
  await scene.foreignWrite('f', 'base');
  const [first, second] = [await openToEdit(fs, '/f'), await openToEdit(fs, '/f')];
  await writeAt(fs, first, 'm', 0);
  await scene.foreignWrite('f', 'theirs');
  isLooked = false;

  await Promise.all([fs.flush(first), fs.flush(second)]);

  expect(await textsOf(scene)).toEqual({ f: 'mase' });
  await writeAt(fs, first, 'M', 0);
  await fs.flush(first);
  for (const handle of [first, second]) await fs.release(handle);
  expect(await textsOf(scene)).toEqual({ f: 'Mase' });
});
