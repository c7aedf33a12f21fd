/** SEMANTICS: what becomes of a public link when programs work on the file. */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, openToRewrite, setXattr, writeAt, xattr } from '../support/program-acts.ts';
import { visibilityOf } from '../support/stored-state.ts';

const VISIBILITY = 'user.pailfs.visibility';

async function withPublicFile(options: Parameters<typeof openForTest>[0] = {}): Promise<FileSystemForTest> {
  const opened = await openForTest(options);
  await opened.foreignWrite('f', 'old');
  await opened.direct.setVisibility(opened.bucket, 'f', 'public');
  await names(opened.fs, '/');
  opened.asked();
  return opened;
}

describe('a public file', () => {
  it('is public again after a rewrite, an edit and a truncation [visibility/preserve]', async () => {
    const opened = await withPublicFile();

    await writeFile(opened.fs, '/f', 'new');
    expect(await visibilityOf(opened, 'f')).toBe('public');
    await edit(opened.fs, '/f', 'N', 0);
    expect(await visibilityOf(opened, 'f')).toBe('public');
    await opened.fs.truncate('/f', 1);

    expect(await visibilityOf(opened, 'f')).toBe('public');
  });

  it.each(['private', 'public'] as const)(
    'is %s after a rewrite when the mount says so [visibility/preserve]',
    async (visibility) => {
      const opened = await withPublicFile({ settings: { visibility } });

      await writeFile(opened.fs, '/f', 'new');

      expect(opened.asked()).not.toContain('getVisibility f');
      expect(await visibilityOf(opened, 'f')).toBe(visibility);
    },
  );

  it('is not published again when somebody else has stored it since, and the close says so [visibility/ours-only]', async () => {
    const opened = await withPublicFile();
    const { fs, faults } = opened;
    faults.add({ operation: 'headObject', fault: { kind: 'changed-etag', etag: 'f'.repeat(32) } });

    await expect(writeFile(fs, '/f', 'new')).rejects.toMatchObject({ code: 'EIO' });

    expect(await visibilityOf(opened, 'f')).toBe('private');
    expect(opened.asked()).not.toContain('setVisibility f');
    expect(await opened.mounted.close({ patience: 60_000 })).toEqual([]);
  });

  it('makes the close fail when it cannot be published, and the next close publishes it [visibility/restore-fails]', async () => {
    const opened = await withPublicFile();
    const { fs, faults, stored, asked } = opened;
    faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });

    await expect(writeFile(fs, '/f', 'new')).rejects.toMatchObject({ code: 'EIO', path: '/f' });
    expect((await stored('f')).toString()).toBe('new');
    expect((await readFile(fs, '/f')).toString()).toBe('new');
    expect(await xattr(fs, '/f', 'user.pailfs.state')).toBe('failed');
    expect(await visibilityOf(opened, 'f')).toBe('private');
    asked();
    const handle = await fs.open('/f', { read: false, write: true, truncate: false });
    await fs.flush(handle);
    await fs.release(handle);

    expect(asked()).toEqual(['headObject f', 'setVisibility f']);
    expect(await visibilityOf(opened, 'f')).toBe('public');
    expect(await xattr(fs, '/f', 'user.pailfs.state')).toBe('clean');
  });

  it('is published at unmount when no close did [visibility/restore-fails]', async () => {
    const opened = await withPublicFile();
    opened.faults.add({ operation: 'setVisibility', fault: { kind: 'reset' } });
    await expect(writeFile(opened.fs, '/f', 'new')).rejects.toThrow();

    expect(await opened.mounted.close({ patience: 60_000 })).toEqual([]);

    expect(await visibilityOf(opened, 'f')).toBe('public');
  });

  it('stays public over a rename, also onto a private file [visibility/rename]', async () => {
    const opened = await withPublicFile();
    await opened.foreignWrite('g', 'private');

    await opened.fs.rename('/f', '/g', false);

    expect(await visibilityOf(opened, 'g')).toBe('public');
  });

  it('gives its visibility to a file made here a moment ago and renamed over it [visibility/rename]', async () => {
    const opened = await withPublicFile();
    await writeFile(opened.fs, '/tmp', 'new');

    await opened.fs.rename('/tmp', '/f', false);

    expect(await visibilityOf(opened, 'f')).toBe('public');
  });

  it('gives it to a draft renamed over it [visibility/rename]', async () => {
    const opened = await withPublicFile();
    const handle = await openToRewrite(opened.fs, '/tmp');
    await writeAt(opened.fs, handle, 'new');

    await opened.fs.rename('/tmp', '/f', false);
    await opened.fs.flush(handle);
    await opened.fs.release(handle);

    expect(await visibilityOf(opened, 'f')).toBe('public');
    expect((await opened.stored('f')).toString()).toBe('new');
  });

  it.each(['before', 'after'] as const)(
    'gives it to a file made here that replaced another one first, %s its upload [visibility/rename]',
    async (when) => {
      const opened = await withPublicFile({ settings: { writeBack: true } });
      await opened.foreignWrite('g', 'private');
      opened.clock.advance(10_001);
      await writeFile(opened.fs, '/tmp', 'new');
      await opened.fs.rename('/tmp', '/g', false);
      if (when === 'after') await drained(opened.mounted);

      await opened.fs.rename('/g', '/f', false);
      await drained(opened.mounted);

      expect((await opened.stored('f')).toString()).toBe('new');
      expect(await visibilityOf(opened, 'f')).toBe('public');
    },
  );

  it('is published at unmount when a rename over it could not', async () => {
    const opened = await withPublicFile();
    const { fs, faults, mounted } = opened;
    await writeFile(fs, '/tmp', 'new');
    faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });

    await expect(fs.rename('/tmp', '/f', false)).rejects.toMatchObject({ code: 'EIO' });
    expect((await readFile(fs, '/f')).toString()).toBe('new');
    expect((await readFile(fs, '/tmp')).toString()).toBe('new');
    expect(await mounted.close({ patience: 60_000 })).toEqual([]);

    expect(await visibilityOf(opened, 'f')).toBe('public');
  });

  it('is not published again when a program has made it private since', async () => {
    const opened = await withPublicFile();
    const { fs, faults, mounted } = opened;
    faults.add({ operation: 'setVisibility', fault: { kind: 'reset' } });
    await expect(writeFile(fs, '/f', 'new')).rejects.toThrow();

    await setXattr(fs, '/f', VISIBILITY, 'private');
    await mounted.close({ patience: 60_000 });

    expect(await visibilityOf(opened, 'f')).toBe('private');
  });

  it('does not give it to an older file, or to one whose visibility somebody set [visibility/rename]', async () => {
    const opened = await withPublicFile();
    const { fs, clock } = opened;
    await writeFile(fs, '/set', 'set');
    await setXattr(fs, '/set', VISIBILITY, 'private');
    await fs.rename('/set', '/f', false);
    expect(await visibilityOf(opened, 'f')).toBe('private');
    await setXattr(fs, '/f', VISIBILITY, 'public');
    await writeFile(fs, '/old', 'old');
    clock.advance(60_001);
    await fs.rename('/old', '/f', false);

    expect(await visibilityOf(opened, 'f')).toBe('private');
  });
});

