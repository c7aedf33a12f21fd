/** What must be right on this machine before a mount is worth trying? Asked in the caller's process, which touches nothing else. */
import { join, sep } from 'node:path';
import { localMachine, requireFuse } from '../../fuse/fuse-access.ts';
import { checkMountpoint } from '../../fuse/mountpoint.ts';
import { checkLocalPlace, explainLocalFailure } from '../settings/local-places.ts';
import { openLogFile } from '../logging/log-file.ts';
import type { MountJob } from '../serving/mount-job.ts';
import { statePlaceOf, type MountSettings } from '../settings/settings.ts';

/** What a person wrote. */
export interface MountWish {
  /** Null: all of the account. */
  readonly bucket: string | null;
  readonly mountpoint: string;
  readonly settings: MountSettings;
}

/** An open log file; undefined: lines go to stderr. */
export interface PreparedMount {
  readonly job: MountJob;
  readonly logDescriptor: number | undefined;
}

/** Rejects with a `CommandError` or `MountError`. */
export async function prepareMount(wish: MountWish): Promise<PreparedMount> {
  const { bucket, settings } = wish;
  if (process.platform === 'linux') await requireFuse(settings, localMachine());
  const mountpoint = await checkMountpoint(wish.mountpoint);
  const statePlace = { ...statePlaceOf(settings), waitingIn: settings.stateDir };
  const cachePlace = { what: 'cache directory', setting: '--cache-dir', path: settings.cacheDir };
  if (settings.cache === 'disk') {
    const holdsState = statePlace.setting === cachePlace.setting;
    await checkLocalPlace(
      { ...cachePlace, waitingIn: holdsState ? settings.stateDir : undefined },
      mountpoint,
    );
  }
  // After the cache directory, in which it may lie.
  await checkLocalPlace(statePlace, mountpoint);
  const logFile = chooseLogFile(settings, mountpoint);
  if (logFile === undefined) {
    return { job: { bucket, mountpoint, settings, logFile: null }, logDescriptor: undefined };
  }
  const logPlace = {
    ...{ what: 'log file', setting: '--log-file', path: logFile, isFile: true },
    needsDirectory: !isInOurs(logFile, settings),
  };
  if (settings.logFile !== undefined) await checkLocalPlace(logPlace, mountpoint);
  try {
    return { job: { bucket, mountpoint, settings, logFile }, logDescriptor: openLogFile(logFile) };
  } catch (error) {
    throw explainLocalFailure(settings.logFile === undefined ? statePlace : logPlace, error);
  }
}

/** In a directory that the mount makes for itself. */
function isInOurs(path: string, { stateDir, cacheDir }: MountSettings): boolean {
  return [stateDir, cacheDir].some((ours) => path.startsWith(join(ours, sep)));
}

function chooseLogFile(settings: MountSettings, mountpoint: string): string | undefined {
  if (settings.logFile !== undefined) return settings.logFile;
  if (settings.foreground) return undefined;
  const slug = mountpoint.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^-|-$/g, '');
  return join(settings.stateDir, 'logs', `${slug.slice(-100) || 'root'}.log`);
}
