/** SEMANTICS: a rename whose last step the service refuses takes its copy back, but nothing that others have stored over it meanwhile. */
import { expect, it } from 'vitest';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, readFile } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it('what others store under the new name before the old one was to go stays there [rename/undo]', async () => {
  const scene = await openForTest({
    between: (inner) =>
      new InterceptedService(inner, async ({ operation }, proceed) => {
        if (operation === 'deleteObject') await scene.foreignWrite('g', 'theirs');
        return proceed();
      }),
  });
  const { fs, faults } = scene;
  await scene.foreignWrite('f', 'ours');
  faults.add({ operation: 'deleteObject', key: 'f', fault: { kind: 'status', status: 403 } });

  expect(await errnoOfCall(fs.rename('/f', '/g', false))).toBe('EACCES');

  expect(await textsOf(scene)).toEqual({ f: 'ours', g: 'theirs' });
  expect((await readFile(fs, '/g')).toString()).toBe('theirs');
});
