/** Which attributes, extended ones included, do files and folders have? */
import { expect, it } from 'vitest';
import { O_CREAT, O_RDONLY, O_RDWR, O_WRONLY, refuses, type OpenSubject } from './subject.ts';

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

export function attributeCases(openSubject: OpenSubject): void {
  modesAndTimes(openSubject);
  extendedAttributes(openSubject);
}

/** Where setting an attribute starts no program: a program that starts closes, and so stores, what its parent has open. */
export function unstoredAttributeCases(openSubject: OpenSubject): void {
  it('tells that a file being written is not stored yet', async () => {
    const subject = await openSubject();
    const file = await subject.posix.open(subject.at('file'), O_WRONLY | O_CREAT);
    await file.write('x');

    const state = await subject.posix.getxattr(subject.at('file'), 'user.pailfs.state');
    await file.close();

    expect(state.toString()).toBe('dirty');
  });

  it('applies the visibility set on a file that is still being written', async () => {
    const subject = await openSubject();
    const file = await subject.posix.open(subject.at('file'), O_WRONLY | O_CREAT);
    await file.write('x');
    await subject.posix.setxattr(subject.at('file'), 'user.pailfs.visibility', 'public');
    await file.close();

    expect(await subject.storedVisibility('file')).toBe('public');
  });
}

function modesAndTimes(openSubject: OpenSubject): void {
  it('shows files that somebody else stored with ordinary rights [attributes/defaults]', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('file', 'x');

    expect(await subject.posix.stat(subject.at('file'))).toMatchObject({ mode: 0o644, kind: 'file' });
  });

  it('creates a file with the mode asked for, but for the umask', async () => {
    const subject = await openSubject();

    const file = await subject.posix.open(subject.at('file'), O_WRONLY | O_CREAT, 0o775);
    const whileOpen = await file.stat();
    await file.write('x');
    await file.close();

    expect(whileOpen.mode).toBe(0o755);
    expect((await subject.posix.stat(subject.at('file'))).mode).toBe(0o755);
  });

  it('reads back the mode that chmod set, for files and folders [attributes/local]', async () => {
    const subject = await openSubject();
    await subject.write('file', 'x');
    await subject.posix.mkdir(subject.at('folder'));

    await subject.posix.chmod(subject.at('file'), 0o600);
    await subject.posix.chmod(subject.at('folder'), 0o700);

    expect((await subject.posix.stat(subject.at('file'))).mode).toBe(0o600);
    expect((await subject.posix.stat(subject.at('folder'))).mode).toBe(0o700);
  });

  it('reads back the times that utimes set, and changes no bytes by it [attributes/local]', async () => {
    const subject = await openSubject();
    await subject.write('file', 'x');

    await subject.posix.utimes(subject.at('file'), 1_000_000_000_000, 1_234_567_890_000);

    expect(await subject.posix.stat(subject.at('file'))).toMatchObject({
      atimeMs: 1_000_000_000_000,
      mtimeMs: 1_234_567_890_000,
    });
    await subject.expectContent('file', 'x');
  });

  it('keeps mode and mtime over the close that stores the file', async () => {
    const subject = await openSubject();
    const file = await subject.posix.open(subject.at('file'), O_WRONLY | O_CREAT);
    await file.write('x');
    await subject.posix.utimes(subject.at('file'), 1_000_000_000_000, 1_234_567_890_000);
    await file.chmod(0o610);
    await file.close();

    expect(await subject.posix.stat(subject.at('file'))).toMatchObject({
      mode: 0o610,
      mtimeMs: 1_234_567_890_000,
    });
  });

  it('moves the mtime when bytes are written, not when they are read', async () => {
    const subject = await openSubject();
    await subject.write('file', 'x');
    await subject.posix.utimes(subject.at('file'), 1_000_000_000_000, 1_234_567_890_000);

    await subject.read('file');
    const read = await subject.posix.stat(subject.at('file'));
    const file = await subject.posix.open(subject.at('file'), O_RDWR);
    await file.write('y');
    await file.close();
    const written = await subject.posix.stat(subject.at('file'));

    expect(read.mtimeMs).toBe(1_234_567_890_000);
    expect(written.mtimeMs).toBeGreaterThan(1_234_567_890_000);
  });

  it('does not let the mtime jump when the file it shows has been stored [attributes/own-upload]', async () => {
    const subject = await openSubject();
    const file = await subject.posix.open(subject.at('file'), O_WRONLY | O_CREAT);
    await file.write('x');
    const before = await file.stat();
    await file.close();

    expect((await subject.posix.stat(subject.at('file'))).mtimeMs).toBe(before.mtimeMs);
  });

  it('has room without end', async () => {
    const subject = await openSubject();

    const { blockSize, blocks, freeBlocks } = await subject.posix.statfs(subject.at());

    expect(blockSize * freeBlocks).toBeGreaterThanOrEqual(2 ** 49);
    expect(blocks).toBeGreaterThanOrEqual(freeBlocks);
  });
}

