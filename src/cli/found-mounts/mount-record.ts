/**
 * Which process serves a mountpoint, and how did it end? A small file that `pailfs status` and `pailfs unmount` read. It lies where it is found
 * without any setting: the mount may have been made under another environment. Each process has one of its own: what is unmounted may
 * still upload when the next mount is made at the same place.
 */
import { constants } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import { replaceFile } from '../../base/replace-file.ts';
import { readMountTable } from '../../fuse/mount-table.ts';
import { isAnothers, whereTheyAre, whetherOnTop, type Found } from './moved-mounts.ts';
import { hashOf, namesIn, unlessMissing } from './record-directories.ts';

const FILE_MODE = 0o600;
/** A hundred thousand files that could not be stored take less. */
const MAX_BYTES = 64 * 1024 * 1024;
/** What the kernel says of a symbolic link, or of a socket, that is asked for as a file. */
const NO_FILE: ReadonlySet<string> = new Set(['ELOOP', 'ENXIO']);

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

/** Replaces what that process had recorded. */
export async function writeRecord(directory: string, record: MountRecord): Promise<void> {
  await replaceFile(recordFile(directory, record), JSON.stringify(record), FILE_MODE);
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

/**
 * All that can be understood, each with the mountpoint that it has now, or had last: what is mounted first, then the latest. A clock that was set
 * back has what is mounted begin before what was.
 */
export async function readRecords(directories: readonly string[]): Promise<readonly MountRecord[]> {
  const ofUsers = new Map<number, MountRecord[]>();
  for (const directory of directories) {
    const user = (await stat(directory).catch(unlessMissing))?.uid;
    if (user === undefined) continue;
    ofUsers.set(user, [...(ofUsers.get(user) ?? []), ...(await recordsIn(directory))]);
  }
  const table = await readMountTable();
  const found = [...ofUsers].flatMap(([user, records]) => {
    const own = records.filter(({ mountpoint }) => !isAnothers(mountpoint, user, table));
    return whereTheyAre(own.sort(byAge), table, user);
  });
  return found.map((record) => whetherOnTop(record, table)).sort(byOrder);
}

async function recordsIn(directory: string): Promise<readonly MountRecord[]> {
  const found: MountRecord[] = [];
  for (const name of await namesIn(directory)) {
    if (!name.endsWith('.json')) continue;
    const record = await readRecordFile(join(directory, name));
    if (record !== undefined) found.push(record);
  }
  return found;
}

/** What is mounted first, then the latest. */
export function byOrder(one: MountRecord, other: MountRecord): number {
  return Number(other.isOnTop ?? false) - Number(one.isOnTop ?? false) || byAge(one, other);
}

/** The latest first. */
function byAge(one: MountRecord, other: MountRecord): number {
  return Date.parse(other.since) - Date.parse(one.since);
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
    const parsed = recordSchema.safeParse(JSON.parse(await textOf(file)));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !NO_FILE.has(systemErrorCode(error) ?? '')) unlessMissing(error);
    return undefined;
  }
}

/** Empty when it is no file: root reads what any user has made there, which may be a pipe that nobody writes to, or lead to what has no end. */
async function textOf(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= MAX_BYTES ? await handle.readFile('utf8') : '';
  } finally {
    await handle.close();
  }
}

/** Where the process of `record` has it. */
export function recordFile(
  directory: string,
  { mountpoint, recordedAt = mountpoint, process }: MountRecord,
): string {
  return join(directory, `${hashOf(recordedAt)}.${process.pid}.json`);
}

/** Where an earlier pailfs, whose mounts may still be there, has the one record of the mountpoint. */
function unnumberedFile(directory: string, { mountpoint, recordedAt = mountpoint }: MountRecord): string {
  return join(directory, `${hashOf(recordedAt)}.json`);
}
