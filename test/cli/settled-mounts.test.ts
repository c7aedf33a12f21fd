/** Records of killed mounts that have nothing left go with the next `pailfs uploads`; where they cannot, it lists all the same. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordFile } from '../../src/cli/found-mounts/mount-record.ts';
import { putAwaySettled } from '../../src/cli/uploads/settled-mounts.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { mountRecordOf } from '../support/mount-record.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { bucket, baseUrl } = mountRecordOf();

async function killed() {
  const directory = await temporaryDirectory();
  const stateDir = await temporaryDirectory();
  // No process has this number: it is larger than any may be.
  const record = mountRecordOf({ stateDir, process: { pid: 2 ** 22 + 1, startTime: '1' } });
  const file = recordFile(directory, record);
  await writeFile(file, JSON.stringify(record));
  const settle = (isEmpty: boolean): Promise<void> =>
    putAwaySettled([record], [{ directories: [join(stateDir, '1')], bucket, baseUrl, isEmpty }], {
      directories: [directory],
      clock: new ManualClock(),
    });
  const left = async (): Promise<string[]> =>
    (await readdir(directory)).filter((name) => name.endsWith('.json'));
  return { file, settle, left };
}

it('a mount that left something is shown on', async () => {
  const { settle, left } = await killed();

  await settle(false);

  expect(await left()).toHaveLength(1);
});

it('one of which nothing is left is shown no more', async () => {
  const { settle, left } = await killed();

  await settle(true);

  expect(await left()).toEqual([]);
});

it('what cannot be put away keeps nobody from the list', async () => {
  const { file, settle, left } = await killed();
  // Nothing can be renamed to a directory.
  await mkdir(`${file}.told`);

  await settle(true);

  expect(await left()).toHaveLength(1);
});

/** One of all buckets that no program has looked into: it has no state directory. `others`: the service of one that is there. */
async function killedAtTheTop({
  log,
  others,
}: {
  readonly log: boolean;
  readonly others?: string | undefined;
}) {
  const directory = await temporaryDirectory();
  const stateDir = await temporaryDirectory();
  const logFile = join(stateDir, 'logs', 'a.log');
  if (log) {
    await mkdir(join(stateDir, 'logs'));
    await writeFile(logFile, '');
  }
  if (others !== undefined) {
    await mkdir(join(stateDir, 'abc', '1'), { recursive: true });
    await writeFile(
      join(stateDir, 'abc', 'about.json'),
      JSON.stringify({ baseUrl: others, bucket: 'music-1', bucketName: 'music' }),
    );
  }
  const process = { pid: 2 ** 22 + 1, startTime: '1' };
  const record = mountRecordOf({ bucket: null, stateDir, logFile, process });
  await writeFile(recordFile(directory, record), JSON.stringify(record));
  await putAwaySettled([record], [], { directories: [directory], clock: new ManualClock() });
  return (await readdir(directory)).filter((name) => name.endsWith('.json'));
}

it.each([
  ['it has only its log there', { log: true }],
  ['another service has a state directory there', { log: true, others: 'https://other.example.com' }],
])('one of all buckets that had none to keep anything of is shown no more: %s', async (_case, there) => {
  expect(await killedAtTheTop(there)).toEqual([]);
});

it.each([
  ['nothing is there, perhaps not even its disk', { log: false }],
  ['its service has a state directory there that was not looked into', { log: true, others: baseUrl }],
])('it is shown on where nobody can tell: %s', async (_case, there) => {
  expect(await killedAtTheTop(there)).toHaveLength(1);
});