function extendedAttributes(openSubject: OpenSubject): void {
  it('lists the names of the extended attributes of a file, all of which can be read', async () => {
    const subject = await openSubject();
    await subject.write('file.txt', 'content');

    const names = await subject.posix.listxattr(subject.at('file.txt'));

    expect(names.sort()).toEqual(NAMES);
    for (const name of names) await subject.posix.getxattr(subject.at('file.txt'), name);
  });

  it('tells key, type, ETag and state of a file', async () => {
    const subject = await openSubject();
    await subject.write('file.txt', 'content');
    await subject.expectContent('file.txt', 'content');
    const told = async (name: string): Promise<string> =>
      (await subject.posix.getxattr(subject.at('file.txt'), name)).toString();

    expect(`/${await told('user.pailfs.key')}`).toBe(subject.at('file.txt'));
    expect(await told('user.mime_type')).toBe('text/plain');
    expect(await told('user.pailfs.etag')).toBe(await subject.storedEtag('file.txt'));
    expect(await told('user.pailfs.state')).toBe('clean');
    expect(await told('user.pailfs.error')).toBe('');
  });

  it('turns a file public and private again, with the links that belong to each', async () => {
    const subject = await openSubject();
    await subject.write('file', 'content');
    await subject.expectContent('file', 'content');
    const told = async (name: string): Promise<string> =>
      (await subject.posix.getxattr(subject.at('file'), `user.pailfs.${name}`)).toString();

    expect(await told('visibility')).toBe('private');
    expect(await told('url')).toBe('');
    expect(await told('share_url')).toMatch(/\/private\/.*Signature=/);
    await subject.posix.setxattr(subject.at('file'), 'user.pailfs.visibility', 'public');

    expect(await told('visibility')).toBe('public');
    expect(await told('url')).toMatch(/\/public\//);
    expect(await told('share_url')).toBe('');
    expect(await told('share_expires_at')).toBe('');
    expect(await subject.storedVisibility('file')).toBe('public');

    await subject.posix.setxattr(subject.at('file'), 'user.pailfs.visibility', 'private');
    expect(await told('visibility')).toBe('private');
    expect(await subject.storedVisibility('file')).toBe('private');
  });

  it('keeps a file public when it is rewritten, edited and renamed [visibility/preserve] [visibility/rename]', async () => {
    const subject = await openSubject();
    await subject.write('file', 'content');
    await subject.posix.setxattr(subject.at('file'), 'user.pailfs.visibility', 'public');

    await subject.write('file', 'rewritten');
    expect(await subject.storedVisibility('file')).toBe('public');
    const file = await subject.posix.open(subject.at('file'), O_RDWR);
    await file.write('E');
    await file.close();
    expect(await subject.storedVisibility('file')).toBe('public');
    await subject.posix.rename(subject.at('file'), subject.at('renamed'));

    expect(await subject.storedVisibility('renamed')).toBe('public');
    await subject.expectContent('renamed', 'Eewritten');
  });

  it('changes the type of a file without changing its bytes', async () => {
    const subject = await openSubject();
    await subject.write('file', 'content');

    await subject.posix.setxattr(subject.at('file'), 'user.mime_type', 'image/x-test');

    const told = await subject.posix.getxattr(subject.at('file'), 'user.mime_type');
    expect(told.toString()).toBe('image/x-test');
    await subject.expectContent('file', 'content');
  });

  it.each([
    ['user.other', 'ENODATA'],
    ['user.pailfs.unknown', 'ENODATA'],
    ['security.selinux', 'ENOTSUP'],
    ['system.posix_acl_access', 'ENOTSUP'],
  ])('has no attribute %s, says %s, and takes none', async (name, absent) => {
    const subject = await openSubject();
    await subject.write('file', 'x');

    await refuses(absent, subject.posix.getxattr(subject.at('file'), name));
    // The kernel checks the value of an ACL before anybody is asked.
    const code = name.startsWith('system.') ? /^(ENOTSUP|EINVAL)$/ : /^ENOTSUP$/;
    await expect(subject.posix.setxattr(subject.at('file'), name, '1')).rejects.toMatchObject({
      code: expect.stringMatching(code) as string,
    });
  });

  it.each(['user.pailfs.url', 'user.pailfs.etag', 'user.pailfs.key', 'user.pailfs.state'])(
    'drops in silence what a copy brings along as %s, and lets nobody remove it [xattr/copies]',
    async (name) => {
      const subject = await openSubject();
      await subject.write('file', 'x');
      const before = await subject.posix.getxattr(subject.at('file'), name);

      await subject.posix.setxattr(subject.at('file'), name, 'mine');

      expect(await subject.posix.getxattr(subject.at('file'), name)).toEqual(before);
      await refuses('ENOTSUP', subject.posix.removexattr(subject.at('file'), name));
    },
  );

  it('refuses values that make no sense', async () => {
    const subject = await openSubject();
    await subject.write('file', 'x');

    await refuses('EINVAL', subject.posix.setxattr(subject.at('file'), 'user.pailfs.visibility', 'secret'));
    await refuses('EINVAL', subject.posix.setxattr(subject.at('file'), 'user.mime_type', 'no type'));
    await refuses('EINVAL', subject.posix.setxattr(subject.at('file'), 'user.mime_type', 'a/b\r\nX: y'));
    expect(await subject.storedVisibility('file')).toBe('private');
  });

  it('tells of a folder how many keys it hides', async () => {
    const subject = await openSubject();

    expect(await subject.posix.listxattr(subject.at())).toEqual(['user.pailfs.hidden']);
    expect((await subject.posix.getxattr(subject.at(), 'user.pailfs.hidden')).toString()).toBe('0');
    await refuses('ENOTSUP', subject.posix.setxattr(subject.at(), 'user.pailfs.visibility', 'public'));
  });

  it('has no extended attributes where there is no file', async () => {
    const subject = await openSubject();

    await refuses('ENOENT', subject.posix.getxattr(subject.at('no'), 'user.pailfs.etag'));
    await refuses('ENOENT', subject.posix.open(subject.at('no'), O_RDONLY));
  });
}
