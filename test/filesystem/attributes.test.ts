/** SEMANTICS: modes, owners and times, which the service has no place for. */
import { describe, expect, it } from 'vitest';
import { openAllForTest } from '../support/open-all-for-test.ts';
import { closing, names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { edit, openToRewrite, writeAt } from '../support/program-acts.ts';

const TTL = 10_000;

describe('what somebody else stored', () => {
  it('has the bits that the umask leaves, the owner of the mount, and the size and time of the service [attributes/defaults]', async () => {
    const settings = { umask: 0o027, uid: 1234, gid: 5678 };
    const { fs, direct, bucket, foreignWrite } = await openForTest({ settings });
    await foreignWrite('d/f', 'four');

    const file = await fs.getAttributes('/d/f');
    const folder = await fs.getAttributes('/d');

    const mtime = (await direct.headObject(bucket, 'd/f')).lastModified.getTime();
    expect(file).toMatchObject({ kind: 'file', mode: 0o640, uid: 1234, gid: 5678, size: 4, mtime });
    expect(folder).toMatchObject({ kind: 'folder', mode: 0o750, uid: 1234, gid: 5678 });
  });

  it('is 0644 and 0755 under the usual umask [attributes/defaults]', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('d/f', '');

    expect((await fs.getAttributes('/d/f')).mode).toBe(0o644);
    expect((await fs.getAttributes('/d')).mode).toBe(0o755);
  });
});

it('a file that is to be new is refused where a folder is, as where a file is', async () => {
  const { fs, foreignWrite } = await openForTest();
  await foreignWrite('d/f', '');
  const intent = { read: false, write: true, truncate: false, exclusive: true, mode: 0o600 };

  for (const path of ['/d', '/d/f'])
    await expect(fs.create(path, intent)).rejects.toMatchObject({ code: 'EEXIST', path });
});

describe('what another user makes', () => {
  const MAKER = { uid: 33, gid: 44 };
  const INTENT = { read: false, write: true, truncate: false, exclusive: true, mode: 0o600, maker: MAKER };

  it('is theirs, files as folders, and stays so after the upload and through renames [attributes/maker]', async () => {
    const { fs, clock } = await openForTest();

    await closing(fs, await fs.create('/f', INTENT), () => Promise.resolve());
    await fs.mkdir('/d', 0o700, MAKER);
    await fs.rename('/f', '/d/g', false);
    await fs.rename('/d', '/e', false);
    clock.advance(TTL);
    await names(fs, '/e');

    expect(await fs.getAttributes('/e')).toMatchObject({ ...MAKER, mode: 0o700 });
    expect(await fs.getAttributes('/e/g')).toMatchObject({ ...MAKER, mode: 0o600 });
  });

  it('is theirs in a bucket of a mount of all buckets, too [attributes/maker]', async () => {
    const { fs } = await openAllForTest();

    await closing(fs, await fs.create('/photos/f', INTENT), () => Promise.resolve());
    await fs.mkdir('/photos/d', 0o700, MAKER);

    expect(await fs.getAttributes('/photos/f')).toMatchObject(MAKER);
    expect(await fs.getAttributes('/photos/d')).toMatchObject(MAKER);
  });

  it('stays whose it was when they write to a file that is there [attributes/maker]', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('f', 'x');

    await closing(fs, await fs.create('/f', { ...INTENT, exclusive: false, truncate: true }), () =>
      Promise.resolve(),
    );

    expect(await fs.getAttributes('/f')).toMatchObject({ uid: 1000, gid: 1000 });
  });

  it.each(['same', 'other'])(
    'is not theirs any more when somebody renames a file over it that is still open, its bytes then: %s [attributes/maker] [write/same-bytes]',
    async (text) => {
      const { fs } = await openForTest();
      const theirs = await fs.create('/f', INTENT);
      await closing(fs, theirs, () => writeAt(fs, theirs, 'same'));

      const handle = await openToRewrite(fs, '/new');
      await writeAt(fs, handle, text);
      await fs.rename('/new', '/f', false);
      await fs.flush(handle);
      await fs.release(handle);

      expect(await fs.getAttributes('/f')).toMatchObject({ uid: 1000, gid: 1000 });
    },
  );

  it('is shown as the one whose everything is who was named [attributes/maker]', async () => {
    const { fs } = await openForTest({ settings: { makersOwn: false } });

    await closing(fs, await fs.create('/f', INTENT), () => Promise.resolve());
    await fs.mkdir('/d', 0o700, MAKER);

    for (const path of ['/f', '/d'])
      expect(await fs.getAttributes(path)).toMatchObject({ uid: 1000, gid: 1000 });
  });
});

