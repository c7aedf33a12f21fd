/** SEMANTICS: what was closed in a mount is stored by another one, with another `visibility=`. */
import { expect, it } from 'vitest';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { setXattr } from '../support/program-acts.ts';
import { textOf, visibilityOf } from '../support/stored-state.ts';

type Setting = FileSystemSettings['visibility'];

it.each<[before: string, first: Setting, next: Setting, after: string]>([
  ['public', 'private', 'preserve', 'private'],
  ['public', 'private', 'public', 'private'],
  ['private', 'public', 'preserve', 'public'],
  ['private', 'public', 'private', 'public'],
  ['public', 'preserve', 'private', 'private'],
  ['private', 'preserve', 'preserve', 'private'],
])(
  'a %s file that was rewritten with visibility=%s is, by a mount with visibility=%s, %s [visibility/promised]',
  async (before, first, next, after) => {
    const scene = await openForTest({ settings: { writeBack: true, visibility: first } });
    const { direct, bucket } = scene;
    await scene.foreignWrite('f', 'old');
    if (before === 'public') await direct.setVisibility(bucket, 'f', 'public');
    await writeFile(scene.fs, '/f', 'promised');

    await drained(
      await mountOver(await diskNow(scene), scene, { settings: { writeBack: true, visibility: next } }),
    );

    expect(await textOf(scene, 'f')).toBe('promised');
    expect(await visibilityOf(scene, 'f')).toBe(after);
  },
);

it('what a program has set itself is what it is, whatever both mounts say [visibility/promised]', async () => {
  const scene = await openForTest({ settings: { writeBack: true, visibility: 'private' } });
  await writeFile(scene.fs, '/f', 'promised');
  await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');

  await drained(
    await mountOver(await diskNow(scene), scene, { settings: { writeBack: true, visibility: 'private' } }),
  );

  expect(await visibilityOf(scene, 'f')).toBe('public');
});
