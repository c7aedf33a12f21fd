/**
 * Which process serves a mountpoint, and how did it end? A small file that `pailfs status` and `pailfs unmount` read. It lies where it is found
 * without any setting: the mount may have been made under another environment. Each process has one of its own: what is unmounted may
 * still upload when the next mount is made at the same place.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import { readMountTable } from '../../fuse/mount-table.ts';
import { whereTheyAre, type Found } from './moved-mounts.ts';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

const recordSchema = z.object({
  mountpoint: z.string(),
  /** Its name; null: all of the account. */
  bucket: z.string().nullable(),
  /** Holds no credentials: an address with any is refused. */
  baseUrl: z.string(),
  driver: z.enum(['kernel', 'native']),
  readOnly: z.boolean(),
  /** Whether the credentials may; a mount of an earlier version does not say. */
  mayWrite: z.boolean().default(true),
  /** When the mount began to answer. */
  since: z.iso.datetime(),
  process: z.object({ pid: z.number().int().positive(), startTime: z.string().nullable() }),
  logFile: z.string().nullable(),
  /** Below which its state directories are; a mount of an earlier version does not say. */
  stateDir: z.string().nullable().default(null),
  /** Of what is mounted, `major:minor`; null where the platform does not tell, and of a mount of an earlier version. */
  device: z.string().nullable().default(null),
  /** Written as the last thing by a process that could not upload everything. */
  unsent: z.array(
    z.object({ path: z.string(), file: z.string(), reason: z.string(), bytes: z.number().optional() }),
  ),
});

export type MountRecord = Found<z.output<typeof recordSchema>>;

/** The directory for this user's records, made when missing. Rejects when somebody else made it. */
export async function recordDirectory(uid: number): Promise<string> {
  const directory = await usableDirectory(uid);
  const { uid: owner, mode } = await lstat(directory);
  if (owner === uid && (mode & 0o022) === 0) return directory;
  throw new Error(`${directory} belongs to somebody else or is open to others: remove it`);
}

async function usableDirectory(uid: number): Promise<string> {
  try {
    return await makeDirectory(uid === 0 ? '/run/pailfs' : `/run/user/${uid}/pailfs`);
  } catch (error) {
    // No session directory, or none at all (macOS, small containers): /tmp is everywhere.
    if (!['ENOENT', 'EACCES', 'EROFS', 'EPERM'].includes(systemErrorCode(error) ?? '')) throw error;
    return makeDirectory(`/tmp/pailfs-${uid}`);
  }
}

/** Not recursive: a session directory that is missing is not ours to make. */
async function makeDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { mode: DIRECTORY_MODE });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  return directory;
}

/** Where mounts of `uid` itself may be recorded: with a session directory, and without one. */
export function ownRecordDirectories(uid: number): readonly string[] {
  const own = [`/tmp/pailfs-${uid}`, `/run/user/${uid}/pailfs`];
  return uid === 0 ? ['/run/pailfs', ...own] : own;
}

/** Where a mount may be recorded that `uid` may end: root may end everybody's. */
export async function recordDirectories(uid: number): Promise<readonly string[]> {
  const own = ownRecordDirectories(uid);
  if (uid !== 0) return own;
  const users = (await listOrNothing('/run/user')).map((user) => join('/run/user', user, 'pailfs'));
  const temporary = (await listOrNothing('/tmp')).filter((name) => /^pailfs-\d+$/.test(name));
  // Root's own are found among those of all users, too.
  return [...new Set([...own, ...users, ...temporary.map((name) => join('/tmp', name))])];
}

/** Replaces what that process had recorded. */
export async function writeRecord(directory: string, record: MountRecord): Promise<void> {
  const file = recordFile(directory, record);
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, JSON.stringify(record), { mode: FILE_MODE });
  await rename(temporary, file);
}

/** Removes what is left of the control socket of a process that is gone. */
export async function removeDeadSocket(directories: readonly string[], record: MountRecord): Promise<void> {
  const socket = await findControlSocket(directories, record);
  if (socket !== undefined) await rm(socket, { force: true });
}

