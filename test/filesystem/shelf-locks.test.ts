/** SEMANTICS: which locks of programs stay here. */
import { expect, it } from 'vitest';
import { mountOver } from '../support/after-a-crash.ts';
import { openForTest } from '../support/open-for-test.ts';
import { writeAt } from '../support/program-acts.ts';

const AS_MKSTEMP = { read: true, write: true, truncate: false, exclusive: true, mode: 0o600 };

it('a lock of emacs stays here when its name ends like a revision, and on the next mount [scratch/local]', async () => {
  const scene = await openForTest();
  const handle = await scene.fs.create('/.#-emacsAb3dE9', AS_MKSTEMP);
  await writeAt(scene.fs, handle, 'me@here.1');
  await scene.fs.flush(handle);
  await scene.fs.release(handle);
  await scene.fs.rename('/.#-emacsAb3dE9', '/.#file.1.2', true);
  expect(await scene.mounted.close({ patience: 60_000 })).toEqual([]);

  const next = await mountOver({ directory: scene.stateDirectory }, scene);
  await next.operations.rename('/.#file.1.2', '/.#file.1.3', false);

  expect(next.shelf()).toEqual([{ path: '/.#file.1.3', size: 9 }]);
  expect(scene.asked().filter((request) => request.startsWith('putObject'))).toEqual([]);
  await next.operations.unlink('/.#file.1.3');
  expect(await next.close({ patience: 60_000 })).toEqual([]);
});
