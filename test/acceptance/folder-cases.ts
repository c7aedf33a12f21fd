/** What do programs see of folders, and what is said when a path leads nowhere? */
import { expect, it } from 'vitest';
import { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY, refuses, type OpenSubject, type Subject } from './subject.ts';

export function folderCases(openSubject: OpenSubject): void {
  makingAndRemoving(openSubject);
  refusals(openSubject);
}

function makingAndRemoving(openSubject: OpenSubject): void {
  it('makes a folder that others see [names/path]', async () => {
    const subject = await openSubject();

    await subject.posix.mkdir(subject.at('folder'));

    expect(await subject.posix.stat(subject.at('folder'))).toMatchObject({ kind: 'folder', mode: 0o755 });
    expect(await subject.posix.readdir(subject.at('folder'))).toEqual([]);
    expect(await subject.storedNames()).toEqual(['folder/']);
  });

  it('makes, fills and removes folders in folders', async () => {
    const subject = await openSubject();

    await subject.posix.mkdir(subject.at('a'));
    await subject.posix.mkdir(subject.at('a/b'));
    await subject.posix.mkdir(subject.at('a/b/c'));
    await subject.write('a/b/c/deep', 'deep');

    await subject.expectContent('a/b/c/deep', 'deep');
    await subject.posix.unlink(subject.at('a/b/c/deep'));
    for (const name of ['a/b/c', 'a/b', 'a']) await subject.posix.rmdir(subject.at(name));
    expect(await subject.posix.readdir(subject.at())).toEqual([]);
    expect(await subject.storedNames()).toEqual([]);
  });

  it('shows folders that exist only by the files that somebody else stored below them', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('x/y/z', 'deep');

    expect(await subject.posix.readdir(subject.at())).toEqual(['x']);
    expect(await subject.posix.stat(subject.at('x/y'))).toMatchObject({ kind: 'folder' });
    expect(await subject.text('x/y/z')).toBe('deep');
  });

  it('keeps a folder whose last file goes', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('folder'));
    await subject.write('folder/file', 'x');

    await subject.posix.unlink(subject.at('folder/file'));

    expect(await subject.posix.readdir(subject.at('folder'))).toEqual([]);
    await subject.write('folder/again', 'y');
    await subject.expectContent('folder/again', 'y');
  });

  it('lists a folder of 1,200 entries once each', async () => {
    const subject = await openSubject();
    const names = Array.from({ length: 1200 }, (_, index) => `entry-${String(index).padStart(4, '0')}`);
    for (const name of names) await subject.foreignWrite(`many/${name}`, name);

    expect(await subject.posix.readdir(subject.at('many'))).toEqual(names);
    expect(await subject.posix.stat(subject.at('many/entry-1199'))).toMatchObject({ size: 10 });
  });

  it('moves the time of a folder when an entry comes or goes [attributes/folder-mtime]', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('folder'));
    const past = Date.UTC(2001, 1, 3);

    for (const change of [
      () => subject.write('folder/file', 'x'),
      () => subject.posix.mkdir(subject.at('folder/sub')),
      () => subject.posix.rename(subject.at('folder/file'), subject.at('folder/other')),
      () => subject.posix.unlink(subject.at('folder/other')),
      () => subject.posix.rmdir(subject.at('folder/sub')),
    ]) {
      await subject.posix.utimes(subject.at('folder'), past, past);
      const { mtimeMs } = await subject.posix.stat(subject.at('folder'));
      expect(mtimeMs).toBe(past);
      await change();
      expect((await subject.posix.stat(subject.at('folder'))).mtimeMs).toBeGreaterThan(past);
    }
  });
}

interface RefusalCase {
  readonly what: string;
  readonly code: string;
  readonly call: (subject: Subject) => Promise<unknown>;
}

