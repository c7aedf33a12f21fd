/** Where on this machine is anything that its service does not have yet? With running mounts, and in what mounts left. */
import type { Clock } from '../base/clock.ts';
import { changesLeftIn } from '../filesystem/changes-left.ts';
import type { UnsentChange } from '../filesystem/unsent-change.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { ControlClient, nullWhenSilent } from './control-client.ts';
import { systemErrorCode } from '../base/errors.ts';
import { removeDeadSockets } from './dead-sockets.ts';
import { listLeftDirectories, type LeftDirectory } from './left-directories.ts';
import { explainLocalFailure } from './local-places.ts';
import { findControlSocket, readRecords, recordDirectories, type MountRecord } from './mount-record.ts';
import { recordOfMountpoint } from './named-mountpoint.ts';
import { isRunning } from './process-identity.ts';

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
  | { readonly kind: 'mount'; readonly control: ControlClient }
  | { readonly kind: 'left'; readonly directory: LeftDirectory };

export interface PlaceSearch {
  /** Undefined: everywhere. */
  readonly mountpoint: string | undefined;
  /** Below which state directories are looked for. */
  readonly stateHome: string;
  readonly clock: Clock;
}

/** Rejects with a `CommandError` when `mountpoint` is none that pailfs knows, or when the state directories cannot be read. */
export async function findUnsentPlaces(search: PlaceSearch): Promise<readonly UnsentPlace[]> {
  const directories = await recordDirectories(process.getuid?.() ?? 0);
  const records =
    search.mountpoint === undefined
      ? await readRecords(directories)
      : [await recordOf(directories, search.mountpoint)];
  const mounts = (await Promise.all(records.map((record) => askMount(directories, record)))).flat();
  await removeDeadSockets(directories);
  const answered = new Set(mounts.flatMap(({ stateDirectories }) => stateDirectories));
  const silent = records.filter(
    ({ mountpoint }) => !mounts.some(({ place }) => place.mountpoint === mountpoint),
  );
  const isMeant = (directory: LeftDirectory): boolean =>
    !answered.has(directory.path) &&
    (search.mountpoint === undefined || silent.some((record) => isOf(directory, record)));
  return [...mounts.map(({ place }) => place), ...(await leftPlaces(search, isMeant))];
}

async function leftPlaces(
  { stateHome, clock }: PlaceSearch,
  isMeant: (directory: LeftDirectory) => boolean,
): Promise<readonly UnsentPlace[]> {
  const left: UnsentPlace[] = [];
  try {
    for (const directory of (await listLeftDirectories(stateHome)).filter(isMeant)) {
      const changes = await changesLeftIn(directory.path, clock);
      const { bucketName: bucket = null, baseUrl = null } = directory.about ?? {};
      left.push({ mountpoint: null, bucket, baseUrl, changes, owner: { kind: 'left', directory } });
    }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw explainLocalFailure({ what: 'state directory', setting: '--state-dir', path: stateHome }, error);
  }
  return left;
}

async function recordOf(directories: readonly string[], mountpoint: string): Promise<MountRecord> {
  const record = await recordOfMountpoint(directories, mountpoint);
  if (record !== undefined) return record;
  throw new CommandError(
    exitCodes.failed,
    `${mountpoint} is no mount of pailfs: "pailfs uploads" without it lists all that is not stored`,
  );
}

interface AskedMount {
  readonly place: UnsentPlace;
  readonly stateDirectories: readonly string[];
}

/** Nothing when it is gone or silent: then its directory is looked at. */
async function askMount(
  directories: readonly string[],
  record: MountRecord,
): Promise<readonly [] | readonly [AskedMount]> {
  const socket = await findControlSocket(directories, record);
  if (socket === undefined || !(await isRunning(record.process))) return [];
  const control = new ControlClient(socket);
  const { mountpoint, bucket, baseUrl } = record;
  const answers = await Promise.all([control.status(), control.uploads()]).catch(nullWhenSilent);
  if (answers === null) return [];
  const [{ stateDirectories }, changes] = answers;
  const owner = { kind: 'mount', control } as const;
  return [{ place: { mountpoint, bucket, baseUrl, changes, owner }, stateDirectories }];
}

function isOf({ about }: LeftDirectory, { bucket, baseUrl }: MountRecord): boolean {
  return about?.baseUrl === baseUrl && (bucket === null || about.bucketName === bucket);
}
