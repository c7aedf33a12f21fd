/**
 * SEMANTICS: who was told that a file is private never finds it public again: not by what was promised or owed before, not by a rename or
 * a conflict, and not by the next mount. Nor do private bytes become public by the name that they take.
 */
import { describe, expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
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
import { textOf, textsOf, visibilityOf } from '../support/stored-state.ts';

const ALWAYS = { times: Infinity, fault: { kind: 'status', status: 503 } } as const;
const writeBack = { writeBack: true };

async function makePrivate(fs: FileSystemOperations, path = '/f'): Promise<void> {
  await setXattr(fs, path, 'user.pailfs.visibility', 'private');
}

/** A program has closed 'Old', which waits, and writes on. */
async function promisedAndWrittenOn(): Promise<FileSystemForTest> {
  const scene = await withPublicFile({ settings: writeBack });
  await edit(scene.fs, '/f', 'O', 0);
  await writeAt(scene.fs, await openToEdit(scene.fs, '/f'), 'XY');
  return scene;
}

/** A rename of the public /f to /to was cut before its DELETE, which the service refuses the next mount. */
async function withCutRename(): Promise<{ scene: FileSystemForTest; next: MountedFileSystem }> {
  const reached = signal();
  let isCut = false;
  const scene = await withPublicFile({
    between: (service) =>
      new InterceptedService(service, (call, proceed) => {
        if (isCut || call.operation !== 'deleteObject') return proceed();
        reached.give();
        return new Promise<never>(() => undefined);
      }),
  });
  void scene.fs.rename('/f', '/to', false).catch(() => undefined);
  await reached.given;
  const disk = await diskNow(scene);
  isCut = true;
  scene.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 403 } });
  const next = await mountOver(disk, scene);
  await expect.poll(async () => (await next.unsent.list())[0]?.state).toBe('failed');
  return { scene, next };
}

describe('a file made private while its link is owed', () => {
  it('stays private when an earlier mount owed it [xattr/private]', async () => {
    const scene = await withOwedLink();
    const disk = await diskNow(scene);
    scene.faults.add({ operation: 'setVisibility', ...ALWAYS });
    const next = await mountOver(disk, scene);
    await expect
      .poll(async () => {
        scene.clock.advance(1000);
        return (await next.unsent.list())[0]?.state;
      })
      .toBe('failed');
    scene.faults.clear();

    await makePrivate(next.operations);

    expect(await next.unsent.list()).toEqual([]);
    expect(await xattr(next.operations, '/f', 'user.pailfs.error')).toBe('');
    await next.close({ patience: 1000 });
    expect(await stateOf(scene)).toEqual(['Old', 'private']);
  });

  it('stays private when a rename owed it [xattr/private]', async () => {
    const scene = await withPublicFile();
    const { fs, faults, direct, bucket, mounted } = scene;
    await scene.foreignWrite('to', 'target');
    await direct.setVisibility(bucket, 'to', 'public');
    faults.add({ operation: 'setVisibility', ...ALWAYS });
    expect(await errnoOfCall(fs.rename('/f', '/to', false))).toBe('EIO');
    faults.clear();

    await makePrivate(fs, '/to');

    await mounted.close({ patience: 1000 });
    expect([await textOf(scene, 'to'), await visibilityOf(scene, 'to')]).toEqual(['old', 'private']);
  });

  it('stays private when a program that writes on is killed with the mount [crash/link]', async () => {
    const scene = await withOwedLink();
    await writeAt(scene.fs, await openToEdit(scene.fs, '/f'), 'XY');

    await makePrivate(scene.fs);

    await goneOn(await diskNow(scene), scene);
    expect(await stateOf(scene)).toEqual(['Old', 'private']);
  });

  it('stays private when what a program writes on is refused for good', async () => {
    const scene = await withOwedLink();
    const { fs, faults, mounted } = scene;
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'XY');

    await makePrivate(fs);

    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
    expect(await errnoOfCall(fs.flush(handle))).toBe('EFBIG');
    await fs.release(handle);
    faults.clear();
    await mounted.close({ patience: 1000 });
    expect(await stateOf(scene)).toEqual(['Old', 'private']);
  });
});

