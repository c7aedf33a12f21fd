/** SEMANTICS: the local disk changes bytes that wait for the next mount: those are not stored unasked. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { cutDrafts, damageDrafts, wipeHeaders } from '../support/draft-bytes.ts';
import { drained } from '../support/drained.ts';
import { holdCommit } from '../support/journal-commits.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToRead, textAt } from '../support/program-acts.ts';
import { silentUploads, stateOf, withPublicFile } from '../support/public-file.ts';
import { textOf, textsOf } from '../support/stored-state.ts';

/** New bytes of `/f` (`stored`) that could not be stored, and that the disk changes as `change` says before the next mount. */
async function leftAndChanged(stored: string | null, change: (disk: DiskImage) => Promise<void>) {
  const scene = await openForTest();
  if (stored !== null) await scene.foreignWrite('f', stored);
  scene.store.changeAccount({ gracePeriod: true });
  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'kept'))).toBe('EDQUOT');
  const disk = await diskNow(scene);
  await change(disk);
  scene.store.changeAccount({ gracePeriod: false });
  return { scene, disk };
}

it.each([true, false])(
  'they are set aside, and a person may store them (write-back %s) [crash/unsent]',
  async (writeBack) => {
    const { scene, disk } = await leftAndChanged(null, damageDrafts);

    const { unsent } = await mountOver(disk, scene, { settings: { writeBack } });

    await expect.poll(() => unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
    const [left] = await unsent.list();
    expect(left?.reason).toContain('the local disk has damaged');
    expect(await unsent.retry(null)).toMatchObject([{ isDone: false }]);
    expect(await textOf(scene, 'f')).toBe('(none)');
    expect(await unsent.retry([left?.id ?? ''])).toMatchObject([{ isDone: true }]);
    expect(await textOf(scene, 'f')).toBe('jept');
  },
);

it('a person who has them stored need not say so again when the service does not take them at first [crash/unsent]', async () => {
  const { scene, disk } = await leftAndChanged(null, damageDrafts);
  const { unsent } = await mountOver(disk, scene);
  await expect.poll(() => unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
  const [left] = await unsent.list();
  scene.store.changeAccount({ gracePeriod: true });
  expect(await unsent.retry([left?.id ?? ''])).toMatchObject([{ isDone: false }]);
  scene.store.changeAccount({ gracePeriod: false });

  await unsent.retry(null);

  expect(await textOf(scene, 'f')).toBe('jept');
});

it('they are not stored by who has all tried again while they are being set aside [crash/unsent]', async () => {
  const { scene, disk } = await leftAndChanged(null, damageDrafts);
  const record = holdCommit('"set aside"');
  const { unsent } = await mountOver(disk, scene, { settings: { writeBack: true } });
  await record.made;

  const retried = unsent.retry(null);
  // Those are looked up, and are about to be waited for.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const listed = await unsent.list();
  record.letGo();

  expect(listed).toMatchObject([{ path: '/f', state: 'set aside', isWhole: false }]);
  expect(await retried).toMatchObject([{ isDone: false }]);
  expect(await textOf(scene, 'f')).toBe('(none)');
});

it('one whose header is damaged is named by mount and in the list, with why [crash/half]', async () => {
  const { scene, disk } = await leftAndChanged(null, wipeHeaders);

  const next = await mountOver(disk, scene);

  const reason = expect.stringContaining('it cannot be read') as string;
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside', reason }]);
  expect(next.setAside).toMatchObject([{ key: 'f', reason }]);
});

/** A program reads them, so that they are not set aside. */
async function openDamaged(writeBack: boolean) {
  const { scene, disk } = await leftAndChanged('good', damageDrafts);
  const next = await mountOver(disk, scene, { settings: { writeBack } });
  await openToRead(next.operations, '/f');
  const [left] = await next.unsent.list();
  expect(left).toMatchObject({ path: '/f', isWhole: true });
  return { scene, disk, next };
}

describe.each([true, false])('with write-back %s, while a program reads them', (writeBack) => {
  it('they are not stored however often all is tried again [crash/unsent]', async () => {
    const { scene, next } = await openDamaged(writeBack);

    await expect.poll(() => next.unsent.retry(null)).toMatchObject([{ isDone: false }]);
    await expect.poll(() => next.unsent.retry(null)).toMatchObject([{ isDone: false }]);

    expect(await textOf(scene, 'f')).toBe('good');
  });

  it('nor at the end of the mount', async () => {
    const { scene, next } = await openDamaged(writeBack);

    await next.close({ patience: 5000 });

    expect(await textOf(scene, 'f')).toBe('good');
  });

  it('nor by the mount after a kill', async () => {
    const { scene, next, disk } = await openDamaged(writeBack);
    await next.unsent.retry(null);

    const last = await mountOver(await diskNow({ stateDirectory: disk.directory }), scene, {
      settings: { writeBack },
    });
    await drained(last).catch(() => undefined);

    expect(await textOf(scene, 'f')).toBe('good');
  });

  it('a rename of them is refused', async () => {
    const { scene, next } = await openDamaged(writeBack);

    expect(await errnoOfCall(next.operations.rename('/f', '/g', false))).toBe('ESTALE');

    expect([await textOf(scene, 'f'), await textOf(scene, 'g')]).toEqual(['good', '(none)']);
  });

  it('an edit of them is refused, and their program can write them anew', async () => {
    const { scene, next } = await openDamaged(writeBack);

    expect(await errnoOfCall(edit(next.operations, '/f', 'X', 3))).toBe('ESTALE');

    expect(await textOf(scene, 'f')).toBe('good');
    await writeFile(next.operations, '/f', 'anew');
    await drained(next);
    expect(await textOf(scene, 'f')).toBe('anew');
  });

  it('they are not stored when a rename over them has failed', async () => {
    const { scene, next } = await openDamaged(writeBack);
    await scene.foreignWrite('g', 'other');
    scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 413 } });
    expect(await errnoOfCall(next.operations.rename('/g', '/f', false))).toBe('EFBIG');

    await expect.poll(() => next.unsent.retry(null)).toMatchObject([{ isDone: false }]);

    expect(await textOf(scene, 'f')).toBe('good');
  });

  it('what the disk has cut is stored, beside the other, when a person names it [uploads/half]', async () => {
    const { scene, disk } = await leftAndChanged('good', cutDrafts);
    const { unsent } = await mountOver(disk, scene, { settings: { writeBack } });
    const [left] = await unsent.list();

    expect(await unsent.retry([left?.id ?? ''])).toMatchObject([{ isDone: true }]);

    expect(Object.values(await textsOf(scene)).sort()).toEqual(['good', 'kep']);
  });
});

