/** What `pailfs uploads` can do about what is not stored. SEMANTICS: what was set aside, and a person's word about it. */
import { readdir, writeFile as writeLocal } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { draftText } from '../support/draft-bytes.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { signal } from '../support/signal.ts';
import { textOf, textsOf } from '../support/stored-state.ts';

/** The next upload is refused with `status`. */
function refuse(scene: FileSystemForTest, status: number): void {
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status } });
}

async function setAside(scene: FileSystemForTest, path: string, text: string): Promise<string> {
  refuse(scene, 403);
  await expect(writeFile(scene.fs, path, text)).rejects.toMatchObject({ code: 'EACCES' });
  const change = (await scene.mounted.unsent.list()).find((one) => one.path === path);
  return change?.id ?? '';
}

/** No upload is answered before `answered`, once a person tries them again. */
function withHeldUploads(inner: ObjectService, answered: Promise<void>): ObjectService {
  return new InterceptedService(inner, async (call, proceed) => {
    const result = await proceed();
    if (call.operation === 'putObject') await answered;
    return result;
  });
}

describe('to try again', () => {
  it('stores what failed and what was set aside [uploads/retry]', async () => {
    const scene = await openForTest();
    await setAside(scene, '/refused', 'refused');
    refuse(scene, 402);
    await expect(writeFile(scene.fs, '/paused', 'paused')).rejects.toMatchObject({ code: 'EDQUOT' });

    const outcomes = await scene.mounted.unsent.retry(null);

    expect(outcomes).toMatchObject([
      { kind: 'upload', path: '/paused', isDone: true, storedAs: null, reason: null },
      { kind: 'upload', path: '/refused', isDone: true, storedAs: null, reason: null },
    ]);
    expect(await textOf(scene, 'refused')).toBe('refused');
    expect(await textOf(scene, 'paused')).toBe('paused');
    expect(await scene.mounted.unsent.list()).toEqual([]);
    expect(await readdir(join(scene.stateDirectory, 'drafts'))).toEqual([]);
    expect((await readFile(scene.fs, '/refused')).toString()).toBe('refused');
  });

  it.each([
    ['set aside', 1, 403],
    ['set aside', 12, 403],
    ['failed', 12, 402],
  ])(
    'stores what was %s and is asked for twice at once, and says so to both (%i) [uploads/retry]',
    async (_state, count, status) => {
      const scene = await openForTest();
      for (let number = 0; number < count; number += 1) {
        refuse(scene, status);
        await errnoOfCall(writeFile(scene.fs, `/f${number}`, 'x'));
      }

      const [one, other] = await Promise.all([
        scene.mounted.unsent.retry(null),
        scene.mounted.unsent.retry(null),
      ]);

      const stored = Array.from({ length: count }, () => ({ isDone: true, storedAs: null, reason: null }));
      expect(one).toMatchObject(stored);
      expect(other).toMatchObject(stored);
      expect(await scene.mounted.unsent.list()).toEqual([]);
      expect(Object.keys(await textsOf(scene))).toHaveLength(count);
    },
  );

  it('does either that or a discard that is asked for at the same time, and says so', async () => {
    const scene = await openForTest();
    const id = await setAside(scene, '/f', 'x');

    const [[discarded], [retried]] = await Promise.all([
      scene.mounted.unsent.discard([id]),
      scene.mounted.unsent.retry([id]),
    ]);

    expect([discarded?.isDone, retried?.isDone].filter((isDone) => isDone)).toHaveLength(1);
    const reason = (discarded?.reason ?? '') + (retried?.reason ?? '');
    expect(reason).toBe('it is not there any more');
  });

  it('stores only what is named, and leaves the rest alone', async () => {
    const scene = await openForTest();
    const one = await setAside(scene, '/one', 'one');
    await setAside(scene, '/two', 'two');

    expect(await scene.mounted.unsent.retry([one])).toMatchObject([{ id: one, isDone: true }]);

    expect(await scene.mounted.unsent.list()).toMatchObject([{ path: '/two', state: 'set aside' }]);
    expect(await names(scene.fs, '/')).toEqual(['one']);
  });

  it('says of a deletion that somebody else has stored another file there [uploads/retry]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await scene.foreignWrite('f', 'old');
    await names(scene.fs, '/');
    scene.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    await scene.fs.unlink('/f');
    await expect.poll(async () => (await scene.mounted.unsent.list())[0]?.attempts).toBeGreaterThan(0);
    await scene.foreignWrite('f', 'theirs');
    scene.faults.clear();

    const outcomes = await scene.mounted.unsent.retry(null);

    const reason = 'somebody else has stored another file there';
    expect(outcomes).toMatchObject([{ kind: 'delete', path: '/f', isDone: false, reason }]);
    expect(await textOf(scene, 'f')).toBe('theirs');
  });

  it('says of a file that is removed and stored by others meanwhile that it is not there [uploads/retry]', async () => {
    const answered = signal();
    const scene = await openForTest({ between: (inner) => withHeldUploads(inner, answered.given) });
    const { fs, faults, mounted, clock } = scene;
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    // As many as are tried at once go before it.
    for (const path of ['/1', '/2', '/3', '/4']) await errnoOfCall(writeFile(fs, path, 'x'));
    clock.advance(1000);
    await errnoOfCall(writeFile(fs, '/late', 'unsent'));
    faults.clear();

    const retried = mounted.unsent.retry(null);
    await fs.unlink('/late');
    await scene.foreignWrite('late', 'theirs');
    mounted.refresh('/');
    await fs.getAttributes('/late');
    answered.give();

    const outcome = (await retried).find(({ path }) => path === '/late');
    expect(outcome).toMatchObject({ isDone: false, reason: 'it is not there any more' });
  });

  it('replaces the file that was to be replaced, and what is refused again is set aside again [uploads/retry]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'old');
    const id = await setAside(scene, '/f', 'new');
    refuse(scene, 413);

    const [refused] = await scene.mounted.unsent.retry([id]);
    expect(refused).toMatchObject({ isDone: false, reason: expect.stringContaining('fault') as string });
    expect(await scene.mounted.unsent.list()).toMatchObject([{ id, state: 'set aside', code: 'EFBIG' }]);
    expect((await readFile(scene.fs, '/f')).toString()).toBe('old');
    expect(await scene.mounted.unsent.retry([id])).toMatchObject([{ isDone: true }]);

    expect(await textOf(scene, 'f')).toBe('new');
  });

  it('puts nothing over what somebody has stored since: both are kept [uploads/beside]', async () => {
    const scene = await openForTest();
    const id = await setAside(scene, '/notes.txt', 'ours');
    await scene.foreignWrite('notes.txt', 'theirs');

    const [outcome] = await scene.mounted.unsent.retry([id]);

    expect(outcome).toMatchObject({ isDone: true, path: '/notes.txt' });
    expect(outcome?.storedAs).toMatch(/^\/notes \(conflict here .*\)\.txt$/);
    expect(await textOf(scene, 'notes.txt')).toBe('theirs');
    expect(await textOf(scene, outcome?.storedAs?.slice(1) ?? '')).toBe('ours');
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it('does so also when a program here is writing to the name [uploads/beside]', async () => {
    const scene = await openForTest();
    const id = await setAside(scene, '/f', 'before');
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'now');

    const [outcome] = await scene.mounted.unsent.retry([id]);
    await scene.fs.flush(handle);
    await scene.fs.release(handle);

    expect(outcome?.storedAs).toMatch(/^\/f \(conflict/);
    expect(await textOf(scene, 'f')).toBe('now');
    expect(await textOf(scene, outcome?.storedAs?.slice(1) ?? '')).toBe('before');
  });

  it('is told that what goes by itself meanwhile is stored [uploads/retry]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    // More than go up at once.
    for (let number = 0; number < 12; number += 1) await writeFile(scene.fs, `/f${number}`, 'x');
    const next = await mountOver(await diskNow(scene), scene);

    const outcomes = await next.unsent.retry(null);

    expect(outcomes.map(({ isDone }) => isDone)).toEqual(Array.from({ length: 12 }, () => true));
    expect(Object.keys(await textsOf(scene))).toHaveLength(12);
  });

  it('leaves half a file where it is unless it is named, and then replaces nothing with it [uploads/half]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'whole');
    const handle = await openToEdit(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'HA');
    const next = await mountOver(await diskNow(scene), scene);
    const [half] = await next.unsent.list();

    const [all] = await next.unsent.retry(null);
    expect(all).toMatchObject({ isDone: false, reason: expect.stringContaining('half a file') as string });
    const [named] = await next.unsent.retry([half?.id ?? '']);

    expect(named?.storedAs).toMatch(/^\/f \(conflict/);
    expect(await textOf(scene, 'f')).toBe('whole');
    expect(await textOf(scene, named?.storedAs?.slice(1) ?? '')).toBe('HAole');
    await scene.fs.release(handle);
  });

  it('leaves a whole file alone while a program writes to it what could not be stored before [uploads/half]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'whole');
    refuse(scene, 402);
    await expect(writeFile(scene.fs, '/f', 'new')).rejects.toMatchObject({ code: 'EDQUOT' });
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'ha');

    const [outcome] = await scene.mounted.unsent.retry(null);

    expect(outcome).toMatchObject({ path: '/f', isDone: false, reason: 'a program is still writing it' });
    expect(await textOf(scene, 'f')).toBe('whole');
    await writeAt(scene.fs, handle, 'half no more');
    await scene.fs.flush(handle);
    await scene.fs.release(handle);
    expect(await textOf(scene, 'f')).toBe('half no more');
  });

  it('says why, and loses nothing, while the service is away', async () => {
    const scene = await openForTest();
    const id = await setAside(scene, '/f', 'kept');
    scene.faults.add({ times: Infinity, fault: { kind: 'reset' } });

    const [outcome] = await scene.mounted.unsent.retry([id]);
    const [change] = await scene.mounted.unsent.list();

    expect(outcome).toMatchObject({ isDone: false });
    expect(change).toMatchObject({ id, path: '/f' });
    expect(await draftText(change?.file ?? '')).toBe('kept');
    scene.faults.clear();
    expect(await scene.mounted.unsent.retry(null)).toMatchObject([{ isDone: true }]);
    expect(await textOf(scene, 'f')).toBe('kept');
  });

  it('is not possible on a read-only mount, nor for a scratch file or bytes without a name', async () => {
    const scene = await openForTest();
    await setAside(scene, '/f', 'kept');
    await writeFile(scene.fs, '/.x.swp', 'here');
    const disk = await diskNow(scene);
    await writeLocal(join(disk.directory, 'drafts', 'damaged'), Buffer.alloc(64 * 1024 + 3));
    const next = await mountOver(disk, scene, { settings: { readOnly: true } });

    const readOnly = await next.unsent.retry(null);
    const [scratch] = (await scene.mounted.unsent.list()).filter(({ kind }) => kind === 'scratch');

    expect(readOnly).not.toEqual([]);
    expect(readOnly.filter(({ isDone }) => isDone)).toEqual([]);
    expect(await scene.mounted.unsent.retry([scratch?.id ?? ''])).toMatchObject([
      { isDone: false, reason: expect.stringContaining('rename it') as string },
    ]);
  });

  it('restores a link', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'old');
    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');
    scene.faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });
    await expect(writeFile(scene.fs, '/f', 'new')).rejects.toMatchObject({ code: 'EIO' });

    expect(await scene.mounted.unsent.retry(null)).toMatchObject([{ path: '/f', isDone: true }]);

    expect((await scene.direct.getVisibility(scene.bucket, 'f')).visibility).toBe('public');
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });
});