describe('a file made private while a close of before waits, and a program writes on', () => {
  it('is private when that is stored [xattr/private]', async () => {
    const scene = await promisedAndWrittenOn();

    await makePrivate(scene.fs);

    scene.clock.advance(1000);
    await expect.poll(() => textOf(scene, 'f')).toBe('Old');
    // Half a file is not stored by that; the promised one is.
    await drained(scene.mounted).catch(() => undefined);
    expect(await stateOf(scene)).toEqual(['Old', 'private']);
  });

  it('is private when the next mount stores that [crash/link]', async () => {
    const scene = await promisedAndWrittenOn();

    await makePrivate(scene.fs);

    await goneOn(await diskNow(scene), scene, writeBack);
    expect(await stateOf(scene)).toEqual(['Old', 'private']);
  });
});

describe('a public file made private while a program writes it', () => {
  it('is private at once, and stays so when what is written is refused for good [xattr/private]', async () => {
    const scene = await withPublicFile();
    const handle = await openToEdit(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'XY');

    await makePrivate(scene.fs);

    expect(await stateOf(scene)).toEqual(['old', 'private']);
    expect(await xattr(scene.fs, '/f', 'user.pailfs.visibility')).toBe('private');
    scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
    expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EFBIG');
    expect(await stateOf(scene)).toEqual(['old', 'private']);
  });

  it('is private with its upload at the latest when the service refuses that, and the program hears it [xattr/private]', async () => {
    const scene = await withPublicFile();
    const handle = await openToEdit(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'XY');
    scene.faults.add({ operation: 'setVisibility', ...ALWAYS });

    expect(await errnoOfCall(makePrivate(scene.fs))).toBe('EIO');

    expect(await stateOf(scene)).toEqual(['old', 'public']);
    await scene.fs.flush(handle);
    expect(await stateOf(scene)).toEqual(['XYd', 'private']);
  });

  it('publishes nothing by a rename over a public file when what was written is refused for good [visibility/rename]', async () => {
    const scene = await withPublicFile();
    const { fs, faults } = scene;
    await writeFile(fs, '/t', 'temp');
    const handle = await openToEdit(fs, '/t');
    await writeAt(fs, handle, 'XY');
    await makePrivate(fs, '/t');
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
    expect(await errnoOfCall(fs.flush(handle))).toBe('EFBIG');
    await fs.release(handle);
    faults.clear();

    await fs.rename('/t', '/f', false);

    expect(await stateOf(scene)).toEqual(['temp', 'private']);
  });

  it('is private with its upload when others have deleted it [xattr/private]', async () => {
    const scene = await withPublicFile();
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'XY');
    await scene.direct.deleteObject(scene.bucket, 'f');

    await makePrivate(scene.fs);

    await scene.fs.flush(handle);
    expect(await stateOf(scene)).toEqual(['XY', 'private']);
  });

  it('costs no request when the service has nothing of it', async () => {
    const scene = await openForTest();
    await openToRewrite(scene.fs, '/n');
    scene.requests.reset();

    await makePrivate(scene.fs, '/n');

    expect(scene.requests.all).toEqual([]);
  });
});

