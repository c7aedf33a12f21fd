/** Where on this machine is anything that its service does not have yet? With running mounts, and in what mounts left. */
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import { findMount } from '../../fuse/mount-table.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { ControlClient, nullWhenSilent } from '../control/control-client.ts';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { removeDeadSockets } from '../found-mounts/control-sockets.ts';
import { lookIntoEach, unreadableLine } from '../state/left-changes.ts';
import {
  isOfMount,
  listLeftDirectories,
  type LeftDirectory,
  type UnreadablePlace,
} from '../state/left-directories.ts';
import { unreadNoteLine } from '../state/retry-notes.ts';
import { putAwaySettled, type LookedAt } from './settled-mounts.ts';
import { explainLocalFailure } from '../settings/local-places.ts';
import { findControlSocket } from '../found-mounts/control-sockets.ts';
import { readRecords, type MountRecord } from '../found-mounts/mount-record.ts';
import { recordDirectories } from '../found-mounts/record-directories.ts';
import { ranked, type RankedRecord } from '../found-mounts/mount-status.ts';
import { recordsOfMountpoint } from '../found-mounts/named-mountpoint.ts';
import { isRunning } from '../found-mounts/process-identity.ts';
import { shellWord } from '../screen/shell-word.ts';
import type { StateHomes } from '../settings/settings.ts';
import {
  canonicalDirectory,
  pointedHomes,
  removePointers,
  type PointedHome,
} from '../state/state-pointers.ts';

/** A mount that answers, or a state directory whose mount does not. */
export interface UnsentPlace {
  /** Null when nothing is mounted. */
  readonly mountpoint: string | null;
  /** Name of the bucket, and its service; null when nobody wrote them down, or when a mount shows all buckets. */
  readonly bucket: string | null;
  readonly baseUrl: string | null;
  readonly changes: readonly UnsentChange[];
  readonly owner: PlaceOwner;
}

export type PlaceOwner =
  /** `isFinishing`: it is unmounted, and perhaps mounted again by another process, while it still stores what it has. */
  | { readonly kind: 'mount'; readonly control: ControlClient; readonly isFinishing: boolean }
  | { readonly kind: 'left'; readonly directory: LeftDirectory };

export interface PlaceSearch {
  /** Undefined: everywhere. */
  readonly mountpoint: string | undefined;
  /** Below which state directories are looked for. */
  readonly homes: StateHomes;
  readonly clock: Clock;
}

export interface FoundPlaces {
  readonly places: readonly UnsentPlace[];
  /** A line of each place where a mount may have left something, and which cannot be looked into: its disk may be missing, or it is another user's. */
  readonly unseen: readonly string[];
  /** Lines about what keeps nobody from seeing all that is there. */
  readonly warnings: readonly string[];
}

/**
 * Takes pointers away that point to nothing any more, and records of mounts that were killed and have nothing left. Rejects with a
 * `CommandError` when `mountpoint` is none that pailfs knows, or when the usual state directories, or those that were named, cannot be read.
 */
export async function findUnsentPlaces(search: PlaceSearch): Promise<FoundPlaces> {
  const directories = await recordDirectories(process.getuid?.() ?? 0);
  const records = await (search.mountpoint === undefined
    ? readRecords(directories)
    : recordsOfMountpoint(directories, search.mountpoint, 'uploads'));
  const mounts = (await Promise.all(ranked(records).map((one) => askMount(directories, one)))).flat();
  await removeDeadSockets(directories);
  const answered = new Set(mounts.flatMap(({ stateDirectories }) => stateDirectories));
  const silent = records.filter((asked) => !mounts.some(({ record }) => record === asked));
  const isMeant = (directory: LeftDirectory): boolean =>
    !answered.has(directory.path) &&
    (search.mountpoint === undefined || silent.some((record) => isOfMount(directory, record)));
  const left = await leftPlaces(search, silent, isMeant);
  if (left.unseen.length === 0) {
    const seen = [...mounts, ...left.places.map((place) => ({ place, stateDirectories: [] }))].map(
      ({ place, stateDirectories }) => lookedAt(place, stateDirectories),
    );
    await putAwaySettled(silent, seen, { directories, clock: search.clock });
  }
  const meant = await meantMounts(search, mounts);
  return { ...left, places: [...meant.map(({ place }) => place), ...left.places] };
}

/** `stateDirectories`: of a mount. */
function lookedAt(place: UnsentPlace, stateDirectories: readonly string[]): LookedAt {
  const { bucket, baseUrl, changes, owner } = place;
  const isEmpty = changes.length === 0 && !(owner.kind === 'left' && owner.directory.isOwned);
  const directories = owner.kind === 'left' ? [owner.directory.path] : stateDirectories;
  return { directories, bucket, baseUrl, isEmpty };
}

/** Who names a state directory must not act on what mounts with another one have: `discard --all` would. */
async function meantMounts(
  { mountpoint, homes: { named } }: PlaceSearch,
  mounts: readonly AskedMount[],
): Promise<readonly AskedMount[]> {
  if (mountpoint !== undefined || named === undefined) return mounts;
  const home = join(await canonicalDirectory(named), sep);
  return mounts.filter(({ stateDirectories }) => stateDirectories.some((path) => path.startsWith(home)));
}

type IsMeant = (directory: LeftDirectory) => boolean;