describe('to discard', () => {
  it('deletes the bytes here, and the path shows what the service has [uploads/discard]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('paused', 'old');
    const aside = await setAside(scene, '/refused', 'refused');
    refuse(scene, 402);
    await expect(writeFile(scene.fs, '/paused', 'paused')).rejects.toMatchObject({ code: 'EDQUOT' });
    const ids = (await scene.mounted.unsent.list()).map(({ id }) => id);
    expect(ids).toContain(aside);

    const outcomes = await scene.mounted.unsent.discard(ids);

    expect(outcomes.map(({ isDone }) => isDone)).toEqual([true, true]);
    expect(await scene.mounted.unsent.list()).toEqual([]);
    expect(await readdir(join(scene.stateDirectory, 'drafts'))).toEqual([]);
    expect((await readFile(scene.fs, '/paused')).toString()).toBe('old');
    const next = await mountOver(await diskNow(scene), scene);
    expect(await next.unsent.list()).toEqual([]);
  });

  it('takes nothing from a program that has the file open', async () => {
    const scene = await openForTest();
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'mine');
    const [change] = await scene.mounted.unsent.list();

    const outcomes = await scene.mounted.unsent.discard([change?.id ?? '']);

    expect(outcomes).toMatchObject([{ isDone: false, reason: expect.stringContaining('open') as string }]);
    await scene.fs.flush(handle);
    await scene.fs.release(handle);
    expect(await textOf(scene, 'f')).toBe('mine');
  });

  it('forgets bytes without a name', async () => {
    const scene = await openForTest();
    const disk = await diskNow(scene);
    await writeLocal(join(disk.directory, 'drafts', 'damaged'), Buffer.alloc(64 * 1024 + 3));
    const next = await mountOver(disk, scene);

    expect(await next.unsent.discard(['damaged'])).toMatchObject([{ isDone: true, path: null }]);

    expect(await readdir(join(disk.directory, 'drafts'))).toEqual([]);
  });
});
