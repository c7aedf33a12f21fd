/** SEMANTICS: a person has what was set aside tried again, which fails for a while: what others store meanwhile is not replaced. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

/** A close of /f has failed and waits; a program that opened it then has written `text`, and others have stored the name since. */
async function failedAndWrittenOn(open: typeof openToEdit, text: string) {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, store, mounted, clock } = scene;
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/f', 'closed');
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list()).map(({ state }) => state)).toEqual(['failed']);
  const handle = await open(fs, '/f');
  await writeAt(fs, handle, text);
  store.changeAccount({ gracePeriod: false });
  await scene.foreignWrite('f', 'theirs');
  return { scene, handle };
}

it.each([false, true])(
  'it is stored beside that when it is tried once more (write-back %s) [uploads/beside]',
  async (writeBack) => {
    const scene = await openForTest({ settings: { writeBack } });
    const { fs, faults, store, mounted, clock } = scene;
    faults.add({ operation: 'putObject', key: 'f', fault: { kind: 'status', status: 403 } });
    await writeFile(fs, '/f', 'set aside').catch(() => undefined);
    clock.advance(1000);
    await expect
      .poll(async () => (await mounted.unsent.list()).map(({ state }) => state))
      .toEqual(['set aside']);
    store.changeAccount({ gracePeriod: true });
    expect(await mounted.unsent.retry(null)).toMatchObject([{ isDone: false }]);
    store.changeAccount({ gracePeriod: false });
    await scene.foreignWrite('f', 'of somebody else');
    clock.advance(LATER);

    await mounted.unsent.retry(null);

    await expect.poll(() => mounted.unsent.list()).toEqual([]);
    expect(Object.values(await textsOf(scene)).sort()).toEqual(['of somebody else', 'set aside']);
  },
);

it('half a file that was named once is stored beside that by the next mount [uploads/half] [uploads/beside]', async () => {
  const scene = await openForTest();
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'half');
  const disk = await diskNow(scene);
  await scene.fs.unlink('/f');
  await scene.fs.release(handle);
  scene.store.changeAccount({ gracePeriod: true });
  const next = await mountOver(disk, scene);
  const [half] = await next.unsent.list();
  expect(await next.unsent.retry([half?.id ?? ''])).toMatchObject([{ isDone: false }]);
  const left = await diskNow({ stateDirectory: disk.directory });
  // It would try again, too, once it is later.
  await next.close({ patience: 0 });
  scene.store.changeAccount({ gracePeriod: false });
  await scene.foreignWrite('f', 'a whole file');
  scene.clock.advance(LATER);

  const again = await mountOver(left, scene);
  await again.close({ patience: 1000 });

  const stored = await textsOf(scene);
  expect(stored['f']).toBe('a whole file');
  expect(Object.values(stored).sort()).toEqual(['a whole file', 'half']);
});

it('what failed at its close is tried again at its own name all the same, in the place of what it was to replace', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('f', 'old');
  scene.store.changeAccount({ gracePeriod: true });
  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'new'))).toBe('EDQUOT');
  scene.store.changeAccount({ gracePeriod: false });

  await scene.mounted.unsent.retry(null);

  expect(await textsOf(scene)).toEqual({ f: 'new' });
});

