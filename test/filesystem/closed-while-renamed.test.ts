/** SEMANTICS: a file is closed while a rename takes it elsewhere: it is stored under its new name, in turn with what comes there next. */
import { expect, it } from 'vitest';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { openToEdit, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it('who removes it there waits for its upload, so that it does not come back [rename/order] [write/handles]', async () => {
  const scene = await openForTest();
  const { fs, service } = scene;
  await scene.foreignWrite('f', 'old');
  await names(fs, '/');
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'O', 0);
  const moving = holdNext(service, 'deleteObject');
  const renamed = fs.rename('/f', '/g', false);
  await moving.begun;
  const closed = fs.flush(handle);
  const upload = holdNext(service, 'putObject');
  moving.letGo();
  await renamed;
  await upload.begun;

  const removed = fs.unlink('/g');
  await new Promise((resolve) => setTimeout(resolve, 100));
  upload.letGo();

  await Promise.all([closed, removed]);
  expect(await textsOf(scene)).toEqual({});
  await fs.release(handle);
});
