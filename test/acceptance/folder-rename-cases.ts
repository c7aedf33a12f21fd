/** What do programs see when folders are renamed? */
import { expect, it } from 'vitest';
import { O_CREAT, O_RDONLY, O_RDWR, refuses, type OpenSubject } from './subject.ts';

export function folderRenameCases(openSubject: OpenSubject): void {
  moving(openSubject);
  targets(openSubject);
}

function moving(openSubject: OpenSubject): void {
  it('renames a folder with everything in it [rename/folders]', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('from'));
    await subject.posix.mkdir(subject.at('from/inner'));
    await subject.posix.mkdir(subject.at('from/empty'));
    await subject.write('from/file', 'content');
    await subject.write('from/inner/deep', 'deep content');

    await subject.posix.rename(subject.at('from'), subject.at('to'));

    await subject.expectMissing('from');
    await subject.expectContent('to/file', 'content');
    await subject.expectContent('to/inner/deep', 'deep content');
    expect((await subject.posix.readdir(subject.at('to'))).sort()).toEqual(['empty', 'file', 'inner']);
    expect((await subject.storedNames()).filter((name) => !name.endsWith('/')).sort()).toEqual([
      'to/file',
      'to/inner/deep',
    ]);
  });

  it('renames a folder into another and back', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('folder'));
    await subject.posix.mkdir(subject.at('shelf'));
    await subject.write('folder/file', 'content');

    await subject.posix.rename(subject.at('folder'), subject.at('shelf/moved'));
    await subject.expectContent('shelf/moved/file', 'content');
    await subject.posix.rename(subject.at('shelf/moved'), subject.at('folder'));

    await subject.expectContent('folder/file', 'content');
    expect(await subject.posix.readdir(subject.at('shelf'))).toEqual([]);
  });

  it('goes on with files that are open in a folder while it is renamed [rename/handles]', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('from'));
    await subject.write('from/stored', '0123456789');
    const stored = await subject.posix.open(subject.at('from/stored'), O_RDWR);
    await stored.read(3);
    const fresh = await subject.posix.open(subject.at('from/fresh'), O_RDWR | O_CREAT);
    await fresh.write('before');
    const reader = await subject.posix.open(subject.at('from/stored'), O_RDONLY);

    await subject.posix.rename(subject.at('from'), subject.at('to'));
    await fresh.write(', after');
    const rest = await stored.read(100);
    await stored.write('X', 0);
    await fresh.close();
    await stored.close();
    const seen = await reader.read(100, 0);
    await reader.close();

    expect(rest.toString()).toBe('3456789');
    expect(seen.toString()).toBe('X123456789');
    await subject.expectContent('to/fresh', 'before, after');
    await subject.expectContent('to/stored', 'X123456789');
    await subject.expectMissing('from');
  });

  it('makes new files in a renamed folder, and a new folder under the old name', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('from'));
    await subject.write('from/file', 'old');
    await subject.posix.rename(subject.at('from'), subject.at('to'));

    await subject.write('to/new', 'new');
    await subject.posix.mkdir(subject.at('from'));
    await subject.write('from/file', 'another');

    await subject.expectContent('to/file', 'old');
    await subject.expectContent('to/new', 'new');
    await subject.expectContent('from/file', 'another');
  });
}

function targets(openSubject: OpenSubject): void {
  it('replaces an empty folder by a folder, and no other', async () => {
    const subject = await openSubject();
    for (const folder of ['from', 'empty', 'full']) await subject.posix.mkdir(subject.at(folder));
    await subject.write('from/file', 'content');
    await subject.write('full/file', 'other');
    await subject.write('file', 'a file');

    await refuses('ENOTEMPTY', subject.posix.rename(subject.at('from'), subject.at('full')));
    await refuses('ENOTDIR', subject.posix.rename(subject.at('from'), subject.at('file')));
    await refuses('EISDIR', subject.posix.rename(subject.at('file'), subject.at('empty')));
    await refuses('EINVAL', subject.posix.rename(subject.at('from'), subject.at('from/inner')));
    await subject.posix.rename(subject.at('from'), subject.at('empty'));

    await subject.expectContent('empty/file', 'content');
    await subject.expectContent('full/file', 'other');
    await subject.expectContent('file', 'a file');
    await subject.expectMissing('from');
  });

  it('changes nothing when a folder is renamed to itself', async () => {
    const subject = await openSubject();
    await subject.posix.mkdir(subject.at('folder'));
    await subject.write('folder/file', 'content');

    await subject.posix.rename(subject.at('folder'), subject.at('folder'));

    await subject.expectContent('folder/file', 'content');
  });
}
