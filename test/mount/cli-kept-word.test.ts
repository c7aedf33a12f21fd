/** Is a mount found that outlives what it has left of itself, as a session directory goes with the last session of its user? */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashOf, recordDirectory } from '../../src/cli/found-mounts/record-directories.ts';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

/** More than between two looks of its process. */
const FOUND_AGAIN = { timeout: 25_000, interval: 500 };

it('is asked, refreshed and waited for as before', async () => {
  const at = await CommandLine.open(await startEmbeddedServer());
  const { mountpoint } = at;
  expect(await at.run(['mount', 'photos', mountpoint])).toMatchObject({ code: 0 });
  const directory = await recordDirectory(process.getuid?.() ?? 0);
  const left = async (): Promise<readonly string[]> =>
    (await readdir(directory)).filter((name) => name.startsWith(`${hashOf(mountpoint)}.`)).sort();
  const before = await left();
  expect(before).toHaveLength(2);

  for (const name of before) await rm(join(directory, name));

  await expect.poll(left, FOUND_AGAIN).toEqual(before);
  await writeFile(join(mountpoint, 'a.txt'), 'written');
  expect(JSON.parse((await at.run(['status', mountpoint, '--json'])).stdout)).toMatchObject([
    { state: 'serving', live: { phase: 'serving' } },
  ]);
  expect(await at.run(['refresh', mountpoint])).toMatchObject({ code: 0 });
  expect(await at.run(['unmount', mountpoint])).toMatchObject({ code: 0, stderr: '' });
  expect(await left()).toEqual([]);
});
