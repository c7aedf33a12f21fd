/** SEMANTICS: a program begins to write while another call on the same name waits for the service, or for the disk: neither is lost. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, openToRead, writeAt } from '../support/program-acts.ts';
import { withOwedLink } from '../support/public-file.ts';
import { textOf, textsOf } from '../support/stored-state.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

it('what is written while a person gives up on the link of the file is stored [uploads/discard]', async () => {
  for (let turns = 0; turns < 40; turns += 1) {
    const scene = await withOwedLink();
    const { fs, mounted } = scene;
    const [link] = await mounted.unsent.list();
    const discarding = mounted.unsent.discard([link?.id ?? '']);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();

    await writeFile(fs, '/f', 'written meanwhile');

    await discarding;
    await drained(mounted);
    expect(await textOf(scene, 'f')).toBe('written meanwhile');
  }
});

it.each([false, true])(
  'a mode set while a program begins to write is that of what it stores (write-back %s) [attributes/local]',
  async (writeBack) => {
    const scene = await openForTest({ settings: { writeBack } });
    const { fs, mounted, service, clock } = scene;
    await scene.foreignWrite('f', 'before');
    const handle = await openToEdit(fs, '/f');
    clock.advance(LATER);
    const look = holdNext(service, 'headObject');
    const setting = fs.setAttributes('/f', { mode: 0o600 });
    await look.begun;
    await writeAt(fs, handle, 'after');
    look.letGo();
    await setting;

    expect((await fs.getAttributes('/f')).mode & 0o777).toBe(0o600);

    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect((await fs.getAttributes('/f')).mode & 0o777).toBe(0o600);
  },
);

it('what a program writes to a renamed file while that is refused under its new name is stored [rename/draft]', async () => {
  const scene = await openForTest();
  const { fs, faults, service, store, mounted } = scene;
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/f', 'first').catch(() => undefined);
  store.changeAccount({ gracePeriod: false });
  faults.add({ operation: 'putObject', key: 'g', fault: { kind: 'status', status: 403 } });
  const upload = holdNext(service, 'putObject');
  const renaming = fs.rename('/f', '/g', false);
  await upload.begun;
  const handle = await openToEdit(fs, '/g');
  const writing = writeAt(fs, handle, 'third');
  upload.letGo();
  await Promise.allSettled([renaming, writing]);

  await fs.flush(handle);
  await fs.release(handle);

  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ g: 'third' });
  expect((await readFile(fs, '/g')).toString()).toBe('third');
  expect(await names(fs, '/')).toEqual(['g']);
});

it('a rename says that its file is refused under its new name, though somebody has opened that to read [rename/draft]', async () => {
  const scene = await openForTest();
  const { fs, faults, service, store, mounted } = scene;
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/f', 'first').catch(() => undefined);
  store.changeAccount({ gracePeriod: false });
  faults.add({ operation: 'putObject', key: 'g', times: Infinity, fault: { kind: 'status', status: 403 } });
  const upload = holdNext(service, 'putObject');
  const renaming = errnoOfCall(fs.rename('/f', '/g', false));
  await upload.begun;
  const handle = await openToRead(fs, '/g');
  upload.letGo();

  expect(await renaming).toBe('EACCES');

  await fs.release(handle);
  expect(await mounted.unsent.list()).toMatchObject([{ path: '/g', state: 'set aside' }]);
});
