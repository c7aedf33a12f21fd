/** SEMANTICS: a file waits since its upload failed, and is stored under the new name that a rename gives it. */
import { expect, it } from 'vitest';
import { heldRequests } from '../support/held-requests.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, setXattr } from '../support/program-acts.ts';
import { textsOf, visibilityOf } from '../support/stored-state.ts';

it('who has opened it meanwhile to write to it hears at the close that it is refused, not who has renamed it [rename/draft]', async () => {
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

it('it is stored by a rename that has waited for others for longer than an upload may take, too [write/stopped]', async () => {
  const publishing = heldRequests('setVisibility', 'g');
  const scene = await openForTest({ between: publishing.between });
  const { fs, store } = scene;
  await scene.foreignWrite('g', 'old');
  store.changeAccount({ gracePeriod: true });
  expect(await errnoOfCall(writeFile(fs, '/f', 'waits'))).toBe('EDQUOT');
  store.changeAccount({ gracePeriod: false });
  const setting = setXattr(fs, '/g', 'user.pailfs.visibility', 'public');
  await publishing.begun;
  const renaming = errnoOfCall(fs.rename('/f', '/g', false));
  // It waits for the name.
  await new Promise((resolve) => setTimeout(resolve, 50));

  scene.clock.advance(1000);
  publishing.letGo();

  expect(await renaming).toBe('none');
  await setting;
  expect(await textsOf(scene)).toEqual({ g: 'waits' });
  expect(await scene.mounted.unsent.list()).toEqual([]);
});

it('it is private where others have deleted the public file whose place it was to take, and its folder is renamed [visibility/preserve] [rename/folders]', async () => {
  const scene = await openForTest();
  const { fs, faults, direct, bucket } = scene;
  for (const key of ['d/f', 'd/x']) await scene.foreignWrite(key, 'old');
  await direct.setVisibility(bucket, 'd/f', 'public');
  await names(fs, '/d');
  // That listing is too old for the rename; how visible the file was is not.
  scene.clock.advance(20_000);
  faults.add({ operation: 'putObject', fault: { kind: 'reset' } });
  expect(await errnoOfCall(writeFile(fs, '/d/f', 'waits'))).toBe('EIO');
  await direct.deleteObject(bucket, 'd/f');

  await fs.rename('/d', '/e', false);

  expect(await textsOf(scene)).toEqual({ 'e/f': 'waits', 'e/x': 'old' });
  expect(await visibilityOf(scene, 'e/f')).toBe('private');
});
