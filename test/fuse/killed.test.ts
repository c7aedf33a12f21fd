/** What can be seen of a program that a signal has ended while a call of it lasts. */
import { expect, it } from 'vitest';
import { isKilled } from '../../src/fuse/killed.ts';

/** Higher than any process number. */
const NOBODY = 2 ** 30;

/** What proc(5) tells of a process; no memory: it is on its way out. */
const filesOf = (pending: string, hasMemory: boolean, flags: number): Record<string, string> => ({
  '/proc/4711/status': `Name:\ta (b) c\nTgid:\t4711\n${hasMemory ? 'VmSize:\t 2048 kB\n' : ''}Threads:\t1\nSigPnd:\t${pending}\nShdPnd:\t0000000000000000\n`,
  '/proc/4711/stat': `4711 (a) b (c) D 1 4711 1 0 -1 ${flags} 0 0 0 0 0 0 0 0 20 0 1 0 100 2097152 300 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n`,
});
const answer = (text: string | undefined): Promise<string> =>
  text === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(text);

it('a program that runs is not killed, nor one that is not there', async () => {
  expect(await isKilled(process.pid)).toBe(false);
  expect(await isKilled(NOBODY)).toBe(false);
});

it.each([
  ['works', filesOf('0000000000000000', true, 0x400100), false],
  ['waits with a signal that it will handle', filesOf('0000000000000002', true, 0x400000), false],
  ['waits with SIGKILL and a real-time signal', filesOf('8000000000000100', true, 0x400000), true],
  ['ends by itself', filesOf('0000000000000000', false, 0x400004), false],
  ['ends because of a signal', filesOf('0000000000000000', false, 0x400404), true],
  ['is gone before the second look', { '/proc/4711/status': 'Tgid:\t4711\n' }, false],
  ['nobody tells of', { '/proc/4711/status': '' }, false],
])('one that %s', async (_what, files: Record<string, string>, killed) => {
  expect(await isKilled(4711, (file) => answer(files[file]))).toBe(killed);
});

it('one that executes another is not looked at where that would wait for what it closes', async () => {
  const { '/proc/4711/status': status } = filesOf('0000000000000000', true, 0);
  const asked: string[] = [];
  const text = (file: string): Promise<string> => {
    asked.push(file);
    return file.endsWith('/status') ? answer(status) : new Promise<never>(() => undefined);
  };

  expect(await isKilled(4711, text)).toBe(false);
  expect(asked).toEqual(['/proc/4711/status']);
});
