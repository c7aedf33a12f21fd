/** SEMANTICS: a program removes or renames a file whose upload takes long; the kernel lets nobody into the folder meanwhile. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { openForTest, names, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, LogForTest, openToRewrite, writeAt } from '../support/program-acts.ts';
import { silentUploads } from '../support/public-file.ts';
import { textsOf } from '../support/stored-state.ts';
import { stickUploads, type StuckUploads } from '../support/stuck-uploads.ts';

/** Several pieces of an upload. */
const LARGE = 'x'.repeat(400_000);
const PATIENCE = 1000;

interface Scene extends FileSystemForTest, StuckUploads {
  readonly log: LogForTest;
  /** What the close of `f` in the folder `d` says; null: nothing yet, undefined: it was right. */
  readonly closed: () => unknown;
}

/** `d/f` is closed, and goes up. */
async function arrange({
  writeBack,
  when = 'midway',
  stored = {},
}: {
  readonly writeBack: boolean;
  readonly when?: 'midway' | 'at the end';
  readonly stored?: Readonly<Record<string, string>>;
}): Promise<Scene> {
  const log = new LogForTest();
  const scene = await openForTest({ settings: { writeBack }, log });
  for (const [key, text] of Object.entries({ 'd/other': 'other', ...stored }))
    await scene.foreignWrite(key, text);
  await names(scene.fs, '/d');
  const uploads = stickUploads(scene.service, when);
  let answer: unknown = null;
  void writeFile(scene.fs, '/d/f', LARGE).then(
    () => (answer = undefined),
    (error: unknown) => (answer = error),
  );
  await expect
    .poll(() => {
      scene.clock.advance(writeBack ? 100 : 0);
      return [...uploads.stuck];
    })
    .toEqual(['d/f']);
  scene.asked();
  return { ...scene, ...uploads, log, closed: () => answer };
}

const storedKeys = async (scene: Scene): Promise<readonly string[]> => Object.keys(await textsOf(scene));

/** What `change` says, which does not wait for the uploads that are stuck. */
async function soon<Result>({ clock }: Scene, change: Promise<Result>): Promise<Result> {
  clock.advance(PATIENCE);
  return change;
}

