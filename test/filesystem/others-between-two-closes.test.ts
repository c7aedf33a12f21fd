/**
 * SEMANTICS: with write-back a file is closed again while what its close before promised goes up. What others do to the file when that
 * is stored counts as after any other close.
 */
import { expect, it } from 'vitest';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openJournal } from '../support/open-journal.ts';
import { edit, openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { textOf, textOfConflictCopy, visibilityOf } from '../support/stored-state.ts';

/** Longer than what is closed waits for its upload. */
const SOON = 200;

/** What is known of a link is asked anew each time. */
const settings = { writeBack: true, metadataTtl: 0 } as const;

/** `/f` is on its way to be `anew`; then come `meanwhile`, and the end of that upload. */
async function storedAfter(
  meanwhile: (scene: FileSystemForTest) => Promise<void>,
  visibility: 'public' | 'private' = 'private',
): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings });
  await writeFile(scene.fs, '/f', 'base');
  await drained(scene.mounted);
  const upload = holdNext(scene.service, 'putObject');
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'anew');
  await setXattr(scene.fs, '/f', 'user.pailfs.visibility', visibility);
  await scene.fs.flush(handle);
  await scene.fs.release(handle);
  scene.clock.advance(SOON);
  await upload.begun;
  await meanwhile(scene);
  upload.letGo();
  await expect.poll(() => textOf(scene, 'f')).toBe('anew');
  await expect.poll(() => visibilityOf(scene, 'f')).toBe(visibility);
  // Its end is heard of, and recorded.
  await expect
    .poll(async () => (await recordsOf(await diskNow(scene))).map(({ state }) => state))
    .toEqual(['queued']);
  return scene;
}

async function recordsOf({ directory }: DiskImage) {
  const { journal } = await openJournal(directory);
  return journal.contents.drafts.filter(({ state }) => state !== 'stored');
}

it.each([
  { times: 'once', added: '+' },
  { times: 'twice', added: '++' },
])('what was added $times is kept beside what they store [write-back/conflict]', async ({ added }) => {
  const scene = await storedAfter(async ({ fs }) => {
    for (let position = 0; position < added.length; position += 1) await edit(fs, '/f', '+', 4 + position);
  });

  await scene.foreignWrite('f', 'theirs');
  await drained(scene.mounted);

  await expect.poll(() => textOfConflictCopy(scene)).toBe(`anew${added}`);
  expect(await textOf(scene, 'f')).toBe('theirs');
});

it('so it is by the next mount, after a kill [write-back/conflict]', async () => {
  const scene = await storedAfter(({ fs }) => edit(fs, '/f', '+', 4));
  const disk = await diskNow(scene);

  await scene.foreignWrite('f', 'theirs');
  await drained(await mountOver(disk, scene, { settings }));

  await expect.poll(() => textOfConflictCopy(scene)).toBe('anew+');
  expect(await textOf(scene, 'f')).toBe('theirs');
});

it('what was written anew from empty replaces what they store [write/rewrite-wins]', async () => {
  const scene = await storedAfter(({ fs }) => writeFile(fs, '/f', 'ours'));

  await scene.foreignWrite('f', 'theirs');
  await drained(scene.mounted);

  expect(await textOf(scene, 'f')).toBe('ours');
});

it.each(['added to', 'written anew'])(
  'a link that they take down stays down when the file was %s [visibility/preserve]',
  async (how) => {
    const scene = await storedAfter(
      ({ fs }) => (how === 'added to' ? edit(fs, '/f', '+', 4) : writeFile(fs, '/f', 'anew+')),
      'public',
    );

    await scene.direct.setVisibility(scene.bucket, 'f', 'private');
    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('anew+');
    expect(await visibilityOf(scene, 'f')).toBe('private');
  },
);

it('with visibility=public what was set private twice stays private [visibility/preserve]', async () => {
  const scene = await openForTest({ settings: { ...settings, visibility: 'public' } });
  const first = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, first, 'anew');
  await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'private');
  await scene.fs.flush(first);
  const second = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, second, 'secret');
  await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'private');
  scene.clock.advance(SOON);
  await expect.poll(() => textOf(scene, 'f')).toBe('anew');

  await scene.fs.flush(second);
  for (const handle of [first, second]) await scene.fs.release(handle);
  await drained(scene.mounted);

  expect(await textOf(scene, 'f')).toBe('secret');
  expect(await visibilityOf(scene, 'f')).toBe('private');
});
