/** Have the bytes that pailfs keeps on this machine a place there, and is anything left in it? */
import { lstat } from 'node:fs/promises';
import prettyBytes from 'pretty-bytes';
import type { Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { FREE_SHARE } from '../../content/space-budget.ts';
import { isDead, probeMount } from '../../fuse/mount-probe.ts';
import { readMountTable } from '../../fuse/mount-table.ts';
import { isOurType } from '../../fuse/mountpoint.ts';
import { roomOfPlace, type LocalPlace, type PlaceRoom } from '../settings/local-places.ts';
import { readRecords } from '../found-mounts/mount-record.ts';
import { recordDirectories } from '../found-mounts/record-directories.ts';
import { isRunning } from '../found-mounts/process-identity.ts';
import { statePlaceOf, type MachineSettings, type StateHomes } from '../settings/settings.ts';
import { sumsOf } from '../status/status-table.ts';
import { counted } from '../screen/figures.ts';
import { findUnsentPlaces, missingPlace } from '../uploads/unsent-places.ts';
import { summaryOf } from '../control/unsent-summary.ts';
import { broken, checked, warning, well, type Check, type Finding } from './check.ts';

/** Changes nothing but what `findUnsentPlaces` clears away. Rejects with the disk's error where nobody foresaw one. */
export async function checkLocal(settings: MachineSettings, clock: Clock): Promise<readonly Check[]> {
  const { cache, cacheDir, stateHomes } = settings;
  const cachePlace = { what: 'cache directory', setting: '--cache-dir', path: cacheDir };
  const stateDir = stateHomes.named ?? stateHomes.defaultStateDir;
  const statePlace = statePlaceOf({ stateDir, cacheDir });
  return [
    await checked('cache directory', async () =>
      cache === 'disk'
        ? roomFinding(cachePlace, await roomOfPlace(cachePlace))
        : well(`not used: cache is ${cache}`),
    ),
    await checked('state directory', async () => roomFinding(statePlace, await roomOfPlace(statePlace))),
    await checked('mounts', () => checkMounts(clock)),
    await checked('not stored', () => checkUnsent(stateHomes, clock)),
  ];
}

/** `free`: what the disk gives; part of it stays free for other programs. */
export function roomFinding({ path, what, setting }: LocalPlace, { free, total }: PlaceRoom): Finding {
  const usable = free - total * FREE_SHARE;
  const facts = `${path}: ${prettyBytes(free)} free of ${prettyBytes(total)}`;
  if (usable > 0) return well(facts);
  const floor = `${prettyBytes(total * FREE_SHARE)} stay free for other programs`;
  const remedy = `free some space, or choose another with ${setting}`;
  return what === 'cache directory'
    ? warning(`${facts}, and ${floor}, so nothing is cached: ${remedy}`)
    : broken(`${facts}, and ${floor}, so programs cannot write: ${remedy}`);
}

async function checkMounts(clock: Clock): Promise<Finding> {
  const table = (await readMountTable()).filter(({ type }) => isOurType(type));
  const uid = process.getuid?.() ?? 0;
  const isRoot = uid === 0;
  const records = await readRecords(await recordDirectories(uid));
  const dead: string[] = [];
  const silent: string[] = [];
  let outOfSight = 0;
  for (const mountpoint of new Set(table.map((entry) => entry.mountpoint))) {
    const record = records.find((one) => one.mountpoint === mountpoint);
    if (record === undefined || !(await isRunning(record.process))) {
      if (await isDead(mountpoint, clock)) dead.push(mountpoint);
      else if (await isForbidden(mountpoint)) {
        // Somebody else's, of which this user has no record, may be well. Root sees everybody's.
        if (record !== undefined && isRoot) dead.push(mountpoint);
        else outOfSight += 1;
      }
    } else if ((await probeMount(mountpoint, clock)) === 'silent') silent.push(mountpoint);
  }
  return mountsFinding({ mounted: table.length, dead, silent, outOfSight });
}

export interface SeenMounts {
  readonly mounted: number;
  /** Mountpoints. */
  readonly dead: readonly string[];
  /** Mountpoints. */
  readonly silent: readonly string[];
  readonly outOfSight: number;
}

export function mountsFinding({ mounted, dead, silent, outOfSight }: SeenMounts): Finding {
  const faults = [
    ...(dead.length > 0
      ? [`the process is gone that served ${dead.join(', ')}: mount again, or run "pailfs unmount" on it`]
      : []),
    ...(silent.length > 0
      ? [`no answer comes from ${silent.join(', ')}: "pailfs status --json" names the log`]
      : []),
  ];
  if (faults.length > 0) return (dead.length > 0 ? broken : warning)(faults.join('; '));
  if (mounted === 0) return well('nothing is mounted');
  const seen = mounted - outOfSight;
  const parts = [
    ...(seen > 0 ? [`${counted(seen, 'mount')}, none dead`] : []),
    ...(outOfSight > 0 ? [`${counted(outOfSight, 'mount')} of other users cannot be looked at`] : []),
  ];
  return well(parts.join('; '));
}

/** The kernel answers so to everybody, also to root, but the user who mounted: whether the mount serves or is dead. */
async function isForbidden(mountpoint: string): Promise<boolean> {
  return lstat(mountpoint).then(
    () => false,
    (error: unknown) => systemErrorCode(error) === 'EACCES',
  );
}

/** What running mounts are about to store is no finding, but for what went wrong. */
async function checkUnsent(homes: StateHomes, clock: Clock): Promise<Finding> {
  const missing = await missingPlace(homes);
  if (missing !== undefined) return warning(missing);
  const { places, unseen } = await findUnsentPlaces({ mountpoint: undefined, homes, clock });
  const changes = places.flatMap(({ owner, changes: all }) =>
    owner.kind === 'left' ? all : all.filter(({ state }) => state === 'failed' || state === 'set aside'),
  );
  const remedy = '"pailfs uploads" lists what waits here, and stores, exports or discards it';
  const waiting = changes.length === 0 ? [] : [`${sumsOf(summaryOf(changes))}: ${remedy}`];
  const said = [...waiting, ...unseen];
  return said.length === 0 ? well('everything is stored') : warning(said.join('; '));
}
