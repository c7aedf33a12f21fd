/**
 * How does an ordinary user connect a mountpoint? By fusermount, which is set-uid root: it opens /dev/fuse, mounts, and sends the
 * descriptor over a socket that it inherits. It has exited before we look: the message waits in the socket.
 */
import { closeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { describeError } from '../../base/errors.ts';
import { MountError } from '../driver.ts';
import { unmountDirectory } from '../unmount.ts';
import { fstabLine } from './fstab-line.ts';
import { INHERITED, lastWords, runInheriting, type ProgramEnd } from './inheriting-program.ts';
import type { MountOrder } from './mount-program.ts';
import { mountWords } from './mount-words.ts';
import { loadSocketCalls, type SocketCalls } from './socket-calls.ts';

/** What the machine has; a test puts its own here. */
export interface UserMountMeans {
  /** Rejects when the machine has no way of receiving a descriptor. */
  readonly loadCalls: () => Promise<SocketCalls>;
  /** The first that exists is used. */
  readonly programs: readonly string[];
  /** Whether the system has a name for this user. */
  readonly isKnownUser: () => boolean;
}

const LOCAL_MEANS: UserMountMeans = {
  loadCalls: loadSocketCalls,
  programs: ['fusermount3', 'fusermount'],
  isKnownUser,
};

/** The descriptor through which the mount is served; it answers nothing yet. Rejects with a `MountError`, and nothing is mounted. */
export async function mountAsUser(order: MountOrder, means = LOCAL_MEANS): Promise<number> {
  const options = fusermountOptions(order);
  const calls = await loadedCalls(order, means);
  const [ours, theirs] = openPair(order, calls);
  try {
    try {
      await runFusermount(order, means, { options, descriptor: theirs });
    } finally {
      closeSync(theirs);
    }
    return await received(order, calls, ours);
  } finally {
    closeSync(ours);
  }
}

/**
 * The `-o` of fusermount, where a backslash keeps the next character from ending an option. Throws a `MountError` (`failed`) when
 * the source cannot be shown.
 */
export function fusermountOptions(order: Omit<MountOrder, 'mountpoint'>): string {
  const { source } = order;
  if (source === '' || /\p{Cc}/u.test(source)) {
    throw new MountError(
      'failed',
      `the mount source ${JSON.stringify(source)} cannot be shown: it must not be empty nor contain a control character`,
    );
  }
  return [
    `fsname=${source.replaceAll(/[\\,]/g, String.raw`\$&`)}`,
    'subtype=pailfs',
    ...mountWords(order),
  ].join(',');
}

async function loadedCalls(order: MountOrder, means: UserMountMeans): Promise<SocketCalls> {
  try {
    return await means.loadCalls();
  } catch (error) {
    throw onlyByRoot(order, `koffi does not load on ${process.platform}-${process.arch}`, error);
  }
}

function openPair(order: MountOrder, calls: SocketCalls): readonly [number, number] {
  try {
    return calls.openPair();
  } catch (error) {
    throw failure(order, describeError(error), error);
  }
}

async function runFusermount(
  order: MountOrder,
  { programs, isKnownUser: hasName }: UserMountMeans,
  { options, descriptor }: { readonly options: string; readonly descriptor: number },
): Promise<void> {
  const environment = { _FUSE_COMMFD: `${INHERITED}` };
  for (const program of programs) {
    const parameters = ['-o', options, '--', order.mountpoint];
    const end = await runInheriting({ program, parameters, descriptor, environment });
    if (end.exit === 0) return;
    if (end.exit === 'missing') continue;
    if (hasName()) throw failure(order, refusalOf(end, program));
    throw unknownUser(order, refusalOf(end, program));
  }
  throw onlyByRoot(order, 'the program fusermount3 is missing: install the package fuse3');
}

function refusalOf(end: ProgramEnd, program: string): string {
  return `${program}: ${lastWords(end, program) || 'it said no'}`;
}

/** It mounts for nobody else, and says so in words of which the remedy cannot be told. A container may run as any number. */
function isKnownUser(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

async function received(order: MountOrder, calls: SocketCalls, socket: number): Promise<number> {
  try {
    return calls.receiveDescriptor(socket);
  } catch (error) {
    // Mounted, but nobody can serve it.
    await unmountDirectory(order.mountpoint, { lazy: true });
    throw failure(order, describeError(error), error);
  }
}

function onlyByRoot(order: MountOrder, reason: string, cause?: unknown): MountError {
  const advice = `or let root mount it at boot, by this line in /etc/fstab: ${fstabLine(order)}`;
  return new MountError('no-fuse', `you cannot mount here: ${reason}; ${advice}`, { cause });
}

function unknownUser(order: MountOrder, reason: string): MountError {
  return new MountError(
    'failed',
    `${order.mountpoint} could not be mounted: ${reason}; the system knows no user ${process.getuid?.() ?? '?'}: run pailfs as one that has a line in /etc/passwd, or as root`,
  );
}

function failure(order: MountOrder, reason: string, cause?: unknown): MountError {
  return new MountError('failed', `${order.mountpoint} could not be mounted: ${reason}`, { cause });
}
