/**
 * Where on this machine do mounts leave word of themselves? In a few directories that are found without any setting: the mount may have
 * been made under another environment than that of whoever looks for it.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';

const DIRECTORY_MODE = 0o700;

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
  const users = (await namesIn('/run/user')).map((user) => join('/run/user', user, 'pailfs'));
  const temporary = (await namesIn('/tmp')).filter((name) => /^pailfs-\d+$/.test(name));
  // Root's own are found among those of all users, too.
  return [...new Set([...own, ...users, ...temporary.map((name) => join('/tmp', name))])];
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
