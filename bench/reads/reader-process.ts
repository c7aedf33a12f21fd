/** A program that reads files of the pattern and compares every byte. It stands ready, so that its start is not measured. */
import { closeSync, openSync, readSync } from 'node:fs';
import { MOST_AT_ONCE, Pattern } from '../contents/pattern.ts';
import { serveCalls } from '../frame/serve-calls.ts';

/** A file that should have the bytes of the pattern's file `number`. */
export interface PatternedPath {
  readonly path: string;
  readonly number: number;
  readonly size: number;
}

/** What the process answers; each rejects where a byte is wrong or missing. */
export type ReaderAnswers = Readonly<{
  /** From the first byte to the end, as cat(1) reads. */
  readWhole: (file: PatternedPath) => Promise<void>;
  /** One read of `length` bytes at each position, one after the other, of one open file. */
  readAt: (file: PatternedPath, positions: readonly number[], length: number) => Promise<void>;
  /** Opens each, reads one byte, and closes it, one after the other. */
  readFirstBytes: (files: readonly PatternedPath[]) => Promise<void>;
}>;

const CAT_BYTES = 128 * 1024;

function openReader(): Promise<ReaderAnswers> {
  const pattern = new Pattern();
  const buffer = Buffer.alloc(MOST_AT_ONCE);
  const read = (fd: number, file: PatternedPath, position: number, length: number): number => {
    const count = readSync(fd, buffer, 0, length, position);
    const left = Math.max(0, file.size - position);
    if (count > left || (count === 0 && left > 0))
      throw new Error(`${count} bytes of ${file.path} after ${position}, and there are ${left}`);
    pattern.check(file.number, position, buffer.subarray(0, count));
    return count;
  };
  const readAll = (fd: number, file: PatternedPath, position: number, length: number): void => {
    const end = Math.min(position + length, file.size);
    for (let at = position; at < end;) at += read(fd, file, at, end - at);
  };
  return Promise.resolve({
    readWhole: withFile((fd, file: PatternedPath) => {
      let position = 0;
      for (let count = -1; count !== 0; position += count) count = read(fd, file, position, CAT_BYTES);
    }),
    readAt: withFile((fd, file: PatternedPath, positions: readonly number[], length: number) => {
      for (const position of positions) readAll(fd, file, position, length);
    }),
    readFirstBytes: async (files) => {
      const readFirst = withFile((fd, file: PatternedPath) => {
        readAll(fd, file, 0, 1);
      });
      for (const file of files) await readFirst(file);
    },
  });
}

function withFile<Rest extends unknown[]>(
  act: (fd: number, file: PatternedPath, ...rest: Rest) => void,
): (file: PatternedPath, ...rest: Rest) => Promise<void> {
  return (file, ...rest) =>
    // Thrown in there it is an answer; thrown at once it would be the end of the process.
    Promise.resolve().then(() => {
      const fd = openSync(file.path, 'r');
      try {
        act(fd, file, ...rest);
      } finally {
        closeSync(fd);
      }
    });
}

serveCalls(openReader);
