/** SEMANTICS: more files wait for their upload than a process may have open. */
import { readdirSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

const settings = { writeBack: true } as const;
const COUNT = 620;
/** And some that somebody is just using. */
const MOST_OPEN = 520;

const pathOf = (number: number): string => `/f${String(number).padStart(3, '0')}`;
const contentOf = (path: string): string => `the bytes of ${path}`;

/** How many files in `directory` this process has open. */
function openIn(directory: string): number {
  const isIn = (descriptor: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(directory);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc/self/fd').filter(isIn).length;
}

async function writeAll(fs: FileSystemOperations): Promise<string[]> {
  const paths = Array.from({ length: COUNT }, (_, number) => pathOf(number));
  for (const path of paths) await writeFile(fs, path, contentOf(path));
  return paths;
}

async function storedTexts(scene: FileSystemForTest, paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => textOf(scene, path.slice(1))));
}

it('all of them can be read, added to, renamed and deleted, and are stored [write-back/many]', async () => {
  const scene = await openForTest({ settings });
  const { fs } = scene;
  const paths = await writeAll(fs);
  expect(openIn(scene.stateDirectory)).toBeLessThan(MOST_OPEN);

  for (const path of paths) expect((await readFile(fs, path)).toString()).toBe(contentOf(path));
  expect(openIn(scene.stateDirectory)).toBeLessThan(MOST_OPEN);
  const [added, renamed, deleted] = [paths.at(-1), paths.at(-2), paths.at(-3)] as [string, string, string];
  await edit(fs, added, '!', contentOf(added).length);
  await fs.rename(renamed, '/renamed', false);
  await fs.unlink(deleted);
  await drained(scene.mounted);

  const others = paths.slice(0, -3);
  expect(await storedTexts(scene, others)).toEqual(others.map(contentOf));
  expect(await textOf(scene, added.slice(1))).toBe(`${contentOf(added)}!`);
  expect(await textOf(scene, 'renamed')).toBe(contentOf(renamed));
  expect(await names(fs, '/')).toHaveLength(COUNT - 1);
  expect(openIn(scene.stateDirectory)).toBeLessThan(MOST_OPEN - COUNT / 2);
});

it('the next mount shows and stores all of them after a kill [write-back/many]', async () => {
  const scene = await openForTest({ settings });
  const paths = await writeAll(scene.fs);
  const disk = await diskNow(scene);
  await drained(scene.mounted);
  for (const path of paths) await scene.direct.deleteObject(scene.bucket, path.slice(1));

  const next = await mountOver(disk, scene, { settings });

  expect(openIn(disk.directory)).toBeLessThan(MOST_OPEN);
  await drained(next);
  expect(await storedTexts(scene, paths)).toEqual(paths.map(contentOf));
});

it('who has one open that is deleted goes on reading it', async () => {
  const scene = await openForTest({ settings });
  const { fs } = scene;
  const last = (await writeAll(fs)).at(-1) ?? '';
  const handle = await fs.open(last, { read: true, write: false, truncate: false });

  await fs.unlink(last);

  const into = new Uint8Array(contentOf(last).length);
  await fs.read(handle, into, 0);
  expect(Buffer.from(into).toString()).toBe(contentOf(last));
  await fs.release(handle);
});
