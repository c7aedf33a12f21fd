/** What do the kernel and this driver agree on at first? */
import type { KernelTrust } from './kernel-context.ts';
import { TIME_GRANULARITY_NS } from './wire-times.ts';
import { MAX_TRANSFER_BYTES, type InitRequest } from './requests.ts';
import type { InitAnswer } from './replies.ts';

export const PROTOCOL_MAJOR = 7;
/** What this driver is written for; the structures of older ones differ. */
export const OLDEST_MINOR = 31;
/** The newest minor whose linux/fuse.h this driver was held against. */
const NEWEST_MINOR = 38;

/** `FUSE_…` of linux/fuse.h. */
export const initFlags = {
  asyncRead: 1 << 0,
  atomicOTrunc: 1 << 3,
  bigWrites: 1 << 5,
  doReaddirplus: 1 << 13,
  readdirplusAuto: 1 << 14,
  parallelDirops: 1 << 18,
  maxPages: 1 << 22,
  explicitInvalData: 1 << 25,
  handleKillprivV2: 1 << 28,
} as const;

/**
 * The kernel drops no data by itself, least of all because of an mtime, which each own upload moves: other data are another node.
 * The bits of the set-id programs are ours to clear, so that the kernel need not ask for a capability before each write.
 */
const WANTED = Object.values(initFlags).reduce((all, flag) => all | flag, 0);

/** Since this a name can be taken back without taking it from programs that are in the folder it leads to. */
const EXPIRY_MINOR = 38;
/** Since this the kernel forgets every name at one word, which waits for no lock. */
const EPOCH_MINOR = 44;

/** What the kernel may be told to believe. */
export function trustOf({ major, minor }: InitRequest): KernelTrust {
  const speaks = (since: number): boolean => major === PROTOCOL_MAJOR && minor >= since;
  return { names: speaks(EXPIRY_MINOR), hasEpoch: speaks(EPOCH_MINOR) };
}

const PAGE_BYTES = 4096;
const SMALL_TRANSFER_BYTES = 32 * PAGE_BYTES;
/** The default of 12 makes readers wait for each other. */
const MAX_BACKGROUND = 128;

/** Undefined when the kernel is too old for this driver. `major` must be 7, or newer: then the kernel asks again. */
export function negotiate(request: InitRequest): InitAnswer | undefined {
  if (request.major < PROTOCOL_MAJOR) return undefined;
  const isSame = request.major === PROTOCOL_MAJOR;
  if (isSame && request.minor < OLDEST_MINOR) return undefined;
  const flags = (request.flags & WANTED) >>> 0;
  const hasMaxPages = (flags & initFlags.maxPages) !== 0;
  const maxWrite = hasMaxPages ? MAX_TRANSFER_BYTES : SMALL_TRANSFER_BYTES;
  return {
    minor: isSame ? Math.min(request.minor, NEWEST_MINOR) : NEWEST_MINOR,
    maxReadahead: request.maxReadahead,
    flags,
    maxBackground: MAX_BACKGROUND,
    congestionThreshold: (MAX_BACKGROUND * 3) / 4,
    maxWrite,
    timeGranularity: TIME_GRANULARITY_NS,
    maxPages: hasMaxPages ? maxWrite / PAGE_BYTES : 0,
  };
}
