/**
 * An earlier mount at the same place was killed: does anybody go on with what it left? Whoever mounts there with another key or state
 * directory, another bucket, or changes nothing, does not; then a person has to hear of it as long as it waits.
 */
import type { Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { DatabaseTooNew } from '../../content/journal/open-or-move-aside.ts';
import { changesLeftIn } from '../../filesystem/left-behind/changes-left.ts';
import type { MountRecord } from '../found-mounts/mount-record.ts';
import { isRunning } from '../found-mounts/process-identity.ts';
import { isOfMount, listLeftDirectories } from '../state/left-directories.ts';

/** For the mount that begins, which has claimed its state directories. `changesNothing`: what is in them stays there. */
export interface NextMount {
  readonly changesNothing: boolean;
  readonly clock: Clock;
}

/** Those of `records` that left nothing that nobody goes on with; also where that cannot be found out. */
export async function takenOver(
  records: readonly MountRecord[],
  next: NextMount,
): Promise<readonly MountRecord[]> {
  const found: MountRecord[] = [];
  for (const record of records) if (!(await isWaiting(record, next))) found.push(record);
  return found;
}

async function isWaiting(record: MountRecord, { changesNothing, clock }: NextMount): Promise<boolean> {
  const { stateDir, readOnly, mayWrite } = record;
  if (stateDir === null || readOnly || !mayWrite || (await isRunning(record.process))) return false;
  try {
    for (const directory of (await listLeftDirectories(stateDir)).directories) {
      if (!isOfMount(directory, record) || (directory.isOwned && !changesNothing)) continue;
      if ((await changesLeftIn(directory.path, clock)).length > 0) return true;
    }
    return false;
  } catch (error) {
    if (systemErrorCode(error) === undefined && !(error instanceof DatabaseTooNew)) throw error;
    return false;
  }
}