/**
 * All of what is mounted at `mountpoint` now, or was last, that can be understood; the latest first: that is of the process that serves
 * it, or did last. Those of the others still upload, or have ended.
 */
export async function readRecordsOf(
  directories: readonly string[],
  mountpoint: string,
): Promise<readonly MountRecord[]> {
  return (await readRecords(directories)).filter((record) => record.mountpoint === mountpoint);
}

/** The latest; undefined when there is none, or none that can be understood. */
export async function readRecord(
  directories: readonly string[],
  mountpoint: string,
): Promise<MountRecord | undefined> {
  return (await readRecordsOf(directories, mountpoint))[0];
}

/** All that can be understood, the latest first, each with the mountpoint that it has now, or had last. */
export async function readRecords(directories: readonly string[]): Promise<readonly MountRecord[]> {
  const found: MountRecord[] = [];
  for (const directory of directories) {
    for (const name of await listOrNothing(directory)) {
      if (!name.endsWith('.json')) continue;
      const record = await readRecordFile(join(directory, name));
      if (record !== undefined) found.push(record);
    }
  }
  found.sort((one, other) => Date.parse(other.since) - Date.parse(one.since));
  return whereTheyAre(found, await readMountTable(), process.getuid?.() ?? 0);
}

/** Only what the process of `record` has recorded. */
export async function removeRecord(directories: readonly string[], record: MountRecord): Promise<void> {
  for (const directory of directories) {
    await rm(recordFile(directory, record), { force: true });
    const unnumbered = unnumberedFile(directory, record);
    const there = await readRecordFile(unnumbered);
    if (there !== undefined && isSameProcess(there, record)) await rm(unnumbered, { force: true });
  }
}

/** Whether both are of the same process. */
export function isSameProcess({ process: one }: MountRecord, { process: other }: MountRecord): boolean {
  return one.pid === other.pid && one.startTime === other.startTime;
}

/** Undefined when there is none that can be understood. */
export async function readRecordFile(file: string): Promise<MountRecord | undefined> {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(systemErrorCode(error) ?? '')) return undefined;
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Where the process `pid` answers for `mountpoint`. Well below the 104 bytes that every system allows for a socket, since these
 * directories are short.
 */
export function controlSocketPath(directory: string, mountpoint: string, pid: number): string {
  return join(directory, `${shortHash(mountpoint)}.${pid}.sock`);
}

export interface ControlSocket {
  readonly path: string;
  /** Of the process that made it. */
  readonly pid: number;
}

/** All that are there, whether anything is recorded of their mounts or not. */
export async function controlSocketsIn(directories: readonly string[]): Promise<readonly ControlSocket[]> {
  const sockets: ControlSocket[] = [];
  for (const directory of directories) {
    for (const name of await listOrNothing(directory)) {
      const [, pid] = /^[0-9a-f]{32}\.(\d+)\.sock$/.exec(name) ?? [];
      if (pid !== undefined) sockets.push({ path: join(directory, name), pid: Number(pid) });
    }
  }
  return sockets;
}

/** The socket of the process that `record` names; undefined when it has none. */
export async function findControlSocket(
  directories: readonly string[],
  { mountpoint, recordedAt = mountpoint, process }: MountRecord,
): Promise<string | undefined> {
  for (const directory of directories) {
    const path = controlSocketPath(directory, recordedAt, process.pid);
    if ((await listOrNothing(directory)).includes(basename(path))) return path;
  }
  return undefined;
}

/** Where the process of `record` has it. */
export function recordFile(
  directory: string,
  { mountpoint, recordedAt = mountpoint, process }: MountRecord,
): string {
  return join(directory, `${shortHash(recordedAt)}.${process.pid}.json`);
}

/** Where an earlier pailfs, whose mounts may still be there, has the one record of the mountpoint. */
function unnumberedFile(directory: string, { mountpoint, recordedAt = mountpoint }: MountRecord): string {
  return join(directory, `${shortHash(recordedAt)}.json`);
}

function shortHash(mountpoint: string): string {
  return createHash('sha256').update(mountpoint).digest('hex').slice(0, 32);
}

async function listOrNothing(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(systemErrorCode(error) ?? '')) return [];
    throw error;
  }
}
