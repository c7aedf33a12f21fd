/**
 * Who reads how a process ended? Whoever does puts its record away, and what others then see is that of a mount which has stored
 * everything: so it is kept for a while, for those who wait for the same end. Two may unmount at once, or the next mount be quicker.
 */
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { removeDeadSocket } from './control-sockets.ts';
import {
  isSameProcess,
  readRecordFile,
  readRecords,
  recordFile,
  removeRecord,
  type MountRecord,
} from './mount-record.ts';
import { isRunning } from './process-identity.ts';
import { namesIn, unlessMissing } from './record-directories.ts';

const ENDING = '.told';
const TOLD_NAME = /^[0-9a-f]{32}\.\d+\.json\.told$/;
/** Who waits looks many times a second; a machine may stand still for a while. */
const KEPT_MS = 600_000;

/** Undefined when the process, which has ended, has stored everything: then it has removed its record. */
export async function recordAtEnd(
  directories: readonly string[],
  before: MountRecord,
): Promise<MountRecord | undefined> {
  const record = (await readRecords(directories)).find((one) => isSameProcess(one, before));
  if (record !== undefined) return record;
  for (const directory of directories) {
    const told = await readRecordFile(toldFile(directory, before));
    if (told !== undefined && isSameProcess(told, before)) return told;
  }
  return undefined;
}

/** Of a process that has ended. Only `recordAtEnd` still finds it. */
export async function putAway(
  directories: readonly string[],
  record: MountRecord,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  await removeDeadSocket(directories, record);
  for (const directory of directories) {
    await removeOld(directory, clock);
    await rename(recordFile(directory, record), toldFile(directory, record)).catch(unlessMissing);
  }
  await removeRecord(directories, record);
}

/** Puts away those of `records` whose processes are gone: whoever mounts where they were goes on with what they left, if anything. */
export async function putAwayDead(
  directories: readonly string[],
  records: readonly MountRecord[],
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  for (const record of records) {
    if (!(await isRunning(record.process))) await putAway(directories, record, clock);
  }
}

function toldFile(directory: string, record: MountRecord): string {
  return `${recordFile(directory, record)}${ENDING}`;
}

async function removeOld(directory: string, clock: Pick<Clock, 'now'>): Promise<void> {
  const names = await namesIn(directory);
  for (const name of names.filter((one) => TOLD_NAME.test(one))) {
    const file = join(directory, name);
    const found = await stat(file).catch(unlessMissing);
    if (found !== undefined && clock.now() - found.ctimeMs > KEPT_MS) await rm(file, { force: true });
  }
}
