/**
 * SEMANTICS: a program has a file open that somebody else has replaced since. What it writes anew from empty is as public as what it
 * replaces: not as what the program had opened.
 */
import { describe, expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import type { FileSystemForTest } from '../support/open-for-test.ts';
import {
  edit,
  errnoOfCall,
  openToEdit,
  openToRead,
  setXattr,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { stateOf, withPublicFile } from '../support/public-file.ts';

const VISIBILITY = 'user.pailfs.visibility';

/** `handle` is of the public /f, and others have replaced that since, by another public file. */
async function replacedByPublic(): Promise<{ scene: FileSystemForTest; handle: FileHandle }> {
  const scene = await withPublicFile();
  const handle = await openToEdit(scene.fs, '/f');
  scene.clock.advance(9000);
  // Known for ten seconds from now on; the name only for one.
  expect(await xattr(scene.fs, '/f', VISIBILITY)).toBe('public');
  await scene.foreignWrite('f', 'theirs');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  scene.clock.advance(2000);
  return { scene, handle };
}

/** `handle` is of /f, which is owed its link, and which others have replaced by a private file. */
async function replacedWhileOwed(): Promise<{ scene: FileSystemForTest; handle: FileHandle }> {
  const scene = await withPublicFile();
  const handle = await openToEdit(scene.fs, '/f');
  scene.faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(edit(scene.fs, '/f', 'O', 0))).toBe('EIO');
  scene.faults.clear();
  await scene.foreignWrite('f', 'theirs');
  scene.clock.advance(20_000);
  expect(await xattr(scene.fs, '/f', VISIBILITY)).toBe('private');
  return { scene, handle };
}

async function writeAnew({ fs }: FileSystemForTest, handle: FileHandle): Promise<void> {
  await fs.truncate('/f', 0, handle);
  await writeAt(fs, handle, 'anew');
  const shown = await xattr(fs, '/f', VISIBILITY);
  await fs.flush(handle);
  await fs.release(handle);
  expect(await xattr(fs, '/f', VISIBILITY)).toBe(shown);
}

describe('what takes the place of what others have stored', () => {
  it('is private when a program has made that private [xattr/private]', async () => {
    const { scene, handle } = await replacedByPublic();
    await setXattr(scene.fs, '/f', VISIBILITY, 'private');

    await writeAnew(scene, handle);

    expect(await stateOf(scene)).toEqual(['anew', 'private']);
  });

  it('is private, too, when another program has that open [xattr/private]', async () => {
    const { scene, handle } = await replacedByPublic();
    const theirs = await openToRead(scene.fs, '/f');
    await setXattr(scene.fs, '/f', VISIBILITY, 'private');
    await scene.fs.release(theirs);

    await writeAnew(scene, handle);

    expect(await stateOf(scene)).toEqual(['anew', 'private']);
  });

  it('is public when that is [visibility/preserve]', async () => {
    const { scene, handle } = await replacedByPublic();

    await writeAnew(scene, handle);

    expect(await stateOf(scene)).toEqual(['anew', 'public']);
  });

  it('is not given the link that the file of before was owed [visibility/ours-only]', async () => {
    const { scene, handle } = await replacedWhileOwed();

    await writeAnew(scene, handle);

    expect(await stateOf(scene)).toEqual(['anew', 'private']);
  });
});