/** Each finds: `file`, `folder/` with `inside`, and `empty/`. */
const REFUSALS: readonly RefusalCase[] = [
  { what: 'stat of a missing name', code: 'ENOENT', call: (s) => s.posix.stat(s.at('no')) },
  { what: 'stat below a missing folder', code: 'ENOENT', call: (s) => s.posix.stat(s.at('no/no')) },
  { what: 'stat below a file', code: 'ENOTDIR', call: (s) => s.posix.stat(s.at('file/x')) },
  { what: 'opening a missing name', code: 'ENOENT', call: (s) => s.posix.open(s.at('no'), O_RDONLY) },
  { what: 'opening below a file', code: 'ENOTDIR', call: (s) => s.posix.open(s.at('file/x'), O_RDONLY) },
  {
    what: 'creating in a missing folder',
    code: 'ENOENT',
    call: (s) => s.posix.open(s.at('no/x'), O_WRONLY | O_CREAT),
  },
  {
    what: 'creating below a file',
    code: 'ENOTDIR',
    call: (s) => s.posix.open(s.at('file/x'), O_WRONLY | O_CREAT),
  },
  {
    what: 'creating exclusively what is there',
    code: 'EEXIST',
    call: (s) => s.posix.open(s.at('file'), O_WRONLY | O_CREAT | O_EXCL),
  },
  { what: 'opening a folder to write', code: 'EISDIR', call: (s) => s.posix.open(s.at('folder'), O_WRONLY) },
  { what: 'truncating a folder', code: 'EISDIR', call: (s) => s.posix.truncate(s.at('folder'), 0) },
  { what: 'truncating a missing name', code: 'ENOENT', call: (s) => s.posix.truncate(s.at('no'), 0) },
  { what: 'listing a file', code: 'ENOTDIR', call: (s) => s.posix.readdir(s.at('file')) },
  { what: 'listing a missing folder', code: 'ENOENT', call: (s) => s.posix.readdir(s.at('no')) },
  { what: 'mkdir of a folder', code: 'EEXIST', call: (s) => s.posix.mkdir(s.at('folder')) },
  { what: 'mkdir of a file', code: 'EEXIST', call: (s) => s.posix.mkdir(s.at('file')) },
  { what: 'mkdir in a missing folder', code: 'ENOENT', call: (s) => s.posix.mkdir(s.at('no/x')) },
  { what: 'mkdir below a file', code: 'ENOTDIR', call: (s) => s.posix.mkdir(s.at('file/x')) },
  { what: 'rmdir of a folder with entries', code: 'ENOTEMPTY', call: (s) => s.posix.rmdir(s.at('folder')) },
  { what: 'rmdir of a file', code: 'ENOTDIR', call: (s) => s.posix.rmdir(s.at('file')) },
  { what: 'rmdir of a missing name', code: 'ENOENT', call: (s) => s.posix.rmdir(s.at('no')) },
  { what: 'unlink of a folder', code: 'EISDIR', call: (s) => s.posix.unlink(s.at('folder')) },
  { what: 'unlink of a missing name', code: 'ENOENT', call: (s) => s.posix.unlink(s.at('no')) },
  { what: 'unlink below a file', code: 'ENOTDIR', call: (s) => s.posix.unlink(s.at('file/x')) },
  {
    what: 'renaming a missing name',
    code: 'ENOENT',
    call: (s) => s.posix.rename(s.at('no'), s.at('new')),
  },
  {
    what: 'renaming into a missing folder',
    code: 'ENOENT',
    call: (s) => s.posix.rename(s.at('file'), s.at('no/new')),
  },
  {
    what: 'renaming to below a file',
    code: 'ENOTDIR',
    call: (s) => s.posix.rename(s.at('folder/inside'), s.at('file/new')),
  },
  {
    what: 'renaming a file over a folder',
    code: 'EISDIR',
    call: (s) => s.posix.rename(s.at('file'), s.at('empty')),
  },
  {
    what: 'renaming a folder over a file',
    code: 'ENOTDIR',
    call: (s) => s.posix.rename(s.at('empty'), s.at('file')),
  },
  { what: 'chmod of a missing name', code: 'ENOENT', call: (s) => s.posix.chmod(s.at('no'), 0o600) },
  { what: 'utimes of a missing name', code: 'ENOENT', call: (s) => s.posix.utimes(s.at('no'), 0, 0) },
];

function refusals(openSubject: OpenSubject): void {
  it.each(REFUSALS)('answers $what with $code, and changes nothing', async ({ code, call }) => {
    const subject = await openSubject();
    await subject.write('file', 'content');
    await subject.posix.mkdir(subject.at('folder'));
    await subject.write('folder/inside', 'inside');
    await subject.posix.mkdir(subject.at('empty'));

    await refuses(code, call(subject));

    expect(await subject.posix.readdir(subject.at())).toEqual(['empty', 'file', 'folder']);
    expect(await subject.storedNames()).toEqual(['empty/', 'file', 'folder/', 'folder/inside']);
    await subject.expectContent('file', 'content');
    await subject.expectContent('folder/inside', 'inside');
  });
}
