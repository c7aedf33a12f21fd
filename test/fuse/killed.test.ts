/** What can be seen of a program that a signal has ended while a call of it lasts. */
import { expect, it } from 'vitest';
import { isKilled } from '../../src/fuse/killed.ts';

/** Higher than any process number. */
const NOBODY = 2 ** 30;

/** A line of proc_pid_stat(5) with these flags and pending signals. */
const lineOf = (flags: number, pending: number): string =>
  `4711 (a) b (c) D 1 4711 1 0 -1 ${flags} 0 0 0 0 0 0 0 0 20 0 1 0 100 2097152 300 18446744073709551615 1 1 0 0 0 ${pending} 0 0 0 0 0 0 17 1 0 0 0 0 0\n`;

it('a program that runs is not killed, nor one that is not there', async () => {
  expect(await isKilled(process.pid)).toBe(false);
  expect(await isKilled(NOBODY)).toBe(false);
});

it.each([
  ['works', 0x400100, 0, false],
  ['waits with a signal that it will handle', 0x400000, 1 << 1, false],
  ['ends by itself', 0x400004, 0, false],
  ['waits with SIGKILL', 0x400000, 1 << 8, true],
  ['ends because of a signal', 0x400404, 0, true],
])('one that %s', async (_what, flags, pending, killed) => {
  const files: string[] = [];
  const text = (file: string): Promise<string> => {
    files.push(file);
    return Promise.resolve(lineOf(flags, pending));
  };

  expect(await isKilled(4711, text)).toBe(killed);
  expect(files).toEqual(['/proc/4711/stat']);
});
