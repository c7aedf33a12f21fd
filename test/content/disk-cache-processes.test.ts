/** Mounts of one machine share a cache, each in a process of its own: they fill it, empty it, and die over it side by side. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, rm, stat, truncate } from 'node:fs/promises';
import { onTestFinished, expect, it } from 'vitest';
import { Chance } from '../crash/chance.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { CacheUserReply } from './cache-user-child.ts';
import { CacheUser, LIMIT } from './cache-user.ts';
import { groupFiles, GROUP, openCache } from './disk-cache-for-test.ts';
import { SMALL } from './reading.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
const CHILD = new URL('./cache-user-child.ts', import.meta.url);
const KILLS = 3;
/** From one kill to the next. */
const DAMAGES = 30;
const DAMAGED = 'a block of the disk cache is damaged and is downloaded again';

it('processes that fill and empty one cache, of which one is killed again and again, read no wrong byte [read/kept]', async () => {
  const directory = await temporaryDirectory();
  const chance = new Chance(1);
  const other = await begun(directory, 1);
  const warnings: string[] = [];
  const note = (message: string): void => {
    warnings.push(message);
  };
  const log = { debug: () => undefined, info: note, warn: note, error: note };
  const user = new CacheUser({ directory, seed: 2, log });

  for (let kill = 0; kill < KILLS; kill += 1) {
    const killed = await begun(directory, 3 + kill);
    for (let damage = 0; damage < DAMAGES; damage += 1) {
      await damageOne(directory, chance);
      for (let turn = 0; turn < 5; turn += 1) await user.readSome();
    }
    killed.kill('SIGKILL');
    await once(killed, 'exit');
  }
  await user.close();
  const told = await ended(other);

  for (const { wrong, read, kept } of [user.tally, told]) {
    expect(wrong).toEqual([]);
    expect(Math.min(read, kept)).toBeGreaterThan(0);
  }
  expect([...new Set([...warnings, ...told.warnings])].filter((message) => message !== DAMAGED)).toEqual([]);
  // Whatever they have left, the next one makes room in it.
  await keepOneMore(directory);
  expect(await bytesOnDisk(directory)).toBeLessThanOrEqual(LIMIT);
});

it('mounts that find the same file damaged at the same time begin it anew together, and go on keeping [read/kept]', async () => {
  const name = { service: 'https://storage.example.com', bucket: 'b', key: 'k', etag: 'e', size: GROUP };
  const block = Buffer.alloc(SMALL.blockSize, 'x');
  for (let turn = 0; turn < 10; turn += 1) {
    const directory = await temporaryDirectory();
    const first = openCache(directory);
    await first.content(name).keepInTime(0, block);
    await first.close();
    for (const file of await groupFiles(directory)) await truncate(file, 100);

    const warnings: string[] = [];
    const note = (message: string): void => {
      warnings.push(message);
    };
    const log = { debug: () => undefined, info: note, warn: note, error: note };
    const caches = [1, 2, 3].map(() => openCache(directory, { log }));
    await Promise.all(
      caches.map(async (cache) => {
        await cache.content(name).keepInTime(0, block);
        await cache.close();
      }),
    );

    expect(warnings).toEqual([]);
    const later = openCache(directory).content(name);
    await later.look(0, 0);
    expect(later.has(0)).toBe(true);
  }
});

/** A process that reads through the cache, which it has begun to. */
async function begun(directory: string, seed: number): Promise<ChildProcess> {
  const child = fork(CHILD, [directory, String(seed)], { execArgv: ['--import', LOADER] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child, 'message');
  return child;
}

async function ended(child: ChildProcess): Promise<Exclude<CacheUserReply, 'begins'>> {
  const told = once(child, 'message');
  child.send('stop');
  const [reply] = (await told) as [Exclude<CacheUserReply, 'begins'>];
  return reply;
}

/** As a disk that fails does, or somebody who wants its room. */
async function damageOne(directory: string, chance: Chance): Promise<void> {
  const files = await groupFiles(directory);
  if (files.length === 0) return;
  const path = chance.pick(files);
  try {
    const { size } = await stat(path);
    const how = chance.between(0, 3);
    if (how === 0) await rm(path);
    else if (how === 1) await truncate(path, chance.between(0, size));
    else await overwrite(path, how === 2 ? 0 : chance.between(0, size));
  } catch (error) {
    // Others have just made away with it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function overwrite(path: string, position: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write('damaged', position);
  await file.close();
}

async function keepOneMore(directory: string): Promise<void> {
  const name = { service: 'https://storage.example.com', bucket: 'b', key: 'last', etag: 'e', size: GROUP };
  const cache = openCache(directory, { limit: LIMIT });
  expect(await cache.content(name).keepInTime(0, Buffer.alloc(SMALL.blockSize))).toBe(true);
  await cache.close();
}

async function bytesOnDisk(directory: string): Promise<number> {
  const all = await Promise.all((await groupFiles(directory)).map((file) => stat(file)));
  return all.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}
