/**
 * Does a mount that changes nothing have what waits for a bucket that is mounted to be written? It has taken over what earlier mounts left,
 * to list it, and stores none of it: whoever goes on with it later would store it in the place of what is newer by then.
 */
import { dirname } from 'node:path';
import type { Log } from '../../base/log.ts';
import type { UnsentState } from '../../filesystem/unsent/unsent-change.ts';
import { ControlClient, nullWhenSilent } from '../control/control-client.ts';
import { findControlSocket } from '../found-mounts/control-sockets.ts';
import { readRecords, type MountRecord } from '../found-mounts/mount-record.ts';
import { isRunning } from '../found-mounts/process-identity.ts';
import { ownRecordDirectories } from '../found-mounts/record-directories.ts';
import { canonicalDirectory } from '../state/state-pointers.ts';

/** What a mount that may write goes on with by itself. */
const GOES_ON: ReadonlySet<UnsentState> = new Set(['queued', 'end unknown', 'failed']);

interface Parts {
  /** Of the service. */
  readonly baseUrl: string;
  readonly log: Log;
}

/**
 * A warning for each mount that has something of these buckets, and stores nothing. `bucketHomes`: of each bucket of the mount that begins,
 * as `bucketHomeOf`. What cannot be found out is logged.
 */
export async function warningsOfReadOnly(
  bucketHomes: readonly string[],
  { baseUrl, log }: Parts,
): Promise<readonly string[]> {
  try {
    const own = new Set(await Promise.all(bucketHomes.map(canonicalDirectory)));
    const directories = await ownRecordDirectories(process.getuid?.() ?? 0);
    const records = (await readRecords(directories)).filter(
      (record) => record.baseUrl === baseUrl && (record.readOnly || !record.mayWrite),
    );
    const holding = await Promise.all(records.map((record) => isHolding(record, own, directories)));
    return records
      .filter((_, at) => holding[at])
      .map(
        ({ mountpoint }) =>
          `the read-only mount at ${mountpoint} has what earlier mounts did not store: that is not shown here, is stored by the next mount that begins after that one's end, and may then replace what is written here`,
      );
  } catch (error) {
    log.warn('Whether a read-only mount has what waits is not known', { error });
    return [];
  }
}

async function isHolding(
  record: MountRecord,
  own: ReadonlySet<string>,
  directories: readonly string[],
): Promise<boolean> {
  const socket = await findControlSocket(directories, record);
  if (socket === undefined || !(await isRunning(record.process))) return false;
  const control = new ControlClient(socket);
  const answers = await Promise.all([control.status(), control.uploads()]).catch(nullWhenSilent);
  if (answers === null) return false;
  const [{ stateDirectories }, changes] = answers;
  const places = await Promise.all(stateDirectories.map(canonicalDirectory));
  return places.some((place) => own.has(dirname(place))) && changes.some(({ state }) => GOES_ON.has(state));
}
