/** SEMANTICS: `public` had no answer, and the service sets no visibility for a while. What is stored under the name since stays private. */
import { describe, expect, it } from 'vitest';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import { diskNow } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToRewrite, setXattr, writeAt, xattr } from '../support/program-acts.ts';
import { goneOn, stateOf, withPublicFile } from '../support/public-file.ts';
import { signal } from '../support/signal.ts';

const VISIBILITY = 'user.pailfs.visibility';
const DOWN = { operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } } as const;

/** /f is private, a program has asked for `public`, and nobody knows whether that was done. */
async function withUnsureFile(settings: Partial<FileSystemSettings> = {}): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings });
  await scene.foreignWrite('f', 'old');
  await scene.foreignWrite('s', 'secret');
  await names(scene.fs, '/');
  scene.faults.add(DOWN);
  expect(await errnoOfCall(setXattr(scene.fs, '/f', VISIBILITY, 'public'))).toBe('EIO');
  return scene;
}

/** A program makes /f anew, sets `private` before it closes it, and hears what close says. */
async function madeAnew({ fs, mounted }: FileSystemForTest): Promise<string> {
  await fs.unlink('/f');
  await drained(mounted);
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'secret');
  expect(await errnoOfCall(setXattr(fs, '/f', VISIBILITY, 'private'))).toBe('none');
  const said = await errnoOfCall(fs.flush(handle));
  await fs.release(handle);
  return said;
}

/** The service sets visibilities again, and the mount ends with all that it has to do. */
async function ended({ faults, mounted }: FileSystemForTest): Promise<void> {
  faults.clear();
  await mounted.close({ patience: 1000 });
}

describe('a file of which a program hears that nobody knows whether it is private', () => {
  it('stays so when it was made anew, and made private [xattr/private]', async () => {
    const scene = await withUnsureFile();

    expect(await madeAnew(scene)).toBe('EIO');
    await ended(scene);

    expect(await stateOf(scene)).toEqual(['secret', 'private']);
  });

  it('is not published by the next mount after a kill', async () => {
    const scene = await withUnsureFile();
    await madeAnew(scene);
    const disk = await diskNow(scene);
    scene.faults.clear();

    expect(await goneOn(disk, scene)).toEqual([]);

    expect(await stateOf(scene)).toEqual(['secret', 'private']);
  });

  it('is not published when it is edited', async () => {
    const scene = await withUnsureFile();

    expect(await errnoOfCall(edit(scene.fs, '/f', 'O', 0))).toBe('EIO');
    await ended(scene);

    expect(await stateOf(scene)).toEqual(['Old', 'private']);
  });

  it('is not published by a mount with visibility=private', async () => {
    const scene = await withUnsureFile({ visibility: 'private' });

    expect(await errnoOfCall(writeFile(scene.fs, '/f', 'secret'))).toBe('EIO');
    await ended(scene);

    expect(await stateOf(scene)).toEqual(['secret', 'private']);
  });
});

it('a private file that is renamed over it is renamed, and stays private', async () => {
  const scene = await withUnsureFile();

  expect(await errnoOfCall(scene.fs.rename('/s', '/f', false))).toBe('none');
  await ended(scene);

  expect(await stateOf(scene)).toEqual(['secret', 'private']);
});

it('what is stored in the background stays private, too (--write-back)', async () => {
  const scene = await withUnsureFile({ writeBack: true });

  expect(await madeAnew(scene)).toBe('none');
  await drained(scene.mounted).catch(() => undefined);
  await ended(scene);

  expect(await stateOf(scene)).toEqual(['secret', 'private']);
});

it('a file made anew, where the link of the one before could not be restored, is private', async () => {
  const scene = await withPublicFile();
  scene.faults.add(DOWN);
  expect(await errnoOfCall(edit(scene.fs, '/f', 'O', 0))).toBe('EIO');
  await scene.fs.unlink('/f');

  await errnoOfCall(writeFile(scene.fs, '/f', 'secret'));
  await ended(scene);

  expect(await stateOf(scene)).toEqual(['secret', 'private']);
});

it('it is as public as it was made though the answer to an earlier look says otherwise [visibility/preserve]', async () => {
  const looked = signal();
  const told = signal();
  const scene = await openForTest({
    between: (inner) =>
      new InterceptedService(inner, async ({ operation }, proceed) => {
        const answer = await proceed();
        if (operation !== 'getVisibility') return answer;
        looked.give();
        await told.given;
        return answer;
      }),
  });
  const { fs, faults, clock } = scene;
  await scene.foreignWrite('f', 'old');
  await names(fs, '/');
  const look = xattr(fs, '/f', VISIBILITY);
  await looked.given;
  clock.advance(1);
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'lost-answer' } });
  expect(await errnoOfCall(setXattr(fs, '/f', VISIBILITY, 'public'))).toBe('EIO');
  faults.clear();
  told.give();
  await look;

  await edit(fs, '/f', 'O', 0);

  expect(await stateOf(scene)).toEqual(['Old', 'public']);
});