/** An edit of the public file `/f` that the service has, of which the mount does not know; the disk damages its draft. */
async function storedAndDamaged() {
  const uploads = silentUploads();
  const scene: FileSystemForTest = await withPublicFile({ between: uploads.between });
  void edit(scene.fs, '/f', 'O', 0).catch(() => undefined);
  await uploads.isMade;
  const disk = await diskNow(scene);
  await damageDrafts(disk);
  return { scene, disk };
}

it('what had come before the disk damaged it has its link again, and is in no list [crash/unsent]', async () => {
  const { scene, disk } = await storedAndDamaged();

  const { unsent } = await mountOver(disk, scene, { service: scene.direct });

  await expect.poll(() => stateOf(scene)).toEqual(['Old', 'public']);
  await expect.poll(() => unsent.list()).toEqual([]);
});

it('who has open what had come before the disk damaged it goes on with what the service has [crash/unsent]', async () => {
  const { scene, disk } = await storedAndDamaged();
  const next = await mountOver(disk, scene, { service: scene.direct, settings: { writeBack: true } });
  const reader = await openToRead(next.operations, '/f');
  await expect.poll(() => next.unsent.list()).toEqual([]);

  expect(await textAt(next.operations, reader)).toBe('Old');
  await edit(next.operations, '/f', 'X', 2);
  await drained(next);

  expect(await stateOf(scene)).toEqual(['OlX', 'public']);
  expect(await textAt(next.operations, reader)).toBe('OlX');
});
