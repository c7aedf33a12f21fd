/** SEMANTICS: the extended attributes of files and folders. */
import { describe, expect, it } from 'vitest';
import { closing, names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { openToRewrite, setXattr, writeAt, xattr } from '../support/program-acts.ts';

const NAMES = [
  'user.mime_type',
  'user.pailfs.error',
  'user.pailfs.etag',
  'user.pailfs.key',
  'user.pailfs.share_expires_at',
  'user.pailfs.share_url',
  'user.pailfs.state',
  'user.pailfs.url',
  'user.pailfs.visibility',
];

describe('a file', () => {
  it('has the names of its attributes for nothing, also long after they were looked up [xattr/on-demand]', async () => {
    const { fs, foreignWrite, asked, clock } = await openForTest();
    await foreignWrite('f', 'x');
    await names(fs, '/');
    asked();

    expect([...(await fs.listXattrs('/f'))].sort()).toEqual(NAMES);
    clock.advance(60_000);
    await fs.listXattrs('/f');

    expect(asked()).toEqual([]);
  });

  it('gives a value for each name that it lists [xattr/on-demand]', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('a/f.txt', 'x', 'text/plain');

    const values = Object.fromEntries(
      await Promise.all(
        (await fs.listXattrs('/a/f.txt')).map(async (name) => [name, await xattr(fs, '/a/f.txt', name)]),
      ),
    ) as Record<string, string>;

    expect(values).toMatchObject({
      'user.pailfs.visibility': 'private',
      'user.pailfs.url': '',
      'user.pailfs.etag': '9dd4e461268c8034f5c8564e155c67a6',
      'user.pailfs.key': 'a/f.txt',
      'user.pailfs.state': 'clean',
      'user.pailfs.error': '',
      'user.mime_type': 'text/plain',
    });
    expect(values['user.pailfs.share_url']).toMatch(/\/private\/.*\/a\/f\.txt\?Expires=/);
    expect(values['user.pailfs.share_expires_at']).toMatch(/^\d{4}-.*Z$/);
  });

  it.each(['user.pailfs.visibility', 'user.mime_type'])(
    'has another ctime when %s is set, as on a disk, and its other times stay',
    async (name) => {
      const { fs, foreignWrite, clock } = await openForTest();
      await foreignWrite('stored', 'x', 'text/plain');
      await fs.setAttributes('/stored', { mtime: 1000 });
      const handle = await fs.create('/written', {
        read: true,
        write: true,
        truncate: false,
        exclusive: true,
        mode: 0o644,
      });
      await writeAt(fs, handle, 'x');
      const before = await Promise.all(['/stored', '/written'].map((path) => fs.getAttributes(path)));
      clock.advance(5000);

      const value = name === 'user.mime_type' ? 'image/png' : 'public';
      for (const path of ['/stored', '/written']) await setXattr(fs, path, name, value);

      const after = await Promise.all(['/stored', '/written'].map((path) => fs.getAttributes(path)));
      expect(after.map(({ mtime, atime }) => [mtime, atime])).toEqual(
        before.map(({ mtime, atime }) => [mtime, atime]),
      );
      expect(after.map(({ ctime }) => ctime)).toEqual([clock.now(), clock.now()]);
    },
  );

  it('asks once for the four values of one visibility record', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('f', 'x');
    await names(fs, '/');
    asked();

    for (const name of ['visibility', 'url', 'share_url', 'share_expires_at']) {
      await fs.getXattr('/f', `user.pailfs.${name}`);
    }

    expect(asked()).toEqual(['getVisibility f']);
  });

  it('renews a share link when fewer than ten minutes are left, however long names are trusted [xattr/share]', async () => {
    const { fs, foreignWrite, asked, clock } = await openForTest({
      store: { linkLifetime: 1200 },
      settings: { metadataTtl: 3_600_000 },
    });
    await foreignWrite('f', 'x');
    await xattr(fs, '/f', 'user.pailfs.share_url');
    asked();

    clock.advance(590_000);
    await xattr(fs, '/f', 'user.pailfs.share_url');
    await xattr(fs, '/f', 'user.pailfs.share_expires_at');
    const before = asked();
    clock.advance(20_000);
    await xattr(fs, '/f', 'user.pailfs.share_url');

    expect(before).toEqual([]);
    expect(asked()).toEqual(['getVisibility f']);
  });

  it('becomes public and private by its visibility, and its link follows', async () => {
    const { fs, foreignWrite, direct, bucket } = await openForTest();
    await foreignWrite('f', 'x');

    await setXattr(fs, '/f', 'user.pailfs.visibility', 'public');
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
    expect(await xattr(fs, '/f', 'user.pailfs.url')).toContain('/public/');
    expect(await xattr(fs, '/f', 'user.pailfs.share_url')).toBe('');
    await setXattr(fs, '/f', 'user.pailfs.visibility', 'private');

    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('private');
    expect(await xattr(fs, '/f', 'user.pailfs.url')).toBe('');
  });

  it('gives a link, which is not listed, for one POST', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('f', 'x');
    await names(fs, '/');
    asked();

    expect(await xattr(fs, '/f', 'user.pailfs.link')).toContain('/private/');

    expect(asked()).toEqual(['getLink f']);
  });

  it('takes a new type by storing its bytes again, and keeps its visibility', async () => {
    const { fs, foreignWrite, direct, bucket, stored } = await openForTest();
    await foreignWrite('f', 'bytes', 'text/plain');
    await setXattr(fs, '/f', 'user.pailfs.visibility', 'public');

    await setXattr(fs, '/f', 'user.mime_type', 'text/markdown; charset=utf-8');

    expect((await direct.headObject(bucket, 'f')).contentType).toBe('text/markdown; charset=utf-8');
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
    expect((await stored('f')).toString()).toBe('bytes');
    expect(await xattr(fs, '/f', 'user.mime_type')).toBe('text/markdown; charset=utf-8');
  });

  it('stores nothing when the type is the one that it has, here or on the service [xattr/copies]', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('theirs', 'bytes', 'text/x-mine');
    await names(fs, '/');
    await writeFile(fs, '/ours.txt', 'bytes');
    asked();

    await setXattr(fs, '/ours.txt', 'user.mime_type', 'text/plain');
    const ours = asked();
    await setXattr(fs, '/theirs', 'user.mime_type', 'text/x-mine');

    expect(ours).toEqual([]);
    expect(asked()).toEqual(['headObject theirs']);
  });

  it('takes the type that its name says when its own is removed [xattr/copies]', async () => {
    const { fs, foreignWrite, direct, bucket, stored, asked } = await openForTest();
    await foreignWrite('f.txt', 'bytes', 'text/x-mine');

    await fs.removeXattr('/f.txt', 'user.mime_type');

    expect((await direct.headObject(bucket, 'f.txt')).contentType).toBe('text/plain');
    expect((await stored('f.txt')).toString()).toBe('bytes');
    asked();
    await fs.removeXattr('/f.txt', 'user.mime_type');
    expect(asked()).toEqual([]);
  });

  it('has the type of its last name when its own was removed before it was renamed and stored [xattr/copies]', async () => {
    const { fs, direct, bucket } = await openForTest();
    const handle = await openToRewrite(fs, '/.photo.png.Ab12Cd');
    await fs.write(handle, Buffer.from('bytes'), 0);
    await setXattr(fs, '/.photo.png.Ab12Cd', 'user.mime_type', 'text/x-mine');

    await fs.removeXattr('/.photo.png.Ab12Cd', 'user.mime_type');
    await fs.flush(handle);
    await fs.release(handle);
    await fs.rename('/.photo.png.Ab12Cd', '/photo.png', false);

    expect((await direct.headObject(bucket, 'photo.png')).contentType).toBe('image/png');
  });

  it('takes a new type when it is empty', async () => {
    const { fs, foreignWrite, direct, bucket } = await openForTest();
    await foreignWrite('f', '', 'text/plain');

    await setXattr(fs, '/f', 'user.mime_type', 'image/png');

    expect((await direct.headObject(bucket, 'f')).contentType).toBe('image/png');
  });

  it.each(['plain', 'text/plain\r\nX: y', 'text/', '/x', '', 'te xt/plain', 'a/b\n'])(
    'refuses %j as a type with EINVAL [xattr/answers]',
    async (type) => {
      const { fs, foreignWrite, asked } = await openForTest();
      await foreignWrite('f', 'x');

      await expect(setXattr(fs, '/f', 'user.mime_type', type)).rejects.toMatchObject({ code: 'EINVAL' });
      expect(asked()).not.toContain('putObject f');
    },
  );

  it.each(['Public', '', 'private\n', 'secret'])(
    'refuses %j as visibility with EINVAL [xattr/answers]',
    async (value) => {
      const { fs, foreignWrite } = await openForTest();
      await foreignWrite('f', 'x');

      await expect(setXattr(fs, '/f', 'user.pailfs.visibility', value)).rejects.toMatchObject({
        code: 'EINVAL',
      });
    },
  );

  it('says ENODATA, ENOTSUP, EEXIST where programs expect them [xattr/answers]', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('f', 'x');
    const value = Buffer.from('public');

    await expect(fs.getXattr('/f', 'user.other')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(fs.getXattr('/f', 'com.apple.FinderInfo')).rejects.toMatchObject({ code: 'ENODATA' });
    for (const name of ['user.other', 'user.pailfs.link', 'security.selinux', 'system.posix_acl_access']) {
      await expect(fs.setXattr('/f', name, value, 'any')).rejects.toMatchObject({ code: 'ENOTSUP' });
      await expect(fs.removeXattr('/f', name)).rejects.toMatchObject({ code: 'ENOTSUP' });
    }
    await expect(fs.removeXattr('/f', 'user.pailfs.url')).rejects.toMatchObject({ code: 'ENOTSUP' });
    await expect(fs.removeXattr('/absent', 'user.mime_type')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.setXattr('/f', 'user.pailfs.visibility', value, 'create')).rejects.toMatchObject({
      code: 'EEXIST',
    });
    await fs.setXattr('/f', 'user.pailfs.visibility', value, 'replace');
    await expect(fs.getXattr('/absent', 'user.mime_type')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.listXattrs('/absent')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('answers for other namespaces from memory, without knowing the file [xattr/answers]', async () => {
    const { fs, asked } = await openForTest();

    for (const name of ['security.capability', 'system.posix_acl_access', 'trusted.x']) {
      await expect(fs.getXattr('/f', name)).rejects.toMatchObject({ code: 'ENOTSUP' });
    }
    await expect(fs.setXattr('/f', 'system.x', Buffer.of(), 'any')).rejects.toMatchObject({
      code: 'ENOTSUP',
    });

    expect(asked()).toEqual([]);
  });
});

it('a draft has all of them for nothing, and takes a type along at its close [xattr/on-demand] [xattr/draft]', async () => {
  const { fs, asked, direct, bucket } = await openForTest();
  await names(fs, '/');
  const handle = await openToRewrite(fs, '/f.html');
  await closing(fs, handle, async () => {
    await writeAt(fs, handle, 'x');
    asked();
    const values: Record<string, string> = {};
    for (const name of await fs.listXattrs('/f.html')) values[name] = await xattr(fs, '/f.html', name);
    expect(values).toEqual({
      'user.mime_type': 'text/html',
      'user.pailfs.error': '',
      'user.pailfs.etag': '',
      'user.pailfs.key': 'f.html',
      'user.pailfs.share_expires_at': '',
      'user.pailfs.share_url': '',
      'user.pailfs.state': 'dirty',
      'user.pailfs.url': '',
      'user.pailfs.visibility': 'private',
    });

    await setXattr(fs, '/f.html', 'user.mime_type', 'text/plain');

    expect(await xattr(fs, '/f.html', 'user.mime_type')).toBe('text/plain');
    expect(asked()).toEqual([]);
  });
  expect((await direct.headObject(bucket, 'f.html')).contentType).toBe('text/plain');
});

it('a file takes a type along that was set before its first byte [xattr/draft]', async () => {
  const { fs, asked, direct, bucket } = await openForTest();
  await names(fs, '/');
  const handle = await openToRewrite(fs, '/f.html');
  asked();

  await setXattr(fs, '/f.html', 'user.mime_type', 'image/png');
  await closing(fs, handle, () => writeAt(fs, handle, 'x'));

  expect(asked()).toEqual(['putObject f.html']);
  expect((await direct.headObject(bucket, 'f.html')).contentType).toBe('image/png');
});

it('a type that was set on an empty file stays when the file is written', async () => {
  const { fs, direct, bucket } = await openForTest();
  await writeFile(fs, '/f.html', '');
  await setXattr(fs, '/f.html', 'user.mime_type', 'image/png');

  await writeFile(fs, '/f.html', 'first');
  const first = (await direct.headObject(bucket, 'f.html')).contentType;
  await writeFile(fs, '/f.html', 'anew');

  expect(first).toBe('image/png');
  expect((await direct.headObject(bucket, 'f.html')).contentType).toBe('text/html');
});

it('a folder tells how many keys in it cannot be shown, and nothing else [names/hidden]', async () => {
  const { fs, foreignWrite } = await openForTest();
  await foreignWrite('d/x', '');
  await foreignWrite('d//y', '');
  await foreignWrite('d/../z', '');

  expect(await fs.listXattrs('/d')).toEqual(['user.pailfs.hidden']);
  expect(await xattr(fs, '/d', 'user.pailfs.hidden')).toBe('2');
  expect(await xattr(fs, '/', 'user.pailfs.hidden')).toBe('0');
  await expect(fs.getXattr('/d', 'user.pailfs.visibility')).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(setXattr(fs, '/d', 'user.pailfs.visibility', 'public')).rejects.toMatchObject({
    code: 'ENOTSUP',
  });
});

it('looking and reading asks for no extended attribute [xattr/on-demand]', async () => {
  const { fs, foreignWrite, asked } = await openForTest();
  await foreignWrite('f', 'x');

  await names(fs, '/');
  await fs.getAttributes('/f');
  await readFile(fs, '/f');

  expect(asked()).toEqual(['listObjects', 'getObject f']);
});
