/** `pailfs status`: what this user has mounted (root: what everybody has), whether it works, and what it does. */
import { cursorTo, clearScreenDown } from 'node:readline';
import type { Clock } from '../../base/clock.ts';
import { probeMount } from '../../fuse/mount-probe.ts';
import { readMountTable } from '../../fuse/mount-table.ts';
import { isOurType } from '../../fuse/mountpoint.ts';
import type { ExitCode } from '../command-error.ts';
import { exitCodes } from '../command-error.ts';
import { ControlClient, nullWhenSilent } from '../control/control-client.ts';
import type { StatusDocument } from '../control/control-documents.ts';
import { removeDeadSockets } from '../found-mounts/control-sockets.ts';
import type { MountRecord } from '../found-mounts/mount-record.ts';
import { findControlSocket } from '../found-mounts/control-sockets.ts';
import { readRecords } from '../found-mounts/mount-record.ts';
import { recordDirectories } from '../found-mounts/record-directories.ts';
import { statusOf, type MountStatus } from '../found-mounts/mount-status.ts';
import { recordsOfMountpoint } from '../found-mounts/named-mountpoint.ts';
import { isRunning } from '../found-mounts/process-identity.ts';
import { sayToPerson } from '../screen/report.ts';
import { printJson } from '../screen/stdout.ts';
import { screenWidth } from '../screen/screen-text.ts';
import { statusDetails, statusOptions } from './status-details.ts';
import { awayLines, inactiveLines, statusTable, waitingLines } from './status-table.ts';

export interface StatusWish {
  /** Undefined: all. */
  readonly mountpoint: string | undefined;
  readonly json: boolean;
}

/** Between two looks, milliseconds. */
const WATCH_EVERY = 1000;

/** Prints to stdout. Rejects with a `CommandError` when the mountpoint is none of pailfs's. */
export async function runStatus(wish: StatusWish, clock: Clock): Promise<ExitCode> {
  const statuses = await look(wish, clock);
  if (wish.json) printJson(statuses);
  else if (statuses.length === 0) sayToPerson('nothing is mounted');
  else process.stdout.write(textOf(statuses, wish, clock));
  return exitCodes.done;
}

/**
 * Looks again each second until Ctrl-C, or until nobody reads any more. On a terminal the same place changes; elsewhere, and with
 * `--json`, each look is a line with a document, left out while what was printed before is not read: kept, they would grow for ever.
 * Rejects as `runStatus`, also when the mount is gone later.
 */
export async function watchStatus(wish: StatusWish, clock: Clock): Promise<ExitCode> {
  const end = new AbortController();
  const stop = (): void => {
    end.abort();
  };
  process.once('SIGINT', stop);
  process.stdout.once('error', stop);
  const isDrawn = process.stdout.isTTY && !wish.json;
  while (!end.signal.aborted) {
    const statuses = await look(wish, clock);
    if (isDrawn) draw(statuses.length === 0 ? 'nothing is mounted\n' : textOf(statuses, wish, clock));
    else if (process.stdout.writableLength === 0) process.stdout.write(`${JSON.stringify(statuses)}\n`);
    await clock.sleep(WATCH_EVERY, end.signal).catch((error: unknown) => {
      if (!end.signal.aborted) throw error;
    });
  }
  return exitCodes.done;
}

/** In place of what the screen shows; what does not fit is left out, since a screen that scrolls cannot be drawn over. */
function draw(text: string): void {
  const { rows } = process.stdout;
  // Some terminals do not say how high they are. In the last row is the cursor: what is said at the end stands in a line of its own.
  const lines = text
    .trimEnd()
    .split('\n')
    .slice(0, rows > 1 ? rows - 1 : undefined);
  cursorTo(process.stdout, 0, 0);
  clearScreenDown(process.stdout);
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function look({ mountpoint }: StatusWish, clock: Clock): Promise<readonly MountStatus[]> {
  const directories = await recordDirectories(process.getuid?.() ?? 0);
  const records = await (mountpoint === undefined
    ? readRecords(directories)
    : recordsOfMountpoint(directories, mountpoint, 'status'));
  const table = await readMountTable();
  const statuses = await statusOf(records, {
    isMounted: (path) => table.some((entry) => entry.mountpoint === path && isOurType(entry.type)),
    isRunning,
    probe: (path) => probeMount(path, clock),
    ask: (record) => askProcess(directories, record),
  });
  await removeDeadSockets(directories);
  return statuses;
}

async function askProcess(
  directories: readonly string[],
  record: MountRecord,
): Promise<StatusDocument | null> {
  const socket = await findControlSocket(directories, record);
  if (socket === undefined) return null;
  // Its state says whether it is dead or silent.
  return new ControlClient(socket).status().catch(nullWhenSilent);
}

/** Of one mount that was named also what it does; what changes least comes last, where a low terminal cuts. */
function textOf(statuses: readonly MountStatus[], { mountpoint }: StatusWish, clock: Clock): string {
  const width = screenWidth();
  const now = clock.now();
  const table = statusTable(statuses, width, now);
  if (mountpoint === undefined) {
    const lines = [awayLines(statuses, now), inactiveLines(statuses), waitingLines(statuses, width, now)];
    return table + lines.join('');
  }
  return [
    table,
    ...statuses.map((status) => statusDetails(status, width, now)),
    waitingLines(statuses.map(withoutUploading), width, now),
    ...statuses.map((status) => statusOptions(status, width)),
  ].join('');
}

/** Those have a bar. */
function withoutUploading({ live, ...status }: MountStatus): MountStatus {
  if (live === null) return { ...status, live };
  const changes = live.changes.filter(({ state }) => state !== 'uploading');
  return { ...status, live: { ...live, changes } };
}
