/**
 * Is the kernel still connected? Neither the addon nor libfuse says when a mount has ended, by whomever: but libfuse closes
 * its descriptor of /dev/fuse when the last request is answered.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { systemErrorCode } from '../../base/errors.ts';
import { FUSE_DEVICE } from '../fuse-access.ts';
import { loadDeviceCalls } from '../kernel/device-calls.ts';
import { findMount } from '../mount-table.ts';

const DESCRIPTORS = '/proc/self/fd';

/** Looks how one connection is. */
export type ConnectionProbe = () => Promise<boolean>;

/** The descriptors of /dev/fuse that this process has; empty where /proc does not exist. */
export function deviceDescriptors(): ReadonlySet<string> {
  try {
    return new Set(readdirSync(DESCRIPTORS).filter(isDevice));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return new Set();
    throw error;
  }
}

/** A probe for the connection that was made since `before` was taken, to what is mounted at `mountpoint`. */
export function connectionProbe(before: ReadonlySet<string>, mountpoint: string): ConnectionProbe {
  const mine = madeSince(before);
  if (mine !== undefined) return () => Promise.resolve(isDevice(mine));
  return async () => (await findMount(mountpoint)) !== undefined;
}

/** As `connectionProbe`: whether the kernel has let go, though a request may go on. No, where nobody can tell. */
export function letGoProbe(before: ReadonlySet<string>): ConnectionProbe {
  const mine = madeSince(before);
  return async () => {
    if (mine === undefined) return false;
    if (!isDevice(mine)) return true;
    const calls = await loadDeviceCalls().catch(() => undefined);
    return calls !== undefined && !calls.isConnected(Number(mine));
  };
}

function madeSince(before: ReadonlySet<string>): string | undefined {
  return [...deviceDescriptors()].find((descriptor) => !before.has(descriptor));
}

function isDevice(descriptor: string): boolean {
  try {
    return readlinkSync(`${DESCRIPTORS}/${descriptor}`) === FUSE_DEVICE;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
