/** For how long can others read how a process ended? On real mounts: test/mount/cli-unmount-at-once.test.ts. */
import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { putAway, recordAtEnd } from '../../src/cli/found-mounts/ended-records.ts';
import { writeRecord, type MountRecord } from '../../src/cli/found-mounts/mount-record.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function recordOf(pid: number): MountRecord {
  return {
    mountpoint: '/home/me/photos',
    bucket: 'photos',
    baseUrl: 'https://storage.example.com',
    driver: 'kernel',
    readOnly: false,
    mayWrite: true,
    since: '2026-03-04T05:06:07.000Z',
    process: { pid, startTime: '1' },
    logFile: null,
    stateDir: null,
    device: null,
    unsent: [],
  };
}

it('they can for a while after it was told, until the next is told later', async () => {
  const home = await temporaryDirectory();
  const [first, second] = [recordOf(1), recordOf(2)];
  await writeRecord(home, first);
  await writeRecord(home, second);

  await putAway([home], first, systemClock);
  const soon = await recordAtEnd([home], first);
  await putAway([home], second, { now: () => systemClock.now() + 601_000 });
  const late = await recordAtEnd([home], first);

  expect(soon).toEqual(first);
  expect(late).toBeUndefined();
  expect(await readdir(home)).toHaveLength(1);
});
