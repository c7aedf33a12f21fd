/** What do programs see when files are renamed or deleted, open or not? */
import { expect, it } from 'vitest';
import { O_CREAT, O_RDONLY, O_RDWR, O_WRONLY, refuses, type OpenSubject } from './subject.ts';

export function renameCases(openSubject: OpenSubject): void {
  renaming(openSubject);
  renamingOpenFiles(openSubject);
  deleting(openSubject);
}

function renaming(openSubject: OpenSubject): void {
  it('renames a file to a free name', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('from', 'content');

    await subject.posix.rename(subject.at('from'), subject.at('to'));

    await subject.expectMissing('from');
    await subject.expectContent('to', 'content');
    expect(await subject.storedNames()).toEqual(['to']);
  });

  it('renames a file over another, which is gone', async () => {
    const subject = await openSubject();
    await subject.write('from', 'new');
    await subject.foreignWrite('to', 'old and longer');

    await subject.posix.rename(subject.at('from'), subject.at('to'));

    await subject.expectMissing('from');
    await subject.expectContent('to', 'new');
  });

  it('renames an empty file', async () => {
    const subject = await openSubject();
    await subject.write('from', '');

    await subject.posix.rename(subject.at('from'), subject.at('to'));

    await subject.expectMissing('from');
    await subject.expectContent('to', '');
  });

  it('renames a file into another folder and back', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('folder'));
    await subject.write('file', 'content');

    await subject.posix.rename(subject.at('file'), subject.at('folder/moved'));
    await subject.expectContent('folder/moved', 'content');
    await subject.posix.rename(subject.at('folder/moved'), subject.at('file'));

    await subject.expectContent('file', 'content');
    expect(await subject.posix.readdir(subject.at('folder'))).toEqual([]);
  });

  it('changes nothing when a file is renamed to itself', async () => {
    const subject = await openSubject();
    await subject.write('file', 'content');

    await subject.posix.rename(subject.at('file'), subject.at('file'));

    await subject.expectContent('file', 'content');
  });

  it('carries mode and times along', async () => {
    const subject = await openSubject();
    await subject.write('from', 'content');
    await subject.posix.chmod(subject.at('from'), 0o640);
    await subject.posix.utimes(subject.at('from'), 1_000_000_000_000, 1_100_000_000_000);

    await subject.posix.rename(subject.at('from'), subject.at('to'));

    expect(await subject.posix.stat(subject.at('to'))).toMatchObject({
      mode: 0o640,
      mtimeMs: 1_100_000_000_000,
    });
  });

  it('refuses to replace anything when asked not to', async () => {
    const subject = await openSubject();
    await subject.write('from', 'source');
    await subject.write('to', 'target');
    await subject.posix.mkdir(subject.at('folder'));

    await refuses('EEXIST', subject.posix.renameNoReplace(subject.at('from'), subject.at('to')));
    await refuses('EEXIST', subject.posix.renameNoReplace(subject.at('from'), subject.at('folder')));

    await subject.expectContent('from', 'source');
    await subject.expectContent('to', 'target');
  });

  it('replaces a file as editors do: write another, rename it over', async () => {
    const subject = await openSubject();
    await subject.write('document', 'version 0');

    for (let version = 1; version <= 5; version += 1) {
      await subject.write('document.tmp', `version ${version}`);
      await subject.posix.rename(subject.at('document.tmp'), subject.at('document'));
      await subject.expectContent('document', `version ${version}`);
    }

    expect(await subject.storedNames()).toEqual(['document']);
  });

  it('swaps two files through a third name', async () => {
    const subject = await openSubject();
    await subject.write('a', 'was a');
    await subject.write('b', 'was b');

    await subject.posix.rename(subject.at('a'), subject.at('c'));
    await subject.posix.rename(subject.at('b'), subject.at('a'));
    await subject.posix.rename(subject.at('c'), subject.at('b'));

    await subject.expectContent('a', 'was b');
    await subject.expectContent('b', 'was a');
  });
}

/** The protocol that the native driver's library speaks has no flags for a rename: the kernel says EINVAL by itself. */
export function noReplaceCases(openSubject: OpenSubject): void {
  it('renames to a free name when asked to replace nothing', async () => {
    const subject = await openSubject();
    await subject.write('from', 'source');

    await subject.posix.renameNoReplace(subject.at('from'), subject.at('free'));

    await subject.expectContent('free', 'source');
    await subject.expectMissing('from');
  });
}

