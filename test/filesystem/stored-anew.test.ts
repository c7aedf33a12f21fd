/** SEMANTICS: what a mount stores anew of its own accord, for a rename or a type, has the time that it had, and the links that it has now. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openForTest, readFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, setXattr, xattr } from '../support/program-acts.ts';
import { withOwedLink } from '../support/public-file.ts';

const VISIBILITY = 'user.pailfs.visibility';
const MIME_TYPE = 'user.mime_type';
const YEAR = 365 * 24 * 3_600_000;

/** Others have stored `d/f` a year ago, by the service's clock. */
async function withOldFile(): Promise<FileSystemForTest & { readonly storedAt: number }> {
  const clock = new ManualClock(Date.now() - YEAR);
  const scene = await openForTest({ store: { clock } });
  await scene.foreignWrite('d/f', 'old', 'text/plain');
  const storedAt = (await scene.fs.getAttributes('/d/f')).mtime;
  clock.advance(YEAR);
  scene.clock.advance(1000);
  return { ...scene, storedAt };
}

describe('the mtime of a file that others have stored', () => {
  it.each([true, false])(
    'stays when its type is set, mode set before: %s [attributes/own-upload]',
    async (isSet) => {
      const scene = await withOldFile();
      if (isSet) await scene.fs.setAttributes('/d/f', { mode: 0o600 });

      await setXattr(scene.fs, '/d/f', MIME_TYPE, 'image/png');

      expect((await scene.direct.headObject(scene.bucket, 'd/f')).contentType).toBe('image/png');
      const { mtime, ctime } = await scene.fs.getAttributes('/d/f');
      expect([mtime, ctime]).toEqual([scene.storedAt, scene.clock.now()]);
    },
  );

  it.each([
    ['/d/f', '/d/g', '/d/g'],
    ['/d', '/e', '/e/f'],
  ])('stays when %s is renamed to %s [attributes/own-upload]', async (from, to, path) => {
    const scene = await withOldFile();

    await scene.fs.rename(from, to, false);

    expect((await scene.fs.getAttributes(path)).mtime).toBe(scene.storedAt);
    await drained(scene.mounted);
    await scene.mounted.close({ patience: 1000 });
    const next = await mountOver(await diskNow(scene), scene);
    expect((await next.operations.getAttributes(path)).mtime).toBe(scene.storedAt);
  });
});

it('a link that was restored is shown at once, though its file was seen without [visibility/restore-fails]', async () => {
  const scene = await withOwedLink();
  expect(await xattr(scene.fs, '/f', VISIBILITY)).toBe('private');

  await drained(scene.mounted);

  expect(await xattr(scene.fs, '/f', VISIBILITY)).toBe('public');
  expect(await xattr(scene.fs, '/f', 'user.pailfs.url')).not.toBe('');
  expect(await xattr(scene.fs, '/f', 'user.pailfs.share_url')).toBe('');
});

it('a type that no header can carry is EINVAL, and the file stays readable [xattr/answers]', async () => {
  const scene = await withOldFile();

  expect(await errnoOfCall(setXattr(scene.fs, '/d/f', MIME_TYPE, `text/plain; ${'x'.repeat(20_000)}`))).toBe(
    'EINVAL',
  );
  expect((await readFile(scene.fs, '/d/f')).toString()).toBe('old');
  await setXattr(scene.fs, '/d/f', MIME_TYPE, `text/plain; charset=utf-8; x=${'x'.repeat(200)}`);
});
