/** How does a disk cache end while its directory, which may hold millions of files, is still looked at? */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { groupFiles, openCache } from './disk-cache-for-test.ts';
import { Reading, SMALL } from './reading.ts';

const FILES = 20;

/** Looks at a file wait for it. */
const gate = vi.hoisted(() => ({ looks: 0, open: (): void => undefined, opened: Promise.resolve() }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const stat = async (path: string): Promise<unknown> => {
    gate.looks += 1;
    await gate.opened;
    return real.stat(path);
  };
  return { ...real, stat };
});

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, 'ff'));
  for (let index = 0; index < FILES; index += 1) await writeFile(join(directory, 'ff', `ff${index}.0`), 'x');
  gate.looks = 0;
  gate.opened = new Promise((resolve) => {
    gate.open = resolve;
  });
});

it('at once, where nothing is to be kept', async () => {
  const cache = openCache(directory);
  await expect.poll(() => gate.looks).toBe(1);

  const closing = cache.close();
  gate.open();
  await closing;

  expect(gate.looks).toBe(1);
});

it.each([
  { waited: 999, looks: FILES, kept: 1 },
  { waited: 1000, looks: 1, kept: 0 },
])(
  'after a second at the most, where something is to be kept: $waited ms',
  async ({ waited, looks, kept }) => {
    const clock = new ManualClock(Date.now());
    const cache = openCache(directory, { clock });
    const reading = await Reading.begin({ ...SMALL, size: 60, disk: cache });
    expect(await reading.readsAll()).toBe(true);
    await expect.poll(() => gate.looks).toBe(1);

    const closing = cache.close();
    clock.advance(waited);
    gate.open();
    await closing;

    expect(gate.looks).toBe(looks);
    expect(await groupFiles(directory)).toHaveLength(FILES + kept);
  },
);
