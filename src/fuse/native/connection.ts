/**
 * Is the kernel still connected? Neither the addon nor libfuse says when a mount has ended, by whomever: but libfuse closes
 * its descriptor of /dev/fuse when the last request is answered.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { systemErrorCode } from '../../base/errors.ts';
import { FUSE_DEVICE } from '../fuse-access.ts';
import { findMount } from '../mount-table.ts';

const DESCRIPTORS = '/proc/self/fd';

/** Looks whether one connection still stands. */
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
  const mine = [...deviceDescriptors()].find((descriptor) => !before.has(descriptor));
  if (mine !== undefined) return () => Promise.resolve(isDevice(mine));
  return async () => (await findMount(mountpoint)) !== undefined;
}

function isDevice(descriptor: string): boolean {
  try {
    return readlinkSync(`${DESCRIPTORS}/${descriptor}`) === FUSE_DEVICE;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