async function leftPlaces(
  search: PlaceSearch,
  silent: readonly MountRecord[],
  isMeant: IsMeant,
): Promise<FoundPlaces> {
  const places: UnsentPlace[] = [];
  const unseen: string[] = [];
  const warnings: string[] = [];
  // All that was mounted there has answered.
  if (search.mountpoint !== undefined && silent.length === 0) return { places, unseen, warnings };
  const { named, written, defaultStateDir } = search.homes;
  const path = named ?? defaultStateDir;
  const missing = await missingPlace(search.homes);
  if (missing !== undefined) throw new CommandError(exitCodes.failed, missing);
  try {
    const others = named === undefined ? await otherHomes(search, silent) : [];
    const usual = await placesBelow(await canonicalDirectory(path), isMeant, search.clock);
    places.push(...usual.places);
    unseen.push(...usual.unreadable.map(unreadableLine));
    warnings.push(...usual.warnings);
    for (const home of others) {
      const found = await placesIn(home, isMeant, search.clock);
      places.push(...found.places);
      unseen.push(...found.unseen);
      warnings.push(...found.warnings);
    }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw explainLocalFailure(
      { what: 'state directory', setting: written?.setting ?? '--state-dir', path },
      error,
    );
  }
  return { places, unseen, warnings };
}

/**
 * A line for a person when the place that was named is not there: its disk may be missing, or its name misspelt. The usual place need
 * not be there before the first mount. Rejects with a `CommandError` when it cannot be told.
 */
export async function missingPlace({ written }: StateHomes): Promise<string | undefined> {
  if (written === undefined) return undefined;
  const { what, setting, path } = written;
  try {
    await stat(path);
    return undefined;
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw explainLocalFailure(written, error);
    return `the ${what} ${path} does not exist, so whether a mount has left anything there is not known: see whether its disk is there, or choose another with ${setting}`;
  }
}

/** Where mounts have kept bytes, besides the usual place; of a mount that is named also what it has written down. */
async function otherHomes(
  { homes: { defaultStateDir }, mountpoint }: PlaceSearch,
  silent: readonly MountRecord[],
): Promise<readonly PointedHome[]> {
  const written = mountpoint === undefined ? [] : silent.flatMap(({ stateDir }) => stateDir ?? []);
  const recorded = await Promise.all(written.map(canonicalDirectory));
  const homes = [
    ...(await pointedHomes(defaultStateDir)),
    ...recorded.map((path): PointedHome => ({ path, pointers: [] })),
  ];
  const known = new Set([await canonicalDirectory(defaultStateDir)]);
  return homes.filter(({ path }) => !known.has(path) && known.add(path));
}

/** Of a home that is pointed to; takes the pointers away when there is nothing. */
async function placesIn(home: PointedHome, isMeant: IsMeant, clock: Clock): Promise<FoundPlaces> {
  try {
    const { all, places, unreadable, warnings } = await placesBelow(home.path, isMeant, clock);
    // A mount has been there, and leaves at least a directory.
    if (all.length + unreadable.length === 0)
      return { places, unseen: [unseenLine(home, 'nothing of pailfs is there')], warnings };
    const isIdle =
      unreadable.length === 0 && places.length === all.length && !all.some(({ isOwned }) => isOwned);
    if (isIdle && places.every(({ changes }) => changes.length === 0)) await removePointers(home.pointers);
    return { places, unseen: unreadable.map(unreadableLine), warnings };
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return { places: [], unseen: [unseenLine(home, inWords(error, home.path))], warnings: [] };
  }
}

function unseenLine({ path, pointers }: PointedHome, reason: string): string {
  const command = `rm ${pointers.map(shellWord).join(' ')}`;
  const remedy = pointers.length === 0 ? '' : `, or run "${command}" to have it forgotten`;
  return `a mount may have left bytes in ${path}, which cannot be looked into (${reason}): see whether its disk is there${remedy}`;
}

interface PlacesBelow {
  readonly all: readonly LeftDirectory[];
  /** Of those that are meant. */
  readonly places: readonly UnsentPlace[];
  readonly unreadable: readonly UnreadablePlace[];
  readonly warnings: readonly string[];
}

/** Rejects with the disk's error when `home` itself cannot be read. */
async function placesBelow(home: string, isMeant: IsMeant, clock: Clock): Promise<PlacesBelow> {
  const { directories: all, unreadable, unreadNotes } = await listLeftDirectories(home);
  const { seen, unreadable: closed } = await lookIntoEach(all.filter(isMeant), clock);
  const places = seen.map(({ directory, changes: found }): UnsentPlace => {
    // While somebody works there, bytes come and go between two looks.
    const changes = directory.isOwned ? found.filter(({ state }) => state !== 'gone') : found;
    const { bucketName: bucket = null, baseUrl = null } = directory.about ?? {};
    return { mountpoint: null, bucket, baseUrl, changes, owner: { kind: 'left', directory } };
  });
  const warnings = unreadNotes.map(unreadNoteLine);
  return { all, places, unreadable: [...unreadable, ...closed], warnings };
}

interface AskedMount {
  readonly record: MountRecord;
  readonly place: UnsentPlace;
  /** By the names that `canonicalDirectory` gives. */
  readonly stateDirectories: readonly string[];
}

/** Nothing when it is gone or silent: then its directory is looked at. */
async function askMount(
  directories: readonly string[],
  { record, isLatest }: RankedRecord,
): Promise<readonly [] | readonly [AskedMount]> {
  const socket = await findControlSocket(directories, record);
  if (socket === undefined || !(await isRunning(record.process))) return [];
  const control = new ControlClient(socket);
  const { mountpoint, bucket, baseUrl } = record;
  const answers = await Promise.all([control.status(), control.uploads()]).catch(nullWhenSilent);
  if (answers === null) return [];
  const [status, changes] = answers;
  const stateDirectories = await Promise.all(status.stateDirectories.map(canonicalDirectory));
  const isFinishing = !isLatest || (await findMount(mountpoint)) === undefined;
  const owner = { kind: 'mount', control, isFinishing } as const;
  return [{ record, place: { mountpoint, bucket, baseUrl, changes, owner }, stateDirectories }];
}
