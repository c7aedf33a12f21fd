/** What do programs see of each other when they work at the same time? */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { patternedBytes } from '../support/patterned-bytes.ts';
import {
  codeOf,
  O_CREAT,
  O_EXCL,
  O_RDONLY,
  O_RDWR,
  O_WRONLY,
  refuses,
  type OpenSubject,
  type Subject,
} from './subject.ts';

export function concurrencyCases(openSubject: OpenSubject): void {
  it('gives every one of 20 readers of a file all of its bytes', async () => {
    const subject = await openSubject();
    const bytes = patternedBytes(3_000_000);
    await subject.foreignWrite('file', bytes);

    const copies = await Promise.all(Array.from({ length: 20 }, () => subject.read('file')));

    expect(copies.every((copy) => copy.equals(bytes))).toBe(true);
  });

  it('stores 30 files that are written at once', async () => {
    const subject = await openSubject();
    const names = Array.from({ length: 30 }, (_, index) => `file-${String(index).padStart(2, '0')}`);

    await Promise.all(names.map((name, index) => subject.write(name, patternedBytes(10_000 + index, index))));

    expect(await subject.posix.readdir(subject.at())).toEqual(names);
    for (const [index, name] of names.entries()) {
      await subject.expectContent(name, patternedBytes(10_000 + index, index));
    }
  });

  it('puts together what several descriptors write to different parts of a file', async () => {
    const subject = await openSubject();
    const bytes = patternedBytes(800_000);
    await subject.foreignWrite('file', Buffer.alloc(800_000));
    const files = await Promise.all(
      Array.from({ length: 4 }, () => subject.posix.open(subject.at('file'), O_RDWR)),
    );

    await Promise.all(
      files.map(async (file, index) => {
        const start = index * 200_000;
        for (let at = start; at < start + 200_000; at += 50_000) {
          await file.write(bytes.subarray(at, at + 50_000), at);
        }
      }),
    );
    await Promise.all(files.map((file) => file.close()));

    await subject.expectContent('file', bytes);
  });

  it('shows a reader either the old or the new bytes while a file is replaced again and again [native/replaced]', async () => {
    const subject = await openSubject();

    const seen = await readWhileReplaced(subject);

    // The native driver's library may lose the file between finding and opening it; the bytes are never mixed.
    expect([...seen].filter((text) => !['a', 'b', 'ENOENT'].includes(text))).toEqual([]);
  });

  it('lets one of two win who create the same name exclusively, one after the other [names/exclusive]', async () => {
    const subject = await openSubject();
    const lock = await subject.posix.open(subject.at('lock'), O_WRONLY | O_CREAT | O_EXCL);

    await refuses('EEXIST', subject.posix.open(subject.at('lock'), O_WRONLY | O_CREAT | O_EXCL));
    await lock.close();
    await refuses('EEXIST', subject.posix.open(subject.at('lock'), O_WRONLY | O_CREAT | O_EXCL));
    await subject.posix.unlink(subject.at('lock'));
    await (await subject.posix.open(subject.at('lock'), O_WRONLY | O_CREAT | O_EXCL)).close();
  });

  it('lets many make and remove folders and files side by side', async () => {
    const subject = await openSubject();

    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        const folder = `worker-${worker}`;
        await subject.posix.mkdir(subject.at(folder));
        for (let round = 0; round < 5; round += 1) {
          await subject.write(`${folder}/file`, `${worker}:${round}`);
          await subject.posix.rename(subject.at(`${folder}/file`), subject.at(`${folder}/kept`));
          const file = await subject.posix.open(subject.at(`${folder}/kept`), O_RDONLY);
          expect((await file.read(100)).toString()).toBe(`${worker}:${round}`);
          await file.close();
        }
        await subject.posix.unlink(subject.at(`${folder}/kept`));
        await subject.posix.rmdir(subject.at(folder));
      }),
    );

    expect(await subject.posix.readdir(subject.at())).toEqual([]);
    expect(await subject.storedNames()).toEqual([]);
  });
}

/** The native driver's library addresses files by name: one replaced between lookup and open is not found. */
export function replacementCases(openSubject: OpenSubject): void {
  it('always finds a file that is replaced again and again', async () => {
    const subject = await openSubject();

    const seen = await readWhileReplaced(subject);

    expect([...seen].filter((text) => !['a', 'b'].includes(text))).toEqual([]);
  });
}

/** What readers saw: the letters of a content, each once, or an errno. */
async function readWhileReplaced(subject: Subject): Promise<Set<string>> {
  const versions = ['a', 'b'].map((letter) => letter.repeat(5000));
  await subject.write('file', versions[0] ?? '');
  const seen = new Set<string>();
  let isDone = false;

  const reading = (async () => {
    while (!isDone) {
      seen.add(await subject.text('file').then((text) => text.replace(/(.)\1*/g, '$1'), codeOf));
      // In process a cached read takes no turn of the event loop, and the writer needs some.
      await nextTurn();
    }
  })();
  for (let round = 1; round <= 10; round += 1) {
    await subject.write('file.new', versions[round % 2] ?? '');
    await subject.posix.rename(subject.at('file.new'), subject.at('file'));
  }
  isDone = true;
  await reading;

  await subject.expectContent('file', versions[0] ?? '');
  return seen;
}