it.each(['private', 'public'] as const)(
  'a file that waits and is %s gives its visibility to files made here that are renamed over it [visibility/rename]',
  async (visibility) => {
    const opened = await withPublicFile({ settings: { writeBack: true } });
    const { fs } = opened;
    for (const path of ['/one', '/two']) {
      await writeFile(fs, path, 'waits');
      await setXattr(fs, path, VISIBILITY, visibility);
    }
    for (const path of ['/tmp', '/new']) await writeFile(fs, path, path);

    await fs.rename('/tmp', '/one', false);
    await fs.rename('/new', '/f', false);
    await fs.rename('/f', '/two', false);
    await drained(opened.mounted);

    expect((await opened.stored('one')).toString()).toBe('/tmp');
    expect((await opened.stored('two')).toString()).toBe('/new');
    expect(await visibilityOf(opened, 'one')).toBe(visibility);
    expect(await visibilityOf(opened, 'two')).toBe(visibility);
  },
);

describe('visibility set on a draft', () => {
  it('is kept when the file is renamed over another one [visibility/rename]', async () => {
    const opened = await withPublicFile();
    const { fs } = opened;
    const handle = await openToRewrite(fs, '/tmp');
    await setXattr(fs, '/tmp', VISIBILITY, 'private');
    await writeAt(fs, handle, 'x');
    await fs.flush(handle);
    await fs.release(handle);

    await fs.rename('/tmp', '/f', false);

    expect(await visibilityOf(opened, 'f')).toBe('private');
  });

  it('is applied after its upload [xattr/draft]', async () => {
    const opened = await openForTest();
    const { fs, asked } = opened;
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'x');
    asked();

    await setXattr(fs, '/f', VISIBILITY, 'public');
    expect(await xattr(fs, '/f', VISIBILITY)).toBe('public');
    expect(asked()).toEqual([]);
    await fs.flush(handle);
    await fs.release(handle);

    expect(await visibilityOf(opened, 'f')).toBe('public');
  });

  it('makes a public file private', async () => {
    const opened = await withPublicFile();
    const { fs } = opened;
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'x');
    expect(await xattr(fs, '/f', VISIBILITY)).toBe('public');

    await setXattr(fs, '/f', VISIBILITY, 'private');
    await fs.flush(handle);
    await fs.release(handle);

    expect(await visibilityOf(opened, 'f')).toBe('private');
  });
});

it('chmod never changes visibility [visibility/not-mode]', async () => {
  const opened = await withPublicFile();

  await opened.fs.setAttributes('/f', { mode: 0o600 });

  expect(opened.asked()).toEqual([]);
  expect(await visibilityOf(opened, 'f')).toBe('public');
});
