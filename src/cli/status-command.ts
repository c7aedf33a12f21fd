/** `pailfs status`: what this user has mounted (root: what everybody has), and whether it works. */
import { resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { probeMount } from '../fuse/mount-probe.ts';
import { readMountTable } from '../fuse/mount-table.ts';
import type { ExitCode } from './command-error.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { ControlClient, nullWhenSilent } from './control-client.ts';
import type { StatusDocument } from './control-documents.ts';
import { removeDeadSockets } from './dead-sockets.ts';
import type { MountRecord } from './mount-record.ts';
import { findControlSocket, readRecord, readRecords, recordDirectories } from './mount-record.ts';
import { statusOf, type MountStatus } from './mount-status.ts';
import { canonicalMountpoint, isOurType } from './named-mountpoint.ts';
import { isRunning } from './process-identity.ts';
import { sayToPerson } from './report.ts';
import { statusTable, waitingLines } from './status-table.ts';

export interface StatusWish {
  /** Undefined: all. */
  readonly mountpoint: string | undefined;
  readonly json: boolean;
}

/** Prints to stdout. Rejects with a `CommandError` when the mountpoint is none of pailfs's. */
export async function runStatus({ mountpoint, json }: StatusWish, clock: Clock): Promise<ExitCode> {
  const directories = await recordDirectories(process.getuid?.() ?? 0);
  const records =
    mountpoint === undefined ? await readRecords(directories) : [await recordOf(directories, mountpoint)];
  const table = await readMountTable();
  const statuses = await statusOf(records, {
    isMounted: (path) => table.some((entry) => entry.mountpoint === path && isOurType(entry.type)),
    isRunning,
    probe: (path) => probeMount(path, clock),
    ask: (record) => askProcess(directories, record),
  });
  print(statuses, json);
  await removeDeadSockets(directories);
  return exitCodes.done;
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

async function recordOf(directories: readonly string[], mountpoint: string): Promise<MountRecord> {
  // As it was written first: a mount that does not answer cannot be looked at.
  const record =
    (await readRecord(directories, resolve(mountpoint))) ??
    (await readRecord(directories, await canonicalMountpoint(mountpoint)));
  if (record !== undefined) return record;
  throw new CommandError(exitCodes.failed, `${mountpoint} is no mount of pailfs: "pailfs status" lists them`);
}

function print(statuses: readonly MountStatus[], json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(statuses, null, 2)}\n`);
  else if (statuses.length === 0) sayToPerson('nothing is mounted');
  else {
    const width = process.stdout.columns;
    process.stdout.write(statusTable(statuses, width) + waitingLines(statuses, width));
  }
}
