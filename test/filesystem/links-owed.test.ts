/** SEMANTICS: a file is stored and its link could not be restored: nothing that a program does next makes that forgotten. */
import { expect, it } from 'vitest';
import { diskNow } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, openToRewrite, writeAt, xattr } from '../support/program-acts.ts';
import { goneOn, stateOf, withOwedLink, withPublicFile } from '../support/public-file.ts';
import { textsOf } from '../support/stored-state.ts';

it.each([false, true])(
  'the same bytes saved again restore it [visibility/restore-fails] (write-back %s)',
  async (writeBack) => {
    const scene = await withPublicFile({ settings: { writeBack } });
    const { fs, faults, mounted } = scene;
    faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
    await writeFile(fs, '/f', 'new').catch(() => undefined);
    if (writeBack) await drained(mounted).catch(() => undefined);
    faults.clear();
    expect(await stateOf(scene)).toEqual(['new', 'private']);

    await writeFile(fs, '/f', 'new');

    await drained(mounted);
    expect(await stateOf(scene)).toEqual(['new', 'public']);
  },
);

it('half a file that is renamed over it does not take it along when the mount is killed [crash/link]', async () => {
  const scene = await withOwedLink();
  await writeAt(scene.fs, await openToRewrite(scene.fs, '/t'), 'half');

  await scene.fs.rename('/t', '/f', false);

  await goneOn(await diskNow(scene), scene);
  expect(await stateOf(scene)).toEqual(['Old', 'public']);
});

it('what is being written over it says that it will be public', async () => {
  const { fs, ...scene } = await withOwedLink();
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'XY');

  expect(await xattr(fs, '/f', 'user.pailfs.visibility')).toBe('public');

  await fs.flush(handle);
  await fs.release(handle);
  expect(await stateOf({ fs, ...scene })).toEqual(['XYd', 'public']);
});

it('an upload after which the service lets nobody look is still known as ours [conflict/keep-both]', async () => {
  const scene = await withPublicFile();
  const { fs, faults, service } = scene;
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'one');
  faults.add({ operation: 'putObject', times: 1, fault: { kind: 'lost-answer' } });
  expect(await errnoOfCall(fs.flush(handle))).toBe('EIO');
  await writeAt(fs, handle, 'second');
  let looks = 0;
  const head = service.headObject.bind(service);
  service.headObject = async (...call) => {
    looks += 1;
    if (looks === 2)
      faults.add({ operation: 'headObject', times: 1, fault: { kind: 'status', status: 401 } });
    return head(...call);
  };
  expect(await errnoOfCall(fs.flush(handle))).toBe('EACCES');

  await writeAt(fs, handle, 'third!');
  await fs.flush(handle);

  await fs.release(handle);
  expect([Object.keys(await textsOf(scene)), await stateOf(scene)]).toEqual([['f'], ['third!', 'public']]);
});
