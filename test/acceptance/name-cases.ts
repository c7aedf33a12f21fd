/** Which names can files and folders have, and what is said of those that they cannot have? */
import { describe, expect, it } from 'vitest';
import { O_CREAT, O_RDWR, O_WRONLY, refuses, type OpenSubject, type Subject } from './subject.ts';

export const ODD_NAMES: readonly string[] = [
  'with space',
  ' leading',
  'trailing ',
  '+',
  '%',
  '%2F',
  'a?b=c&d',
  'a#b',
  'a\\b',
  'new\nline',
  'tab\there',
  '"double"',
  "'single'",
  'semi;colon',
  '$(touch injected)',
  '*',
  '[x]',
  '~',
  '-rf',
  '.hidden',
  '...',
  'ünïcödé',
  '日本語',
  '🪣🐟',
  'a:b',
  '\u0001control',
  'null',
  '__proto__',
  'constructor',
];
/** The same to the eye, not to the byte: composed and decomposed. */
const COMPOSED = '\u00e9';
const DECOMPOSED = 'e\u0301';
const LONGEST = `${'ü'.repeat(127)}x`;

export function nameCases(openSubject: OpenSubject): void {
  it.each(ODD_NAMES.map((name) => [name]))(
    'stores a file named %j under exactly that key [names/path]',
    async (name) => {
      const subject = await openSubject();

      await subject.write(name, name);

      expect(await subject.posix.readdir(subject.at())).toEqual([name]);
      expect(await subject.storedNames()).toEqual([name]);
      await subject.expectContent(name, name);
      await subject.posix.rename(subject.at(name), subject.at('plain'));
      await subject.posix.rename(subject.at('plain'), subject.at(name));
      await subject.expectContent(name, name);
      await subject.posix.unlink(subject.at(name));
      await subject.expectMissing(name);
    },
  );

  it('makes, fills and removes folders with all the odd names', async () => {
    const subject = await openSubject();

    for (const name of ODD_NAMES) await subject.posix.mkdir(subject.at(name));
    await subject.write(`${ODD_NAMES.at(-1) ?? ''}/inside`, 'x');

    expect(await subject.posix.readdir(subject.at())).toEqual([...ODD_NAMES].sort());
    await subject.posix.unlink(subject.at(`${ODD_NAMES.at(-1) ?? ''}/inside`));
    for (const name of ODD_NAMES) await subject.posix.rmdir(subject.at(name));
    expect(await subject.posix.readdir(subject.at())).toEqual([]);
    expect(await subject.storedNames()).toEqual([]);
  });

  it('shows odd names that somebody else stored, and reads them', async () => {
    const subject = await openSubject();
    for (const name of ODD_NAMES) await subject.foreignWrite(name, name);

    expect(await subject.posix.readdir(subject.at())).toEqual([...ODD_NAMES].sort());
    for (const name of ODD_NAMES) expect(await subject.text(name)).toBe(name);
  });

  it('tells composed and decomposed forms of a letter apart [names/path]', async () => {
    const subject = await openSubject();

    await subject.write(COMPOSED, 'composed');
    await subject.write(DECOMPOSED, 'decomposed');

    expect(await subject.posix.readdir(subject.at())).toEqual([COMPOSED, DECOMPOSED].sort());
    await subject.expectContent(COMPOSED, 'composed');
    await subject.expectContent(DECOMPOSED, 'decomposed');
  });

  it('tells capital letters apart', async () => {
    const subject = await openSubject();

    await subject.write('Name', 'upper');
    await subject.write('name', 'lower');

    await subject.expectContent('Name', 'upper');
    await subject.expectContent('name', 'lower');
  });

  it('takes a name of 255 bytes', async () => {
    const subject = await openSubject();

    await subject.write(LONGEST, 'fits');
    await subject.posix.mkdir(subject.at('d'));
    await subject.posix.rename(subject.at(LONGEST), subject.at(`d/${LONGEST}`));

    expect(Buffer.byteLength(LONGEST)).toBe(255);
    await subject.expectContent(`d/${LONGEST}`, 'fits');
  });

  describe('says of a name of 256 bytes that it is too long [names/too-long]', () => {
    const tooLong = `${LONGEST}y`;
    const calls: Readonly<Record<string, (subject: Subject, path: string) => Promise<unknown>>> = {
      stat: ({ posix }, path) => posix.stat(path),
      'open to read': ({ posix }, path) => posix.open(path, O_RDWR),
      create: ({ posix }, path) => posix.open(path, O_WRONLY | O_CREAT),
      mkdir: ({ posix }, path) => posix.mkdir(path),
      rmdir: ({ posix }, path) => posix.rmdir(path),
      unlink: ({ posix }, path) => posix.unlink(path),
      'rename from': (subject, path) => subject.posix.rename(path, subject.at('x')),
      'rename to': (subject, path) => subject.posix.rename(subject.at('file'), path),
      truncate: ({ posix }, path) => posix.truncate(path, 0),
      chmod: ({ posix }, path) => posix.chmod(path, 0o600),
    };

    it.each(Object.entries(calls))('in %s', async (_, call) => {
      const subject = await openSubject();
      await subject.write('file', '');

      await refuses('ENAMETOOLONG', call(subject, subject.at(tooLong)));
      await refuses('ENAMETOOLONG', call(subject, subject.at(`${tooLong}/below`)));
    });
  });

  it('leaves keys out that cannot be names, and shows the rest [names/hidden]', async () => {
    const subject = await openSubject();
    const hidden = ['..', '.', 'x'.repeat(256), '../escape', 'a//b'];
    for (const key of hidden) await subject.foreignWrite(key, 'hidden');
    await subject.foreignWrite('shown', 'x');

    const names = await subject.posix.readdir(subject.at());

    expect(names.filter((name) => name !== 'a')).toEqual(['shown']);
    expect(await subject.text('shown')).toBe('x');
    const told = await subject.posix.getxattr(subject.at(), 'user.pailfs.hidden');
    expect(Number(told.toString())).toBeGreaterThanOrEqual(3);
  });

  it('does not remove a folder that has only keys which cannot be names [folders/rmdir]', async () => {
    const subject = await openSubject();
    await subject.foreignWrite(`d/${'x'.repeat(256)}`, 'hidden');

    await refuses('ENOTEMPTY', subject.posix.rmdir(subject.at('d')));
    expect(await subject.storedNames()).toContain(`d/${'x'.repeat(256)}`);
  });

  it('lets a folder win over a file of the same name [names/folder-wins]', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('both', 'a file');
    await subject.foreignWrite('both/inside', 'in the folder');

    expect(await subject.posix.readdir(subject.at())).toEqual(['both']);
    expect(await subject.posix.stat(subject.at('both'))).toMatchObject({ kind: 'folder' });
    expect(await subject.text('both/inside')).toBe('in the folder');
  });
}
