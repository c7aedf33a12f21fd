import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Holders, type ProcessFiles } from '../../src/fuse/holders.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** No process has it: numbers end below. */
const NOBODY = 2 ** 22 + 1;

describe.runIf(process.platform === 'linux')('a program', () => {
  const holders = new Holders(systemClock);
  const hasOpen = (thread: number, file: string): Promise<boolean | undefined> =>
    holders.hasOpen([thread], file);

  it('has a file open as long as one of its descriptors leads there', async () => {
    const file = path.join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    expect(await hasOpen(process.pid, file)).toBe(false);

    const first = await open(file);
    const second = await open(file);
    expect(await hasOpen(process.pid, file)).toBe(true);
    await first.close();
    expect(await hasOpen(process.pid, file)).toBe(true);
    expect(await hasOpen(process.pid, `${file}2`)).toBe(false);
    expect(await hasOpen(NOBODY, file)).toBe(false);
    expect(await holders.hasOpen([NOBODY, process.pid], file)).toBe(true);
    await second.close();

    expect(await hasOpen(process.pid, file)).toBe(false);
  });
});

describe('a program that executes another, which nobody can look at before its files are closed', () => {
  it('is waited for no longer than a moment', async () => {
    const { holders, clock, calls } = whereStuck('/proc/7/fd/1');
    const looked = holders.hasOpen([7], '/mnt/file');
    await expect.poll(() => calls).toContain('/proc/7/fd/1');

    clock.advance(1000);

    expect(await looked).toBeUndefined();
  });

  it('keeps one thread, not all, from what else is to be done', async () => {
    const { holders, clock, calls } = whereStuck('/proc/7/fd/0');
    const looked = holders.hasOpen([7], '/mnt/file');
    await expect.poll(() => calls).toContain('/proc/7/fd/0');
    expect(calls).not.toContain('/proc/7/fd/1');

    clock.advance(1000);

    expect(await looked).toBeUndefined();
  });

  it.each([
    ['by one', [7, 7, 7, 7, 7]],
    ['by several', [7, 8, 9, 10, 11]],
  ])('leaves threads free, however many files are closed %s', async (_whose, threads) => {
    let stuck = 0;
    const never = (): Promise<never> => {
      stuck += 1;
      return new Promise<never>(() => undefined);
    };
    const clock = new ManualClock();
    const holders = new Holders(clock, { list: never, target: never, text: never });

    const looked = threads.map((thread) => holders.hasOpen([thread], '/mnt/file'));
    clock.advance(1000);

    expect(await Promise.all(looked)).toEqual(threads.map(() => undefined));
    expect(stuck).toBeLessThanOrEqual(2);
  });

  it('need not be looked at where who opened the file has it open still', async () => {
    const { holders, calls } = whereStuck('/proc/7/fd');

    expect(await holders.hasOpen([6, 7], '/mnt/file')).toBe(true);

    expect(calls).not.toContain('/proc/7/fd');
  });

  it('does not keep others from being named that use a mount', async () => {
    const { holders, clock, calls } = whereStuck('/proc/7/fd');
    const found = holders.find('/mnt');
    await expect.poll(() => calls).toContain('/proc/7/fd');

    clock.advance(5000);

    expect(await found).toEqual([{ pid: 6, program: 'program of 6' }]);
  });
});

/** Where process 6 has /mnt/file open, and the look at `stuck` of process 7 never ends. */
function whereStuck(stuck: string): {
  readonly holders: Holders;
  readonly clock: ManualClock;
  readonly calls: readonly string[];
} {
  const clock = new ManualClock();
  const calls: string[] = [];
  const asked = <Answer>(name: string, answer: Answer): Promise<Answer> => {
    calls.push(name);
    return name === stuck ? new Promise<never>(() => undefined) : Promise.resolve(answer);
  };
  const files: ProcessFiles = {
    list: (folder) => asked(folder, folder === '/proc' ? ['self', '6', '7'] : ['0', '1']),
    target: (link) => asked(link, link === '/proc/6/fd/1' ? '/mnt/file' : '/dev/null'),
    text: (file) => asked(file, `program of ${file.split('/')[2] ?? ''}\n`),
  };
  return { holders: new Holders(clock, files), clock, calls };
}