describe('attributes that a program set', () => {
  const SET = { mode: 0o600, uid: 1, gid: 2, atime: 3000, mtime: 4000 };

  it('at creation read back as asked for, of folders as of files [attributes/local]', async () => {
    const { fs } = await openForTest({ settings: { umask: 0o077 } });

    const intent = { read: false, write: true, truncate: false, exclusive: true, mode: 0o664 };
    await closing(fs, await fs.create('/f', intent), () => Promise.resolve());
    await fs.mkdir('/d', 0o2775);

    expect(await fs.getAttributes('/f')).toMatchObject({ mode: 0o664 });
    expect(await fs.getAttributes('/d')).toMatchObject({ mode: 0o2775 });
  });

  it('read back as set for files and folders, and cost nothing [attributes/local]', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('d/f', 'x');
    await names(fs, '/');
    await names(fs, '/d');
    asked();

    for (const path of ['/d/f', '/d']) await fs.setAttributes(path, SET);

    for (const path of ['/d/f', '/d']) expect(await fs.getAttributes(path)).toMatchObject(SET);
    expect(asked()).toEqual([]);
  });

  it('do not move when the file is read [local/atime]', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('f', 'x');
    await fs.setAttributes('/f', SET);
    const before = await fs.getAttributes('/f');
    clock.advance(1000);

    await readFile(fs, '/f');

    const { atime, mtime, ctime } = await fs.getAttributes('/f');
    expect({ atime, mtime, ctime }).toEqual({
      atime: before.atime,
      mtime: before.mtime,
      ctime: before.ctime,
    });
  });

  it('move when a file is cut to the size that it has, which stores nothing', async () => {
    const { fs, foreignWrite, clock, asked } = await openForTest();
    await foreignWrite('f', 'x');
    await fs.setAttributes('/f', SET);
    clock.advance(1000);
    asked();

    await fs.truncate('/f', 1);

    const now = clock.now();
    expect(await fs.getAttributes('/f')).toMatchObject({ mode: 0o600, mtime: now, ctime: now, atime: 3000 });
    expect(asked()).toEqual([]);
  });

  it('stay when another of them is set or moves: an access time does not follow a mtime [attributes/local]', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('f', 'x');
    await foreignWrite('edited', 'x');
    await fs.mkdir('/d', 0o755);
    const accessed = async (path: string): Promise<number> => (await fs.getAttributes(path)).atime;
    const paths = ['/f', '/d', '/', '/edited'];
    const before = await Promise.all(paths.map(accessed));
    clock.advance(1000);

    for (const path of ['/f', '/d']) await fs.setAttributes(path, { mtime: 4000 });
    await writeFile(fs, '/d/new', 'moves the times of its folder');
    await edit(fs, '/edited', 'X', 0);

    expect(await Promise.all(paths.map(accessed))).toEqual(before);
    expect((await fs.getAttributes('/f')).mtime).toBe(4000);
  });

  it('stay through edits, a rename and the TTL, but for the time of the write [attributes/local]', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('f', 'base');
    await fs.setAttributes('/f', SET);

    await edit(fs, '/f', 'B', 0);
    const written = clock.now();
    await writeFile(fs, '/f', 'anew');
    await fs.rename('/f', '/g', false);
    clock.advance(TTL);
    await names(fs, '/');

    expect(await fs.getAttributes('/g')).toMatchObject({ mode: 0o600, uid: 1, gid: 2, mtime: written });
  });

  it('go when somebody else replaces the file [attributes/local]', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('f', 'ours');
    await fs.setAttributes('/f', SET);
    await foreignWrite('f', 'theirs');
    clock.advance(TTL);

    expect(await fs.getAttributes('/f')).toMatchObject({ mode: 0o644, uid: 1000, gid: 1000, size: 6 });
    expect((await fs.getAttributes('/f')).mtime).toBeGreaterThan(SET.mtime);
  });

  it('at its creation are kept after the upload [attributes/local]', async () => {
    const { fs, clock } = await openForTest();
    const intent = { read: true, write: true, truncate: false, exclusive: true, mode: 0o700 };
    const handle = await fs.create('/f', intent);
    await closing(fs, handle, () => writeAt(fs, handle, 'x'));
    await fs.mkdir('/d', 0o700);
    clock.advance(TTL);
    await names(fs, '/');

    expect((await fs.getAttributes('/f')).mode).toBe(0o700);
    expect((await fs.getAttributes('/d')).mode).toBe(0o700);
  });
});

it('a time does not jump at the close that stores the file, nor at the look after it [attributes/own-upload]', async () => {
  const { fs, clock } = await openForTest();
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'x');
  const { mtime } = await fs.getAttributes('/f', handle);
  clock.advance(5000);
  await fs.flush(handle);
  await fs.release(handle);

  expect((await fs.getAttributes('/f')).mtime).toBe(mtime);
  clock.advance(TTL);
  expect((await fs.getAttributes('/f')).mtime).toBe(mtime);
});