describe('what failed, or waits, and was written anew from empty', () => {
  const settings = [
    { conflict: 'keep-both' },
    { conflict: 'fail' },
    { conflict: 'overwrite' },
    { writeBack: true },
  ] as const;

  it.each(settings)('is stored beside what others have stored since (%o) [uploads/beside]', async (given) => {
    const scene = await openForTest({ settings: given });
    const { fs, store, mounted, clock } = scene;
    await scene.foreignWrite('f', 'old');
    store.changeAccount({ gracePeriod: true });
    for (const path of ['/f', '/new']) await writeFile(fs, path, 'ours').catch(() => undefined);
    clock.advance(1000);
    await expect
      .poll(async () => (await mounted.unsent.list()).map(({ state }) => state))
      .toEqual(['failed', 'failed']);
    store.changeAccount({ gracePeriod: false });
    for (const key of ['f', 'new']) await scene.foreignWrite(key, 'theirs');

    const outcomes = await mounted.unsent.retry(null);

    expect(outcomes).toMatchObject([
      { isDone: true, path: '/f', storedAs: expect.stringContaining('conflict') as string },
      { isDone: true, path: '/new', storedAs: expect.stringContaining('conflict') as string },
    ]);
    const stored = await textsOf(scene);
    expect([stored['f'], stored['new']]).toEqual(['theirs', 'theirs']);
    expect(Object.values(stored).sort()).toEqual(['ours', 'ours', 'theirs', 'theirs']);
    expect(await mounted.unsent.list()).toEqual([]);
  });

  it('is stored beside it also when nobody knows how its upload has ended [uploads/beside]', async () => {
    const scene = await openForTest();
    scene.faults.add({ operation: 'putObject', times: 20, fault: { kind: 'status', status: 503 } });
    await writeFile(scene.fs, '/f', 'ours').catch(() => undefined);
    scene.faults.clear();
    expect(await scene.mounted.unsent.list()).toMatchObject([{ state: 'end unknown' }]);
    await scene.foreignWrite('f', 'theirs');

    await scene.mounted.unsent.retry(null);

    const stored = await textsOf(scene);
    expect(stored['f']).toBe('theirs');
    expect(Object.values(stored).sort()).toEqual(['ours', 'theirs']);
  });

  it('has the type that its name says, whether it goes beside or not [write/type]', async () => {
    const scene = await openForTest();
    const { fs, store, mounted, direct, bucket } = scene;
    for (const key of ['a.txt', 'b.txt']) await scene.foreignWrite(key, 'old', 'image/png');
    for (const path of ['/a.txt', '/b.txt']) await fs.getXattr(path, 'user.mime_type');
    store.changeAccount({ gracePeriod: true });
    for (const path of ['/a.txt', '/b.txt']) await writeFile(fs, path, 'ours').catch(() => undefined);
    store.changeAccount({ gracePeriod: false });
    await scene.foreignWrite('b.txt', 'theirs', 'image/png');

    await mounted.unsent.retry(null);

    const { objects } = await direct.listObjects(bucket, { folder: '' });
    const heads = await Promise.all(objects.map(({ key }) => direct.headObject(bucket, key)));
    expect(heads.map(({ contentType }) => contentType).sort()).toEqual([
      'image/png',
      'text/plain',
      'text/plain',
    ]);
  });

  it('is no copy where its type alone was to be set', async () => {
    const scene = await openForTest();
    const { fs, store, mounted } = scene;
    await scene.foreignWrite('f', 'old');
    store.changeAccount({ gracePeriod: true });
    await fs.setXattr('/f', 'user.mime_type', Buffer.from('text/x-mine'), 'any').catch(() => undefined);
    store.changeAccount({ gracePeriod: false });
    await scene.foreignWrite('f', 'theirs');

    await mounted.unsent.retry(null);

    expect(await textsOf(scene)).toEqual({ f: 'theirs' });
  });

  it('goes beside what others stored since its program had deleted the file and made it anew [uploads/beside]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    const { fs, faults, clock } = scene;
    await scene.foreignWrite('f', 'old');
    await names(fs, '/');
    for (const operation of ['deleteObject', 'headObject'] as const)
      faults.add({ operation, key: 'f', times: Infinity, fault: { kind: 'status', status: 503 } });
    await fs.unlink('/f');
    scene.store.changeAccount({ gracePeriod: true });
    await writeFile(fs, '/f', 'ours');
    clock.advance(1000);
    const disk = await diskNow(scene);
    scene.store.changeAccount({ gracePeriod: false });
    faults.clear();
    await scene.foreignWrite('f', 'theirs');
    const next = await mountOver(disk, scene, { leftovers: 'when asked' });

    await next.unsent.retry(null);

    const stored = await textsOf(scene);
    expect(stored['f']).toBe('theirs');
    expect(Object.values(stored).sort()).toEqual(['ours', 'theirs']);
  });

  it('replaces what it was to replace, when nobody has stored anything since', async () => {
    const scene = await openForTest();
    const { fs, store, mounted } = scene;
    await scene.foreignWrite('f', 'old');
    store.changeAccount({ gracePeriod: true });
    for (const path of ['/f', '/new']) await writeFile(fs, path, 'ours').catch(() => undefined);
    store.changeAccount({ gracePeriod: false });

    await mounted.unsent.retry(null);

    expect(await mounted.unsent.list()).toEqual([]);
    expect(await textsOf(scene)).toEqual({ f: 'ours', new: 'ours' });
  });

  it('is not sent again, and is nobody else’s, when its upload had come without an answer', async () => {
    const scene = await openForTest();
    scene.faults.add({ operation: 'putObject', key: 'f', times: 20, fault: { kind: 'lost-answer' } });
    await writeFile(scene.fs, '/f', 'ours').catch(() => undefined);
    scene.faults.clear();

    await scene.mounted.unsent.retry(null);

    expect(await textsOf(scene)).toEqual({ f: 'ours' });
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it('goes beside while a program writes the name anew: that replaces theirs when it is closed [write/rewrite-wins]', async () => {
    const { scene, handle } = await failedAndWrittenOn(openToRewrite, 'anew');
    const { fs, mounted } = scene;
    const closed = (await mounted.unsent.list()).find(({ state }) => state !== 'open');

    expect(await mounted.unsent.retry([closed?.id ?? ''])).toMatchObject([{ isDone: true }]);

    const between = await textsOf(scene);
    expect(between['f']).toBe('theirs');
    expect(Object.values(between).sort()).toEqual(['closed', 'theirs']);
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect((await textsOf(scene))['f']).toBe('anew');
  });

  it('goes beside while a program edits it in place, whose edit follows it there [uploads/beside] [conflict/handles]', async () => {
    const { scene, handle } = await failedAndWrittenOn(openToEdit, 'ED');
    const { fs, mounted } = scene;

    const [outcome] = await mounted.unsent.retry(null);

    const beside = outcome?.storedAs?.slice(1) ?? '';
    expect(await textsOf(scene)).toEqual({ f: 'theirs', [beside]: 'closed' });
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ f: 'theirs', [beside]: 'EDosed' });
  });
});

