/** Only what is seen of a killed mount's own bytes takes it out of the status: what others have stored says nothing of it. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { MountRecord } from '../../src/cli/found-mounts/mount-record.ts';
import { recordFile } from '../../src/cli/found-mounts/mount-record.ts';
import { putAwaySettled, type LookedAt } from '../../src/cli/uploads/settled-mounts.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { mountRecordOf } from '../support/mount-record.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { bucket, baseUrl } = mountRecordOf();

/** Whether the record of a killed mount is there still. */
async function isShownOn(
  stateDir: string,
  places: readonly Partial<LookedAt>[],
  changes: Partial<MountRecord> = {},
): Promise<boolean> {
  const directory = await temporaryDirectory();
  // No process has this number: it is larger than any may be.
  const process = { pid: 2 ** 22 + 1, startTime: '1' };
  const record = mountRecordOf({ stateDir, process, ...changes });
  await writeFile(recordFile(directory, record), JSON.stringify(record));
  const own = { directories: [join(stateDir, '1')], bucket, baseUrl, isEmpty: true };
  await putAwaySettled(
    [record],
    places.map((place) => ({ ...own, ...place })),
    { directories: [directory], clock: new ManualClock() },
  );
  return (await readdir(directory)).some((name) => name.endsWith('.json'));
}

it.each<readonly [string, readonly Partial<LookedAt>[], boolean]>([
  ['its own place is empty', [{}], false],
  ['the place of another bucket is', [{ bucket: 'music' }], true],
  ['the place of another service is', [{ baseUrl: 'https://other.example.com' }], true],
  ['a place in another state directory is', [{ directories: ['/elsewhere/1'] }], true],
  ['one of its places is, and another is not', [{}, { isEmpty: false }], true],
])('%s', async (_what, places, isShown) => {
  expect(await isShownOn(await temporaryDirectory(), places)).toBe(isShown);
});

it('it is not known where it kept its bytes', async () => {
  expect(await isShownOn(await temporaryDirectory(), [{}], { stateDir: null })).toBe(true);
});

it('it showed all buckets, and a directory that says nothing of itself may be of one of them', async () => {
  const stateDir = await temporaryDirectory();
  const logFile = join(stateDir, 'a.log');
  await writeFile(logFile, '');
  await mkdir(join(stateDir, 'abc', '1'), { recursive: true });

  expect(await isShownOn(stateDir, [], { bucket: null, logFile })).toBe(true);
});
