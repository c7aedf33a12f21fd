/** SEMANTICS: with write-back unlink only promises, too; which names are gone, and what becomes of the files. */
import { describe, expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { FileSystemForTest, TestOptions } from '../support/open-for-test.ts';
import { drained } from '../support/drained.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { LogForTest, openToEdit, setXattr, writeAt } from '../support/program-acts.ts';
import { holdNext } from '../support/hold-next.ts';
import { signal } from '../support/signal.ts';

const TTL = 10_000;
const away = { operation: 'deleteObject', times: Infinity, fault: { kind: 'reset' } } as const;

/** With files `d/0` to `d/9` on the service, listed. */
async function listed(options: TestOptions = {}): Promise<FileSystemForTest> {
  const scene = await openForTest({ ...options, settings: { ...options.settings, writeBack: true } });
  for (let number = 0; number < 10; number += 1) await scene.foreignWrite(`d/${number}`, `${number}`);
  await names(scene.fs, '/');
  await names(scene.fs, '/d');
  scene.asked();
  return scene;
}

const isThere = async ({ direct, bucket }: FileSystemForTest, key: string): Promise<boolean> =>
  direct.headObject(bucket, key).then(
    () => true,
    () => false,
  );

describe('a file that was unlinked', () => {
  it('is gone for every program at once, whatever listings say, and goes from the service later [write-back/unlink]', async () => {
    const scene = await listed();
    scene.faults.add(away);

    await scene.fs.unlink('/d/3');

    await expect(scene.fs.getAttributes('/d/3')).rejects.toMatchObject({ code: 'ENOENT' });
    scene.clock.advance(TTL);
    expect(await names(scene.fs, '/d')).not.toContain('3');
    scene.mounted.refresh('/');
    await expect(scene.fs.getAttributes('/d/3')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await isThere(scene, 'd/3')).toBe(true);
    expect(await scene.mounted.unsent.list()).toMatchObject([{ kind: 'delete', path: '/d/3' }]);
    scene.faults.clear();
    const isGone = (): Promise<boolean> => {
      scene.clock.advance(60_000);
      return isThere(scene, 'd/3');
    };
    await expect.poll(isGone).toBe(false);
    await expect.poll(() => scene.mounted.unsent.list()).toEqual([]);
  });

  it('just after it was listed costs one DELETE [write-back/version]', async () => {
    const scene = await listed();

    for (let number = 0; number < 5; number += 1) await scene.fs.unlink(`/d/${number}`);
    await drained(scene.mounted);

    expect(scene.asked().sort()).toEqual([0, 1, 2, 3, 4].map((number) => `deleteObject d/${number}`));
  });

  it('some time later is looked at first, many of one folder by one listing [write-back/version]', async () => {
    const scene = await listed();
    scene.clock.advance(2000);
    scene.faults.add({ ...away, times: 16 });

    for (let number = 0; number < 10; number += 1) await scene.fs.unlink(`/d/${number}`);
    scene.faults.clear();
    await drained(scene.mounted);

    expect(await isThere(scene, 'd/9')).toBe(false);
    const looks = scene.asked().filter((line) => !line.startsWith('deleteObject'));
    expect(looks.filter((line) => line.startsWith('headObject')).length).toBeLessThan(10);
    expect(looks).toContain('listObjects d');
  });

  it('just after a listing that looked at others of its folder costs one DELETE [write-back/version]', async () => {
    const scene = await listed();
    scene.clock.advance(2000);
    await Promise.all([0, 1, 2, 3].map((number) => scene.fs.unlink(`/d/${number}`)));
    await drained(scene.mounted);
    expect(scene.asked().filter((line) => line === 'listObjects d')).toHaveLength(1);

    for (const number of [4, 5, 6]) await scene.fs.unlink(`/d/${number}`);
    await drained(scene.mounted);
    expect(scene.asked().sort()).toEqual([4, 5, 6].map((number) => `deleteObject d/${number}`));
    scene.clock.advance(1000);
    await scene.foreignWrite('d/7', 'theirs');
    await scene.fs.unlink('/d/7');

    await expect.poll(async () => (await scene.mounted.unsent.list()).length).toBe(1);
    expect((await scene.stored('d/7')).toString()).toBe('theirs');
  });

  it('stays when it was edited here and a later look showed that somebody else has replaced it [write-back/version]', async () => {
    const scene = await listed();
    scene.clock.advance(2000);
    const handle = await openToEdit(scene.fs, '/d/7');
    await writeAt(scene.fs, handle, 'mine');
    await Promise.all([0, 1, 2, 3].map((number) => scene.fs.unlink(`/d/${number}`)));
    await drained(scene.mounted);
    await scene.foreignWrite('d/7', 'theirs');
    scene.mounted.refresh('/');
    await names(scene.fs, '/d');

    await scene.fs.unlink('/d/7');
    await scene.fs.release(handle);

    await expect.poll(async () => (await scene.mounted.unsent.list()).length).toBe(1);
    expect((await scene.stored('d/7')).toString()).toBe('theirs');
  });

  it('stays when somebody else has replaced it since, which the log and the list say [write-back/version]', async () => {
    const log = new LogForTest();
    const scene = await listed({ log });
    scene.clock.advance(2000);
    await scene.foreignWrite('d/3', 'theirs');

    await scene.fs.unlink('/d/3');

    await expect.poll(() => log.about('has deleted stays').length).toBe(1);
    expect((await scene.stored('d/3')).toString()).toBe('theirs');
    expect((await readFile(scene.fs, '/d/3')).toString()).toBe('theirs');
    const [dropped] = await scene.mounted.unsent.list();
    expect(dropped).toMatchObject({ kind: 'delete', state: 'set aside', path: '/d/3' });
    await scene.mounted.unsent.discard([dropped?.id ?? '']);
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it('goes also while a program has an older version of it open [write-back/version]', async () => {
    const scene = await listed();
    const handle = await scene.fs.open('/d/3', { read: true, write: false, truncate: false });
    await scene.foreignWrite('d/3', 'theirs, seen here');
    scene.clock.advance(TTL);

    await scene.fs.unlink('/d/3');
    await drained(scene.mounted);
    await scene.fs.release(handle);

    expect(await isThere(scene, 'd/3')).toBe(false);
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it('stays when the service refuses that for good, and is at its name again [write-back/unlink]', async () => {
    const log = new LogForTest();
    const scene = await listed({ log });
    scene.faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 403 } });

    await scene.fs.unlink('/d/3');

    await expect.poll(() => log.about('has deleted stays').length).toBe(1);
    expect((await readFile(scene.fs, '/d/3')).toString()).toBe('3');
  });

  it('and made anew is a new file: private, and not deleted [write-back/again]', async () => {
    const scene = await listed();
    await setXattr(scene.fs, '/d/3', 'user.pailfs.visibility', 'public');
    scene.faults.add({ ...away, times: 4 });

    await scene.fs.unlink('/d/3');
    await writeFile(scene.fs, '/d/3', 'anew');
    expect((await readFile(scene.fs, '/d/3')).toString()).toBe('anew');
    expect(await names(scene.fs, '/d')).toContain('3');
    await expect.poll(() => tried(scene)).toBe('done');

    expect((await scene.stored('d/3')).toString()).toBe('anew');
    expect((await scene.direct.getVisibility(scene.bucket, 'd/3')).visibility).toBe('private');
    scene.clock.advance(300_000);
    await drained(scene.mounted);
    expect((await readFile(scene.fs, '/d/3')).toString()).toBe('anew');
  });

  it('and made and unlinked again is gone', async () => {
    const scene = await listed();
    scene.faults.add({ ...away, times: 2 });
    await scene.fs.unlink('/d/3');
    await writeFile(scene.fs, '/d/3', 'anew');

    await scene.fs.unlink('/d/3');
    await expect.poll(() => tried(scene)).toBe('done');

    expect(await isThere(scene, 'd/3')).toBe(false);
    await expect(scene.fs.getAttributes('/d/3')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('before it was stored costs no request [write-back/cancel]', async () => {
    const scene = await listed();
    await writeFile(scene.fs, '/d/new', 'x');

    await scene.fs.unlink('/d/new');
    scene.clock.advance(TTL / 2);
    await drained(scene.mounted);

    expect(scene.asked()).toEqual([]);
  });

  it('while it goes up is gone afterwards [write-back/cancel]', async () => {
    const scene = await listed();
    const upload = holdNext(scene.service, 'putObject');
    await writeFile(scene.fs, '/d/new', 'x');
    scene.clock.advance(200);
    await upload.begun;

    const unlinked = scene.fs.unlink('/d/new');
    upload.letGo();
    await unlinked;
    await drained(scene.mounted);

    expect(await isThere(scene, 'd/new')).toBe(false);
  });

  it('after an upload of unknown end is gone, though the upload arrives late [write-back/unknown]', async () => {
    const scene = await listed();
    scene.faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    await writeFile(scene.fs, '/d/new', 'x');
    scene.clock.advance(200);
    await expect.poll(() => isThere(scene, 'd/new')).toBe(true);

    await scene.fs.unlink('/d/new');
    await drained(scene.mounted);

    expect(await isThere(scene, 'd/new')).toBe(false);
  });
});

describe('a folder', () => {
  it('is removed with all that was in it, eight DELETEs at a time [write-back/rmdir]', async () => {
    const scene = await listed();

    for (let number = 0; number < 10; number += 1) await scene.fs.unlink(`/d/${number}`);
    await scene.fs.rmdir('/d');

    expect(await names(scene.fs, '/')).toEqual([]);
    expect(await isThere(scene, 'd/9')).toBe(false);
    expect(scene.asked().filter((line) => line.startsWith('deleteObject'))).toHaveLength(11);
  });

  it('is not removed while the service does not take the DELETEs', async () => {
    const scene = await listed();
    scene.faults.add(away);
    for (let number = 0; number < 10; number += 1) await scene.fs.unlink(`/d/${number}`);

    await expect(scene.fs.rmdir('/d')).rejects.toMatchObject({ code: 'EIO' });

    expect(await names(scene.fs, '/')).toEqual(['d']);
    expect(await names(scene.fs, '/d')).toEqual([]);
  });

  it('stays when its last file goes [folders/stay]', async () => {
    const scene = await listed();
    for (let number = 0; number < 10; number += 1) await scene.fs.unlink(`/d/${number}`);
    scene.clock.advance(TTL);
    expect(await names(scene.fs, '/')).toEqual(['d']);
    await drained(scene.mounted);

    scene.clock.advance(TTL);

    expect(await names(scene.fs, '/')).toEqual(['d']);
  });

  it('stays when a listing that still showed it comes after the last file has gone [folders/stay]', async () => {
    const answers = new HeldAnswers();
    const mayGo = signal();
    const between = (inner: ObjectService): ObjectService =>
      new InterceptedService(inner, async ({ operation }, proceed) => {
        if (operation === 'deleteObject') await mayGo.given;
        return proceed();
      });
    const scene = await listed({ between: (inner) => answers.between(between(inner)) });
    for (let number = 0; number < 10; number += 1) await scene.fs.unlink(`/d/${number}`);
    scene.mounted.refresh('/');
    const answer = answers.hold('listObjects');
    const listing = names(scene.fs, '/');
    await answer.made;

    mayGo.give();
    await drained(scene.mounted);
    answer.letGo();

    expect(await listing).toEqual(['d']);
    scene.clock.advance(TTL);
    expect(await names(scene.fs, '/')).toEqual(['d']);
  });

  it('renamed leaves behind what was unlinked in it', async () => {
    const scene = await listed();
    await scene.fs.unlink('/d/3');
    await scene.fs.rename('/d', '/e', false);
    await drained(scene.mounted);

    expect(await names(scene.fs, '/')).toEqual(['e']);
    expect(await isThere(scene, 'e/3')).toBe(false);
    expect(await isThere(scene, 'd/3')).toBe(false);
  });
});

describe('a rename of what is not stored yet', () => {
  it('costs nothing: one PUT under the new name [write-back/rename]', async () => {
    const scene = await listed();
    await writeFile(scene.fs, '/d/temporary', 'content');

    await scene.fs.rename('/d/temporary', '/d/name', false);
    await drained(scene.mounted);

    expect(scene.asked()).toEqual(['putObject d/name']);
    expect((await readFile(scene.fs, '/d/name')).toString()).toBe('content');
  });

  it('over a public file keeps its link [write-back/rename] [visibility/rename]', async () => {
    const scene = await listed();
    await setXattr(scene.fs, '/d/3', 'user.pailfs.visibility', 'public');
    await writeFile(scene.fs, '/d/temporary', 'content');

    await scene.fs.rename('/d/temporary', '/d/3', false);
    await drained(scene.mounted);

    expect((await scene.stored('d/3')).toString()).toBe('content');
    expect((await scene.direct.getVisibility(scene.bucket, 'd/3')).visibility).toBe('public');
  });

  it('to a name that was just unlinked is not deleted', async () => {
    const scene = await listed();
    scene.faults.add({ ...away, times: 2 });
    await writeFile(scene.fs, '/d/temporary', 'content');
    await scene.fs.unlink('/d/3');

    await scene.fs.rename('/d/temporary', '/d/3', false);
    await expect.poll(() => tried(scene)).toBe('done');

    expect((await scene.stored('d/3')).toString()).toBe('content');
  });

  it('of a stored file to a name that was just unlinked is not deleted', async () => {
    const scene = await listed();
    await scene.fs.unlink('/d/3');

    await scene.fs.rename('/d/4', '/d/3', false);
    await drained(scene.mounted);

    expect((await scene.stored('d/3')).toString()).toBe('4');
    expect(await isThere(scene, 'd/4')).toBe(false);
  });
});

/** `done` when everything could be sent now; else why not. */
async function tried(scene: FileSystemForTest): Promise<string> {
  return drained(scene.mounted).then(
    () => 'done',
    (error: unknown) => String(error),
  );
}
