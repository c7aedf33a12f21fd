/** What does a disk cache make of what others do to its directory: programs that fill it, people who delete it? */
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CacheDirectory } from '../../src/content/disk-cache/cache-directory.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LIMIT = 400_000;
const FILE = 100_000;
/** For so long a look is relied on, and a little longer. */
const LONG = 5 * 60_000 + 1;

/** Called after each look at a file, with its path. */
const looked = vi.hoisted(() => ({ at: undefined as ((path: string) => Promise<void>) | undefined }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const statAndTell = async (path: string): Promise<unknown> => {
    const found = await real.stat(path);
    await looked.at?.(path);
    return found;
  };
  return { ...real, stat: statAndTell };
});

let clock: ManualClock;
let directory: CacheDirectory;
let deleted: string[];

beforeEach(async () => {
  looked.at = undefined;
  clock = new ManualClock(Date.now());
  deleted = [];
  const path = await temporaryDirectory();
  directory = new CacheDirectory({ path, clock, deleted: (name) => deleted.push(name) });
});

/** A file of the cache, last used so many minutes ago. */
async function addFile(name: string, minutes: number): Promise<string> {
  await directory.makeFolderOf(name);
  const path = directory.pathOf(name);
  await writeFile(path, Buffer.alloc(FILE, 'x'));
  const at = new Date(Date.now() - minutes * 60_000);
  await utimes(path, at, at);
  return path;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

describe('room that was not given', () => {
  it('is not missed by who comes next, where there was none', async () => {
    await directory.prepare();
    expect(await directory.reserve(2 * LIMIT, LIMIT)).toBe(false);

    expect(await directory.reserve(LIMIT, LIMIT)).toBe(true);
  });

  it('is not missed by who comes next, where the disk failed', async () => {
    const path = await addFile('oldest', 10);
    const { mtime } = await stat(path);
    await directory.prepare();
    await rm(path);
    await mkdir(path);
    await utimes(path, mtime, mtime);
    await expect(directory.reserve(LIMIT, LIMIT)).rejects.toThrow();
    await rm(path, { recursive: true });

    expect(await directory.reserve(LIMIT, LIMIT)).toBe(true);
  });
});

it('what others have put there since is counted some minutes later, and goes when room is needed', async () => {
  await directory.prepare();
  const paths = await Promise.all(['a', 'b', 'c', 'd'].map((name, minutes) => addFile(name, minutes)));
  clock.advance(LONG);

  expect(await directory.reserve(FILE, LIMIT)).toBe(true);

  expect(await Promise.all(paths.map(isThere))).toEqual([true, true, false, false]);
  expect(deleted).toEqual(['d', 'c']);
});

it('what was used since the last look is not what goes', async () => {
  const [oldest, newer] = [await addFile('oldest', 20), await addFile('newer', 10)];
  await directory.prepare();
  await utimes(oldest, new Date(), new Date());

  expect(await directory.reserve(FILE, 2.5 * FILE)).toBe(true);

  expect([await isThere(oldest), await isThere(newer)]).toEqual([true, false]);
});

it('a file that others delete at the same time is as good as deleted here', async () => {
  const path = await addFile('oldest', 10);
  await directory.prepare();
  looked.at = (at) => (at === path ? rm(path) : Promise.resolve());

  expect(await directory.reserve(FILE, FILE)).toBe(true);
});

it('a cache that somebody has deleted has room', async () => {
  await addFile('oldest', 10);
  await directory.prepare();
  await rm(directory.path, { recursive: true });
  clock.advance(LONG);

  expect(await directory.reserve(LIMIT, LIMIT)).toBe(true);
  expect(directory.used).toBe(0);
});

it('a look goes on where a folder has become a file', async () => {
  const [folder, file] = [await addFile('aa', 10), await addFile('bb', 10)];
  looked.at = async (at) => {
    looked.at = undefined;
    const other = at === folder ? file : folder;
    await rm(other, { recursive: true });
    await rm(`${directory.path}/${other === file ? 'bb' : 'aa'}`, { recursive: true });
    await writeFile(`${directory.path}/${other === file ? 'bb' : 'aa'}`, '');
  };

  await directory.prepare();

  expect(directory.used).toBeGreaterThanOrEqual(FILE);
});
