/**
 * Where on this machine do mounts leave word of themselves? In a few directories that are found without any setting: the mount may have
 * been made under another environment than that of whoever looks for it.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { systemErrorCode } from '../../base/errors.ts';

const DIRECTORY_MODE = 0o700;

/** The directory for this user's records, made when missing. Rejects when somebody else made it. */
export async function recordDirectory(uid: number): Promise<string> {
  const usual = uid === 0 ? '/run/pailfs' : `/run/user/${uid}/pailfs`;
  if ((await isMade(usual)) && (await belongsTo(usual, uid))) return usual;
  // /tmp is everywhere.
  const directory = await makeDirectory(`/tmp/pailfs-${uid}`);
  if (await belongsTo(directory, uid)) return directory;
  throw new Error(`${directory} belongs to somebody else or is open to others: remove it`);
}

/**
 * Not where there is no session directory, or none at all (macOS, small containers). It is there, and somebody else's, for root of a user
 * namespace that sees the `/run` of the machine.
 */
async function isMade(directory: string): Promise<boolean> {
  try {
    await makeDirectory(directory);
    return true;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EROFS', 'EPERM'].includes(systemErrorCode(error) ?? '')) return false;
    throw error;
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
export async function ownRecordDirectories(uid: number): Promise<readonly string[]> {
  const own = [`/tmp/pailfs-${uid}`, `/run/user/${uid}/pailfs`];
  return thoseOf(uid, uid === 0 ? ['/run/pailfs', ...own] : own);
}

/** Where a mount may be recorded that `uid` may end: root may end everybody's. */
export async function recordDirectories(uid: number): Promise<readonly string[]> {
  const own = await ownRecordDirectories(uid);
  if (uid !== 0) return own;
  const temporary = (await namesIn('/tmp')).filter((name) => /^pailfs-\d+$/.test(name));
  const users = [...(await namesIn('/run/user')), ...temporary.map((name) => name.replace('pailfs-', ''))];
  const found: string[] = [];
  for (const user of new Set(users)) found.push(...(await ownRecordDirectories(Number(user))));
  // Root's own are found among those of all users, too.
  return [...new Set([...own, ...found])];
}

async function thoseOf(uid: number, directories: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const directory of directories) if (await belongsTo(directory, uid)) found.push(directory);
  return found;
}

/**
 * Whether `uid`, or this process's own user, alone decides what is in it. Anybody can make a directory in /tmp, under any name: what somebody
 * else put there would have commands believe in mounts that there are not, and ask another process about those that there are.
 */
export async function belongsTo(directory: string, uid: number): Promise<boolean> {
  const found = await lstat(directory).catch(unlessMissing);
  if (found?.isDirectory() !== true || (found.mode & 0o022) !== 0) return false;
  return found.uid === uid || found.uid === process.geteuid?.();
}

/** What the names of a mount's files begin with: short, whatever the mountpoint is. */
export function hashOf(mountpoint: string): string {
  return createHash('sha256').update(mountpoint).digest('hex').slice(0, 32);
}

/** None where there is no such directory, or where it is not this user's to read. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory).catch(unlessMissing)) ?? [];
}

/** For `catch`: what is not there, or is another user's, is undefined. */
export function unlessMissing(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(systemErrorCode(error) ?? '')) return undefined;
  throw error;
}
