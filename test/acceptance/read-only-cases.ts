/** What may a program do on a file system that must not change? Look, and nothing else. */
import { expect, it } from 'vitest';
import {
  O_APPEND,
  O_CREAT,
  O_RDWR,
  O_TRUNC,
  O_WRONLY,
  refuses,
  type OpenSubject,
  type Subject,
} from './subject.ts';

const CHANGES: Readonly<Record<string, (subject: Subject) => Promise<unknown>>> = {
  'opening to write': (s) => s.posix.open(s.at('file'), O_WRONLY),
  'opening to read and write': (s) => s.posix.open(s.at('file'), O_RDWR),
  'opening to append': (s) => s.posix.open(s.at('file'), O_WRONLY | O_APPEND),
  'opening with O_TRUNC': (s) => s.posix.open(s.at('file'), O_WRONLY | O_TRUNC),
  creating: (s) => s.posix.open(s.at('new'), O_WRONLY | O_CREAT),
  truncate: (s) => s.posix.truncate(s.at('file'), 1),
  mkdir: (s) => s.posix.mkdir(s.at('new')),
  rmdir: (s) => s.posix.rmdir(s.at('folder')),
  unlink: (s) => s.posix.unlink(s.at('file')),
  rename: (s) => s.posix.rename(s.at('file'), s.at('new')),
  chmod: (s) => s.posix.chmod(s.at('file'), 0o600),
  utimes: (s) => s.posix.utimes(s.at('file'), 1000, 1000),
  setxattr: (s) => s.posix.setxattr(s.at('file'), 'user.pailfs.visibility', 'public'),
  removexattr: (s) => s.posix.removexattr(s.at('file'), 'user.pailfs.visibility'),
};

export function readOnlyCases(openSubject: OpenSubject, code: 'EROFS' | 'EACCES'): void {
  it.each(Object.entries(CHANGES))(
    `refuses %s with ${code}, and nothing changes [errors/read-only]`,
    async (_, change) => {
      const subject = await openSubject();
      await subject.foreignWrite('file', 'content');
      await subject.foreignWrite('folder/inside', 'inside');

      await refuses(code, change(subject));

      expect(await subject.storedNames()).toEqual(['file', 'folder/', 'folder/inside']);
      await subject.expectContent('file', 'content');
      expect(await subject.storedVisibility('file')).toBe('private');
    },
  );

  it('reads, lists and looks', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('file', 'content');

    expect(await subject.posix.readdir(subject.at())).toEqual(['file']);
    expect(await subject.text('file')).toBe('content');
    const told = await subject.posix.getxattr(subject.at('file'), 'user.pailfs.visibility');
    expect(told.toString()).toBe('private');
  });
}
