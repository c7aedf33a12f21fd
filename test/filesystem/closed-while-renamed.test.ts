/** SEMANTICS: a file is closed while a rename takes it elsewhere: it is stored under its new name, in turn with what comes there next. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { edit, openToEdit, writeAt, xattr } from '../support/program-acts.ts';
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

it('what a close has promised of it goes along, and waits no more then [write-back/rename]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, mounted } = scene;
  await scene.foreignWrite('f', 'old');
  await edit(fs, '/f', 'O', 0);
  const handle = await openToEdit(fs, '/f');

  await fs.rename('/f', '/g', false);

  expect(await textsOf(scene)).toEqual({ g: 'Old' });
  expect(await mounted.unsent.list()).toEqual([]);
  expect(await xattr(fs, '/g', 'user.pailfs.state')).toBe('clean');
  await writeAt(fs, handle, 'G', 0);
  expect((await mounted.unsent.list()).map(({ state }) => state)).toEqual(['open']);
  await fs.flush(handle);
  await fs.release(handle);
  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ g: 'Gld' });
});

it('what a close promises while its old name is deleted is stored under the new one [write-back/rename] [write-back/newest]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, mounted, service } = scene;
  await scene.foreignWrite('f', 'old');
  await edit(fs, '/f', 'O', 0);
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'NEW', 0);
  const moving = holdNext(service, 'deleteObject');
  const renamed = fs.rename('/f', '/g', false);
  await moving.begun;

  const closed = fs.flush(handle);
  moving.letGo();
  await Promise.all([renamed, closed]);
  await fs.release(handle);

  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ g: 'NEW' });
});

it('what a close has promised before a program wrote on waits no more, and what it writes is its own still [write-back/rename] [rename/handles]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, mounted } = scene;
  await scene.foreignWrite('f', 'old');
  await edit(fs, '/f', 'O', 0);
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'NEW', 0);

  await fs.rename('/f', '/g', false);

  expect(await textsOf(scene)).toEqual({ g: 'Old' });
  expect((await mounted.unsent.list()).map(({ state }) => state)).toEqual(['open']);
  await fs.flush(handle);
  await fs.release(handle);
  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ g: 'NEW' });
});
