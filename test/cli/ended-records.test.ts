/** For how long can others read how a process ended? On real mounts: test/mount/cli-unmount-at-once.test.ts. */
import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { putAway, recordAtEnd } from '../../src/cli/found-mounts/ended-records.ts';
import { writeRecord } from '../../src/cli/found-mounts/mount-record.ts';
import { mountRecordOf } from '../support/mount-record.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('they can for a while after it was told, until the next is told later', async () => {
  const home = await temporaryDirectory();
  const first = mountRecordOf();
  const second = mountRecordOf({ process: { pid: 4712, startTime: '2' } });
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
