/** What happens to a file's bytes when programs write, cut and read them? */
import { expect, it } from 'vitest';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { O_APPEND, O_CREAT, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY, type OpenSubject } from './subject.ts';

export function contentCases(openSubject: OpenSubject): void {
  it('creates a file, which others see after its close [write/close]', async () => {
    const subject = await openSubject();

    await subject.write('new.txt', 'hello');

    await subject.expectContent('new.txt', 'hello');
    expect(await subject.posix.readdir(subject.at())).toEqual(['new.txt']);
    expect(await subject.storedNames()).toEqual(['new.txt']);
  });

  it('creates an empty file', async () => {
    const subject = await openSubject();

    const file = await subject.posix.open(subject.at('empty'), O_WRONLY | O_CREAT);
    await file.close();

    await subject.expectContent('empty', '');
  });

  it('shows a file that is still being written, at the size it has so far', async () => {
    const subject = await openSubject();

    const file = await subject.posix.open(subject.at('growing'), O_WRONLY | O_CREAT);
    await file.write('12345');
    const { size } = await subject.posix.stat(subject.at('growing'));
    const names = await subject.posix.readdir(subject.at());
    await file.close();

    expect(size).toBe(5);
    expect(names).toEqual(['growing']);
  });

  it('overwrites in the middle and keeps the rest', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('file', 'abcdefgh');

    const file = await subject.posix.open(subject.at('file'), O_RDWR);
    await file.write('XY', 3);
    await file.close();

    await subject.expectContent('file', 'abcXYfgh');
  });

  it('overwrites in the middle of a file of several megabytes, across its blocks', async () => {
    const subject = await openSubject();
    const bytes = patternedBytes(5_000_011);
    await subject.foreignWrite('file', bytes);

    const file = await subject.posix.open(subject.at('file'), O_RDWR);
    await file.write(Buffer.alloc(300_000, 'x'), 2_000_003);
    await file.close();

    const changed = Buffer.from(bytes);
    changed.fill('x', 2_000_003, 2_300_003);
    await subject.expectContent('file', changed);
  });

  it('appends at the end, whatever position the descriptor has', async () => {
    const subject = await openSubject();
    await subject.write('log', 'one\n');

    const file = await subject.posix.open(subject.at('log'), O_WRONLY | O_APPEND);
    await file.write('two\n');
    await file.write('three\n');
    await file.close();

    await subject.expectContent('log', 'one\ntwo\nthree\n');
  });

  it('appends from two descriptors without losing a line', async () => {
    const subject = await openSubject();
    await subject.write('log', '');
    const flags = O_WRONLY | O_APPEND;
    const files = [
      await subject.posix.open(subject.at('log'), flags),
      await subject.posix.open(subject.at('log'), flags),
    ];

    for (let line = 0; line < 20; line += 1) {
      await Promise.all(files.map((file, index) => file.write(`${index}:${line}\n`)));
    }
    await Promise.all(files.map((file) => file.close()));

    const lines = (await subject.text('log')).trimEnd().split('\n');
    expect(lines.sort()).toEqual(
      [0, 1].flatMap((index) => Array.from({ length: 20 }, (_, line) => `${index}:${line}`)).sort(),
    );
    await subject.expectContent('log', await subject.read('log'));
  });

  it('empties a file that is opened with O_TRUNC', async () => {
    const subject = await openSubject();
    await subject.write('file', 'old content');

    const file = await subject.posix.open(subject.at('file'), O_WRONLY | O_TRUNC);
    const { size } = await file.stat();
    await file.close();

    expect(size).toBe(0);
    await subject.expectEmptied('file');
  });

  it.each([
    { how: 'cuts', size: 4, result: '0123' },
    { how: 'lengthens with zeros', size: 12, result: '0123456789\0\0' },
    { how: 'leaves', size: 10, result: '0123456789' },
  ])('$how a file by its name', async ({ size, result }) => {
    const subject = await openSubject();
    await subject.foreignWrite('file', '0123456789');

    await subject.posix.truncate(subject.at('file'), size);

    await subject.expectContent('file', result);
  });

  it.each([
    { how: 'cuts', size: 4, result: '0123' },
    { how: 'lengthens with zeros', size: 12, result: '0123456789\0\0' },
  ])('$how a file through a descriptor', async ({ size, result }) => {
    const subject = await openSubject();
    await subject.foreignWrite('file', '0123456789');

    const file = await subject.posix.open(subject.at('file'), O_RDWR);
    await file.truncate(size);
    const seen = await file.stat();
    await file.close();

    expect(seen.size).toBe(size);
    await subject.expectContent('file', result);
  });

  it('empties a file by its name', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('file', '0123456789');

    await subject.posix.truncate(subject.at('file'), 0);

    await subject.expectEmptied('file');
  });

  it('empties a file through a descriptor', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('file', '0123456789');

    const file = await subject.posix.open(subject.at('file'), O_RDWR);
    await file.truncate(0);
    const seen = await file.stat();
    await file.close();

    expect(seen.size).toBe(0);
    await subject.expectEmptied('file');
  });

  it('fills what was cut and lengthened again with zeros, not with the old bytes', async () => {
    const subject = await openSubject();
    await subject.foreignWrite('file', '0123456789');

    const file = await subject.posix.open(subject.at('file'), O_RDWR);
    await file.truncate(2);
    await file.truncate(6);
    await file.write('!', 8);
    await file.close();

    await subject.expectContent('file', '01\0\0\0\0\0\0!');
  });

  it('cuts by name a file that another descriptor is writing', async () => {
    const subject = await openSubject();
    const file = await subject.posix.open(subject.at('file'), O_RDWR | O_CREAT);
    await file.write('0123456789');

    await subject.posix.truncate(subject.at('file'), 3);
    const seen = await file.read(100, 0);
    await file.close();

    expect(seen.toString()).toBe('012');
    await subject.expectContent('file', '012');
  });

  it('writes far beyond the end, with zeros between', async () => {
    const subject = await openSubject();

    const file = await subject.posix.open(subject.at('sparse'), O_RDWR | O_CREAT);
    await file.write('start');
    await file.write('end', 3_000_000);
    const between = await file.read(1000, 1_500_000);
    await file.close();

    expect(between.equals(Buffer.alloc(1000))).toBe(true);
    const whole = Buffer.alloc(3_000_003);
    whole.write('start');
    whole.write('end', 3_000_000);
    await subject.expectContent('sparse', whole);
  });

  it('shows through one descriptor at once what was written through another [write/handles]', async () => {
    const subject = await openSubject();
    await subject.write('shared', 'aaaaaa');
    const writer = await subject.posix.open(subject.at('shared'), O_RDWR);
    const reader = await subject.posix.open(subject.at('shared'), O_RDONLY);

    await writer.write('BB', 2);
    const first = await reader.read(100, 0);
    await writer.close();
    const second = await reader.read(100, 0);
    await reader.close();

    expect(first.toString()).toBe('aaBBaa');
    expect(second.toString()).toBe('aaBBaa');
    await subject.expectContent('shared', 'aaBBaa');
  });

  it('goes on reading through a descriptor after another program rewrote the file here', async () => {
    const subject = await openSubject();
    await subject.write('file', 'first version');
    const reader = await subject.posix.open(subject.at('file'), O_RDONLY);
    await reader.read(5, 0);

    await subject.write('file', 'second');
    const seen = await reader.read(100, 0);
    await reader.close();

    expect(seen.toString()).toBe('second');
    await subject.expectContent('file', 'second');
  });

  it('stores the bytes at fsync, before the close [write/close]', async () => {
    const subject = await openSubject();
    const file = await subject.posix.open(subject.at('file'), O_WRONLY | O_CREAT);
    await file.write('durable');

    await file.sync();

    expect((await subject.stored('file')).toString()).toBe('durable');
    await file.write(' and more');
    await file.close();
    await subject.expectContent('file', 'durable and more');
  });

  it('keeps the old object until the new bytes are complete [write/whole]', async () => {
    const subject = await openSubject();
    await subject.write('file', 'old');

    const file = await subject.posix.open(subject.at('file'), O_WRONLY | O_TRUNC);
    await file.write('half of the n');
    const meanwhile = await subject.stored('file');
    await file.write('ew');
    await file.close();

    expect(meanwhile.toString()).toBe('old');
    await subject.expectContent('file', 'half of the new');
  });

  it('reads from any position, up to the end and not beyond', async () => {
    const subject = await openSubject();
    const bytes = patternedBytes(1_500_000);
    await subject.foreignWrite('file', bytes);

    const file = await subject.posix.open(subject.at('file'), O_RDONLY);
    const late = await file.read(1000, 1_400_000);
    const early = await file.read(1000, 7);
    const last = await file.read(1000, 1_499_990);
    const beyond = await file.read(1000, 1_500_000);
    await file.close();

    expect(late.equals(bytes.subarray(1_400_000, 1_401_000))).toBe(true);
    expect(early.equals(bytes.subarray(7, 1007))).toBe(true);
    expect(last.equals(bytes.subarray(1_499_990))).toBe(true);
    expect(beyond).toHaveLength(0);
  });

  it('keeps 20 MB as they were written, in pieces of odd sizes', async () => {
    const subject = await openSubject();
    const bytes = patternedBytes(20_000_003);
    const file = await subject.posix.open(subject.at('large'), O_WRONLY | O_CREAT);
    for (let start = 0; start < bytes.length; start += 777_777) {
      await file.write(bytes.subarray(start, start + 777_777));
    }
    await file.close();

    await subject.expectContent('large', bytes);
  });
}