describe.each([{ writeBack: true }, { writeBack: false }])('with write-back $writeBack', ({ writeBack }) => {
  it('a new file that is removed is gone, its close succeeds, and the service hears of nothing [write/stopped]', async () => {
    const scene = await arrange({ writeBack });

    await soon(scene, scene.fs.unlink('/d/f'));

    await expect.poll(scene.closed).toBeUndefined();
    expect(scene.asked()).toEqual([]);
    scene.letGo();
    await drained(scene.mounted);
    expect(await storedKeys(scene)).toEqual(['d/other']);
    expect(await errnoOfCall(scene.fs.getAttributes('/d/f'))).toBe('ENOENT');
    expect(await scene.mounted.unsent.list()).toEqual([]);
    expect(scene.log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('one that replaces a stored file takes that along [write/stopped]', async () => {
    const scene = await arrange({ writeBack, stored: { 'd/f': 'old' } });

    await soon(scene, scene.fs.unlink('/d/f'));
    scene.letGo();

    await expect.poll(scene.closed).toBeUndefined();
    await drained(scene.mounted);
    expect(await storedKeys(scene)).toEqual(['d/other']);
  });

  it.each([
    { what: 'a new one', from: '/d/f', to: '/d/g', expected: { 'd/g': LARGE, 'd/other': 'other' } },
    { what: 'its folder', from: '/d', to: '/e', expected: { 'e/f': LARGE, 'e/other': 'other' } },
  ])(
    'when $what is renamed it is stored whole under its new name alone [write/stopped]',
    async ({ from, to, expected }) => {
      const scene = await arrange({ writeBack });

      const renamed = scene.fs.rename(from, to, false);
      scene.clock.advance(PATIENCE);
      await expect.poll(() => scene.stuck.has('d/f')).toBe(false);
      scene.letGo();
      await renamed;

      await expect.poll(scene.closed).toBeUndefined();
      await drained(scene.mounted);
      expect(await textsOf(scene)).toEqual(expected);
    },
  );

  it('who renames a new one does not wait until it is stored [write/stopped]', async () => {
    const scene = await arrange({ writeBack });

    await soon(scene, scene.fs.rename('/d/f', '/d/g', false));

    scene.letGo();
    await expect.poll(scene.closed).toBeUndefined();
  });

  it('one that another is renamed over goes up no more [write/stopped]', async () => {
    const scene = await arrange({ writeBack });

    const renamed = scene.fs.rename('/d/other', '/d/f', false);
    scene.clock.advance(PATIENCE);
    // Its copy goes up then.
    await expect.poll(scene.asked).toContain('getObject d/other');
    scene.letGo();
    await renamed;

    await expect.poll(scene.closed).toBeUndefined();
    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ 'd/f': 'other' });
  });

  it('one whose bytes have all left is waited for, and removed then [write/stopped]', async () => {
    const scene = await arrange({ writeBack, when: 'at the end' });
    let isUnlinked = false;
    const unlinked = scene.fs.unlink('/d/f').then(() => (isUnlinked = true));

    scene.clock.advance(10 * PATIENCE);
    await new Promise(setImmediate);

    expect({ isUnlinked, stuck: [...scene.stuck] }).toEqual({ isUnlinked: false, stuck: ['d/f'] });
    scene.letGo();
    await unlinked;
    await drained(scene.mounted);
    expect(await storedKeys(scene)).toEqual(['d/other']);
  });

  it('one that waits for its turn behind others is removed as well [write/stopped]', async () => {
    const scene = await arrange({ writeBack });
    const paths = Array.from({ length: 9 }, (_, index) => `/d/${index}`);
    const closes = paths.map((path) => writeFile(scene.fs, path, LARGE));
    await expect
      .poll(() => {
        scene.clock.advance(writeBack ? 100 : 0);
        return scene.stuck.size;
      })
      .toBe(8);
    const waiting = paths.filter((path) => !scene.stuck.has(path.slice(1)));

    for (const path of waiting) await soon(scene, scene.fs.unlink(path));

    expect(waiting).toHaveLength(2);
    scene.letGo();
    await Promise.all(closes);
    await drained(scene.mounted);
    const kept = paths.filter((path) => !waiting.includes(path)).map((path) => path.slice(1));
    expect([...(await storedKeys(scene))].sort()).toEqual([...kept, 'd/f', 'd/other'].sort());
  });

  it('an empty one that waits for its turn behind others is removed as well [write/stopped]', async () => {
    const scene = await arrange({ writeBack });
    const paths = Array.from({ length: 7 }, (_, index) => `/d/${index}`);
    const closes = paths.map((path) => writeFile(scene.fs, path, LARGE));
    const begun = (): unknown => {
      scene.clock.advance(writeBack ? 100 : 0);
      return scene.stuck.size;
    };
    await expect.poll(begun).toBe(8);
    const closed = writeFile(scene.fs, '/d/empty', '');
    const state = async (): Promise<unknown> => {
      begun();
      return (await scene.mounted.unsent.list()).find(({ path }) => path === '/d/empty')?.state;
    };
    await expect.poll(state).toBe('uploading');

    await soon(scene, scene.fs.unlink('/d/empty'));

    await closed;
    scene.letGo();
    await Promise.all(closes);
  });
});

it('one that goes up at the last close does so again after the rename, not within [write/stopped]', async () => {
  const scene = await openForTest();
  await names(scene.fs, '/');
  const uploads = stickUploads(scene.service);
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, LARGE);
  const released = scene.fs.release(handle);
  await expect.poll(() => [...uploads.stuck]).toEqual(['f']);

  const renamed = scene.fs.rename('/f', '/g', false);
  scene.clock.advance(PATIENCE);
  await renamed;

  uploads.letGo();
  await released;
  expect(await textsOf(scene)).toEqual({ g: LARGE });
});

it('does not come back when an upload of an earlier mount arrives before the stop [write/stopped]', async () => {
  const silent = silentUploads(false);
  const scene = await openForTest({ settings: { writeBack: true }, between: silent.between });
  await writeFile(scene.fs, '/f', LARGE);
  scene.clock.advance(100);
  await silent.isMade;
  const next = await mountOver(await diskNow(scene), scene, { settings: { writeBack: true } });
  const uploads = stickUploads(scene.service);
  const begun = (): unknown => {
    scene.clock.advance(100);
    return [...uploads.stuck];
  };
  await expect.poll(begun).toEqual(['f']);
  await scene.foreignWrite('f', LARGE);

  const unlinked = next.operations.unlink('/f');
  scene.clock.advance(PATIENCE);
  await unlinked;

  uploads.letGo();
  await drained(next);
  expect(Object.keys(await textsOf(scene))).toEqual([]);
});

it('is stored after all where the service does not let the file be deleted [write/stopped]', async () => {
  const scene = await arrange({ writeBack: false, stored: { 'd/f': 'old' } });
  scene.faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 403 } });

  const unlinked = errnoOfCall(scene.fs.unlink('/d/f'));
  scene.clock.advance(PATIENCE);
  expect(await unlinked).toBe('EACCES');
  scene.letGo();

  await expect.poll(scene.closed).toBeUndefined();
  expect(await textsOf(scene)).toEqual({ 'd/f': LARGE, 'd/other': 'other' });
});

it('who writes it anew meanwhile is heard, too: the name is made again by the next [write/stopped]', async () => {
  const scene = await arrange({ writeBack: false });
  await soon(scene, scene.fs.unlink('/d/f'));
  scene.letGo();

  await writeFile(scene.fs, '/d/f', 'next');

  expect(await textsOf(scene)).toEqual({ 'd/f': 'next', 'd/other': 'other' });
});
