/** SEMANTICS: a file waits since its upload failed, and is stored under the new name that a rename gives it: a program opens it meanwhile. */
import { expect, it } from 'vitest';
import { heldRequests } from '../support/held-requests.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit } from '../support/program-acts.ts';

it('who has opened it to write to it hears at the close that it is refused, not who has renamed it [rename/draft]', async () => {
  const upload = heldRequests('putObject', 'g');
  const scene = await openForTest({ between: upload.between });
  const { fs, faults, store } = scene;
  store.changeAccount({ gracePeriod: true });
  expect(await errnoOfCall(writeFile(fs, '/f', 'waits'))).toBe('EDQUOT');
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 403 } });
  const renaming = errnoOfCall(fs.rename('/f', '/g', false));
  await upload.begun;
  const handle = await openToEdit(fs, '/g');
  upload.letGo();

  expect(await renaming).toBe('none');

  expect(await names(fs, '/')).toEqual(['g']);
  expect((await readFile(fs, '/g')).toString()).toBe('waits');
  expect(await errnoOfCall(fs.flush(handle))).toBe('EACCES');
  await fs.release(handle);
  expect(await names(fs, '/')).toEqual([]);
  expect(await scene.mounted.unsent.list()).toMatchObject([{ state: 'set aside', path: '/g' }]);
});
