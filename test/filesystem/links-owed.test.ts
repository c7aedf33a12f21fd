/** SEMANTICS: a file is stored and its link could not be restored: nothing that a program does next makes that forgotten. */
import { describe, expect, it } from 'vitest';
import { diskNow } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import {
  edit,
  errnoOfCall,
  openToEdit,
  openToRewrite,
  setXattr,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { goneOn, stateOf, withOwedLink, withPublicFile } from '../support/public-file.ts';
import { signal } from '../support/signal.ts';
import { textOf, textsOf } from '../support/stored-state.ts';

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

it.each(['waits', 'Old'])(
  'what waits (%s) and is renamed over it has the link when it is stored, also where its bytes are the same [visibility/restore-fails]',
  async (content) => {
    const scene = await withOwedLink();
    const { fs, store } = scene;
    store.changeAccount({ gracePeriod: true });
    expect(await errnoOfCall(writeFile(fs, '/t', content))).toBe('EDQUOT');
    await fs.rename('/t', '/f', false);
    store.changeAccount({ gracePeriod: false });

    await drained(scene.mounted);

    expect(await stateOf(scene)).toEqual([content, 'public']);
  },
);

it('what waits and is renamed over an upload that may have come has its link, also after a kill [crash/link]', async () => {
  const scene = await withPublicFile();
  const { fs, faults, store } = scene;
  faults.add({ operation: 'putObject', key: 'f', fault: { kind: 'lost-answer' } });
  expect(await errnoOfCall(writeFile(fs, '/f', 'came'))).toBe('EIO');
  store.changeAccount({ gracePeriod: true });
  expect(await errnoOfCall(writeFile(fs, '/t', 'waits'))).toBe('EDQUOT');
  await fs.rename('/t', '/f', false);
  const disk = await diskNow(scene);
  store.changeAccount({ gracePeriod: false });
  expect(await stateOf(scene)).toEqual(['came', 'private']);

  await goneOn(disk, scene);

  expect(await stateOf(scene)).toEqual(['waits', 'public']);
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

it('a file that others have replaced meanwhile is shown as theirs as soon as that is seen [visibility/restore-fails]', async () => {
  const scene = await withOwedLink();
  const { fs } = scene;
  const handle = await openToEdit(fs, '/f');
  await scene.foreignWrite('f', 'theirs');

  await fs.fsync(handle);

  expect((await readFile(fs, '/f')).toString()).toBe('theirs');
  await fs.release(handle);
  expect(await stateOf(scene)).toEqual(['theirs', 'private']);
});

it('a file that others replace before its link is restored is theirs, and nothing more of it is to be done [visibility/restore-fails]', async () => {
  let isReplaced = false;
  const scene = await withPublicFile({
    between: (inner) =>
      new InterceptedService(inner, async ({ operation }, proceed) => {
        const answer = await proceed();
        if (operation !== 'putObject' || isReplaced) return answer;
        isReplaced = true;
        await scene.foreignWrite('f', 'theirs');
        return answer;
      }),
  });
  const { fs, mounted } = scene;

  expect(await errnoOfCall(writeFile(fs, '/f', 'ours'))).toBe('EIO');

  expect((await readFile(fs, '/f')).toString()).toBe('theirs');
  expect(await xattr(fs, '/f', 'user.pailfs.state')).toBe('clean');
  expect(await mounted.unsent.list()).toEqual([]);
  expect(await stateOf(scene)).toEqual(['theirs', 'private']);
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

it('what is closed while it is refused for good is stored, and counts as never tried [write-back/newest]', async () => {
  const [reached, goOn] = [signal(), signal()];
  let isHeld = false;
  const scene = await withPublicFile({
    settings: { writeBack: true },
    between: (service) =>
      new InterceptedService(service, async (call, proceed) => {
        if (isHeld && call.operation === 'setVisibility') {
          isHeld = false;
          reached.give();
          await goOn.given;
        }
        return proceed();
      }),
  });
  const { fs, faults, mounted, clock } = scene;
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  await edit(fs, '/f', 'O', 0);
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list())[0]?.kind).toBe('link');
  faults.clear();
  faults.add({ operation: 'setVisibility', times: 1, fault: { kind: 'status', status: 403 } });
  isHeld = true;
  await expect
    .poll(() => {
      clock.advance(5000);
      return isHeld;
    })
    .toBe(false);
  await reached.given;
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'NEW');
  await fs.flush(handle);

  goOn.give();
  await expect
    .poll(() => scene.requests.all.some(({ operation }) => operation === 'setVisibility'))
    .toBe(true);
  await fs.release(handle);

  await drained(mounted);
  expect(await textOf(scene, 'f')).toBe('NEW');
  expect(await mounted.unsent.list()).toEqual([]);
});

describe('what is to take its place is refused for good', () => {
  /** A file of another name was to. */
  async function refusedRename(): Promise<FileSystemForTest> {
    const scene = await withOwedLink();
    const { fs, faults } = scene;
    const handle = await openToRewrite(fs, '/t');
    await writeAt(fs, handle, 'half');
    await fs.rename('/t', '/f', false);
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
    expect(await errnoOfCall(fs.flush(handle))).toBe('EFBIG');
    await fs.release(handle);
    faults.clear();
    return scene;
  }

  it('the end of the mount restores it [visibility/restore-fails]', async () => {
    const scene = await refusedRename();

    await scene.mounted.close({ patience: 1000 });

    expect(await stateOf(scene)).toEqual(['Old', 'public']);
  });

  it('who makes the file private then takes it down for good [xattr/private]', async () => {
    const scene = await refusedRename();

    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'private');

    await goneOn(await diskNow(scene), scene);
    expect(await stateOf(scene)).toEqual(['Old', 'private']);
  });
});

it('to make the file private, which the service refuses, changes nothing: the next mount restores it [crash/link]', async () => {
  const scene = await withOwedLink();
  scene.faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });

  expect(await errnoOfCall(setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'private'))).toBe('EACCES');

  scene.faults.clear();
  await goneOn(await diskNow(scene), scene);
  expect(await stateOf(scene)).toEqual(['Old', 'public']);
});