function renamingOpenFiles(openSubject: OpenSubject): void {
  it('goes on writing to a file that was renamed while open', async () => {
    const subject = await openSubject();
    const file = await subject.posix.open(subject.at('from'), O_RDWR | O_CREAT);
    await file.write('before');

    await subject.posix.rename(subject.at('from'), subject.at('to'));
    await file.write(', after');
    const { size } = await file.stat();
    await file.close();

    expect(size).toBe(13);
    await subject.expectContent('to', 'before, after');
    await subject.expectMissing('from');
  });

  it('goes on reading and writing a stored file that was renamed while open [rename/handles]', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('from', '0123456789');
    const file = await subject.posix.open(subject.at('from'), O_RDWR);
    await file.read(3);

    await subject.posix.rename(subject.at('from'), subject.at('to'));
    const rest = await file.read(100);
    await file.write('X', 0);
    await file.close();

    expect(rest.toString()).toBe('3456789');
    await subject.expectContent('to', 'X123456789');
    await subject.expectMissing('from');
  });

  it('goes on reading the old file when another is renamed over it [unlink/open]', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('target', 'the old content');
    await subject.write('fresh', 'new');
    const reader = await subject.posix.open(subject.at('target'), O_RDONLY);
    await reader.read(4);

    await subject.posix.rename(subject.at('fresh'), subject.at('target'));
    const rest = await reader.read(100);
    const { size } = await reader.stat();
    await reader.close();

    expect(rest.toString()).toBe('old content');
    expect(size).toBe(15);
    await subject.expectContent('target', 'new');
    await subject.expectMissing('fresh');
  });

  it('drops what is written to a file that another was renamed over', async () => {
    const subject = await openSubject();
    await subject.write('target', 'old');
    await subject.write('fresh', 'new');
    const writer = await subject.posix.open(subject.at('target'), O_RDWR);
    await writer.write('written before');

    await subject.posix.rename(subject.at('fresh'), subject.at('target'));
    await writer.write(' and after');
    const seen = await writer.read(100, 0);
    await writer.close();

    expect(seen.toString()).toBe('written before and after');
    await subject.expectContent('target', 'new');
  });

  it('opens a new file under the old name while the renamed one is still open', async () => {
    const subject = await openSubject();
    const moved = await subject.posix.open(subject.at('name'), O_WRONLY | O_CREAT);
    await moved.write('first');
    await subject.posix.rename(subject.at('name'), subject.at('moved'));

    await subject.write('name', 'second');
    await moved.write(' file');
    await moved.close();

    await subject.expectContent('moved', 'first file');
    await subject.expectContent('name', 'second');
  });
}

function deleting(openSubject: OpenSubject): void {
  it('deletes a file, here and on the service', async () => {
    const subject = await openSubject();
    await subject.write('file', 'content');

    await subject.posix.unlink(subject.at('file'));

    await subject.expectMissing('file');
    await refuses('ENOENT', subject.posix.unlink(subject.at('file')));
  });

  it('goes on reading a file deleted while open', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('file', 'still here');
    const reader = await subject.posix.open(subject.at('file'), O_RDONLY);

    await subject.posix.unlink(subject.at('file'));

    await subject.expectMissing('file');
    expect((await reader.read(100, 0)).toString()).toBe('still here');
    expect(await reader.stat()).toMatchObject({ size: 10 });
    await reader.close();
    await subject.expectMissing('file');
  });

  it('goes on writing a file deleted while open, and stores none of it', async () => {
    const subject = await openSubject();
    const file = await subject.posix.open(subject.at('file'), O_RDWR | O_CREAT);
    await file.write('before ');

    await subject.posix.unlink(subject.at('file'));
    await file.write('after');
    await file.sync();
    const seen = await file.read(100, 0);
    await file.truncate(3);
    const { size } = await file.stat();
    await file.close();

    expect(seen.toString()).toBe('before after');
    expect(size).toBe(3);
    await subject.expectMissing('file');
  });

  it('makes a new file under the name of one deleted while open', async () => {
    const subject = await openSubject();
    await subject.write('name', 'old');
    const old = await subject.posix.open(subject.at('name'), O_RDWR);

    await subject.posix.unlink(subject.at('name'));
    await subject.write('name', 'new');
    await old.write('OLD');
    const seen = await old.read(100, 0);
    await old.close();

    expect(seen.toString()).toBe('OLD');
    await subject.expectContent('name', 'new');
  });

  it('removes a folder whose last file was deleted while open', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('folder'));
    await subject.write('folder/file', 'content');
    const reader = await subject.posix.open(subject.at('folder/file'), O_RDONLY);
    await subject.posix.unlink(subject.at('folder/file'));

    expect(await subject.posix.readdir(subject.at('folder'))).toEqual([]);
    await reader.close();
    await subject.posix.rmdir(subject.at('folder'));

    expect(await subject.storedNames()).toEqual([]);
  });
}