describe('to make a file private, which the local disk does not note,', () => {
  it.each([true, false])('is refused while it waits [crash/link] (write-back %s)', async (isWriteBack) => {
    const settings = { writeBack: isWriteBack };
    const scene = await withPublicFile({ settings });
    scene.faults.add({ operation: 'putObject', ...ALWAYS });
    await edit(scene.fs, '/f', 'O', 0).catch(() => undefined);
    const takeThemAgain = refuseCommits('"visibility":"private"');

    expect(await errnoOfCall(makePrivate(scene.fs))).toBe('EIO');

    takeThemAgain();
    const disk = await diskNow(scene);
    scene.faults.clear();
    await goneOn(disk, scene, settings);
    expect(await stateOf(scene)).toEqual(['Old', 'public']);
  });

  it('is refused while its link is owed [crash/link]', async () => {
    const scene = await withOwedLink();
    const takeThemAgain = refuseCommits('del draft/link-');

    expect(await errnoOfCall(makePrivate(scene.fs))).toBe('EIO');

    const disk = await diskNow(scene);
    takeThemAgain();
    await goneOn(disk, scene);
    expect(await stateOf(scene)).toEqual(['Old', 'public']);
  });

  it('is refused while the journal has a rename of it that has ended [crash/link]', async () => {
    const scene = await withPublicFile();
    scene.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 403 } });
    await scene.foreignWrite('to', 'target');
    const takeThemAgain = refuseCommits('del rename/');
    expect(await errnoOfCall(scene.fs.rename('/f', '/to', false))).not.toBe('none');

    const errno = await errnoOfCall(makePrivate(scene.fs, '/to'));

    const disk = await diskNow(scene);
    takeThemAgain();
    scene.faults.clear();
    await goneOn(disk, scene);
    expect([errno, await visibilityOf(scene, 'to')]).toEqual(['EIO', 'public']);
  });
});

it('a file made private while it is written stays private when another is renamed over it [visibility/rename]', async () => {
  const scene = await withPublicFile();
  await writeAt(scene.fs, await openToEdit(scene.fs, '/f'), 'XY');
  await makePrivate(scene.fs);
  await writeFile(scene.fs, '/t', 'temp');

  await scene.fs.rename('/t', '/f', false);

  expect(await stateOf(scene)).toEqual(['temp', 'private']);
});

it.each(['/f', '/to'])(
  'to make %s private is refused while a rename from the one to the other, which a crash had cut, is not finished [xattr/private]',
  async (path) => {
    const { scene, next } = await withCutRename();
    const { faults } = scene;

    expect(await errnoOfCall(makePrivate(next.operations, path))).toBe('EIO');

    faults.clear();
    await next.unsent.retry(null);
    expect(await visibilityOf(scene, 'to')).toBe('public');
    await makePrivate(next.operations, '/to');
    expect(await visibilityOf(scene, 'to')).toBe('private');
  },
);

describe('on a mount that makes all files public, a file made private while it waits', () => {
  const settings = { ...writeBack, visibility: 'public' } as const;

  it('stays private when it is renamed [visibility/rename]', async () => {
    const scene = await withPublicFile({ settings });
    await edit(scene.fs, '/f', 'O', 0);

    await makePrivate(scene.fs);
    await scene.fs.rename('/f', '/g', false);

    await drained(scene.mounted);
    expect([await textOf(scene, 'g'), await visibilityOf(scene, 'g')]).toEqual(['Old', 'private']);
  });

  it('stays private when it goes beside what somebody else has stored [conflict/private]', async () => {
    const scene = await withPublicFile({ settings });
    await edit(scene.fs, '/f', 'O', 0);

    await makePrivate(scene.fs);
    await scene.foreignWrite('f', 'theirs');

    await drained(scene.mounted);
    const copy = Object.keys(await textsOf(scene)).find((key) => key !== 'f') ?? '';
    expect([await textOf(scene, copy), await visibilityOf(scene, copy)]).toEqual(['Old', 'private']);
  });
});

it.each(['deleted', 'replaced'])(
  'an edit of a private file that others have %s stays private when it is renamed over a public one [visibility/rename]',
  async (how) => {
    const scene = await withPublicFile();
    const { fs } = scene;
    await scene.foreignWrite('secret', 'secret');
    await readFile(fs, '/secret');
    const handle = await openToEdit(fs, '/secret');
    await writeAt(fs, handle, 'S');
    if (how === 'deleted') await scene.direct.deleteObject(scene.bucket, 'secret');
    else await scene.foreignWrite('secret', 'theirs');

    await fs.rename('/secret', '/f', false);

    await fs.flush(handle);
    await fs.release(handle);
    expect(await stateOf(scene)).toEqual(['Secret', 'private']);
  },
);