describe('what an earlier mount left, and whose end nobody knows since', () => {
  it.each([
    { made: 'anew', conflict: 'keep-both' },
    { made: 'in place', conflict: 'overwrite' },
  ] as const)(
    'is stored beside what others have stored since, made $made (%o) [uploads/beside]',
    async ({ made, conflict }) => {
      const scene = await openForTest({ settings: { conflict } });
      const { fs, faults } = scene;
      await scene.foreignWrite('f', 'old');
      faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
      const making = made === 'anew' ? writeFile(fs, '/f', 'own') : edit(fs, '/f', 'own', 0);
      await making.catch(() => undefined);
      const next = await mountOver(await diskNow(scene), scene, { settings: { conflict } });
      await expect
        .poll(async () => (await next.unsent.list()).map(({ state, attempts }) => [state, attempts > 1]))
        .toEqual([['end unknown', true]]);
      await scene.foreignWrite('f', 'theirs');
      faults.clear();

      await next.unsent.retry(null);

      const stored = await textsOf(scene);
      expect(stored['f']).toBe('theirs');
      expect(Object.values(stored).sort()).toEqual(['own', 'theirs']);
    },
  );
});

describe('an edit that failed', () => {
  const settings = [{ conflict: 'keep-both' }, { conflict: 'fail' }, { conflict: 'overwrite' }] as const;

  async function withFailed(
    given: (typeof settings)[number],
    change: (fs: FileSystemForTest['fs']) => Promise<void> = (fs) => edit(fs, '/f', 'own', 0),
  ): Promise<FileSystemForTest> {
    const scene = await openForTest({ settings: given });
    await scene.foreignWrite('f', 'old');
    scene.store.changeAccount({ gracePeriod: true });
    expect(await errnoOfCall(change(scene.fs))).toBe('EDQUOT');
    scene.store.changeAccount({ gracePeriod: false });
    return scene;
  }

  it.each(settings)('is stored beside what others have stored since (%o) [uploads/beside]', async (given) => {
    const scene = await withFailed(given);
    await scene.foreignWrite('f', 'theirs');

    expect(await scene.mounted.unsent.retry(null)).toMatchObject([
      { isDone: true, path: '/f', storedAs: expect.stringContaining('conflict') as string },
    ]);

    const stored = await textsOf(scene);
    expect(stored['f']).toBe('theirs');
    expect(Object.values(stored).sort()).toEqual(['own', 'theirs']);
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it.each(settings)('is stored at its name when nobody has stored anything since (%o)', async (given) => {
    const scene = await withFailed(given);

    expect(await scene.mounted.unsent.retry(null)).toMatchObject([{ isDone: true, storedAs: null }]);

    expect(await textsOf(scene)).toEqual({ f: 'own' });
  });

  it.each(settings)(
    'was of the type alone, and is refused once others have stored bytes (%o) [uploads/beside]',
    async (given) => {
      const scene = await withFailed(given, (fs) =>
        fs.setXattr('/f', 'user.mime_type', Buffer.from('text/x-mine'), 'any'),
      );
      await scene.foreignWrite('f', 'theirs');

      expect(await scene.mounted.unsent.retry(null)).toMatchObject([
        { isDone: false, reason: expect.stringContaining('somebody else replaced') as string },
      ]);

      expect(await textsOf(scene)).toEqual({ f: 'theirs' });
    },
  );
});
