/** What does a serving process open for its mount: one bucket, or all of the account? From then on both are the same to it. */
import { mkdir } from 'node:fs/promises';
import { inWords } from '../../base/errors.ts';
import type { HttpService } from '../../client/http-service.ts';
import type { Log, LogFields } from '../../base/log.ts';
import { openAllBuckets, type MountedBuckets } from '../../filesystem/all-buckets/open-all-buckets.ts';
import type { BucketFileSystem } from '../../filesystem/all-buckets/open-buckets.ts';
import type { MountedFileSystem } from '../../filesystem/open-file-system.ts';
import type { Bucket } from '../../service/records.ts';
import { warningsAbout } from '../connecting/bucket-state.ts';
import { CommandError } from '../command-error.ts';
import { listAllBuckets, mayWrite } from '../connecting/connect.ts';
import { belongsTo, listLeftDirectories } from '../state/left-directories.ts';
import type { MountJob } from './mount-job.ts';
import {
  fileSystemSettings,
  ONLY_READING,
  openBucket,
  openClaimed,
  warningsOfEarlierMounts,
  stateFailure,
  UPLOAD_PATIENCE_MS,
  type BucketSurroundings,
  type Start,
} from './open-bucket.ts';
import { openService } from '../connecting/open-service.ts';
import type { MountSettings } from '../settings/settings.ts';
import { shellWord } from '../screen/shell-word.ts';
import { bucketHomeOf } from '../state/state-directory.ts';
import { leavePointer } from '../state/state-pointers.ts';
import { takeOverFromEnding } from './ending-mounts.ts';
import { warningsOfReadOnly } from './read-only-mounts.ts';

const DIRECTORY_MODE = 0o700;

export interface OpenedMount {
  readonly service: HttpService;
  /** Null: all of the account. */
  readonly bucketName: string | null;
  /** Whether the credentials may; true when nobody asked, since the mount is read-only. */
  readonly mayWrite: boolean;
  readonly fileSystem: MountedFileSystem;
  /** Those in use just now. */
  stateDirectories(): readonly string[];
  /** Gives the state directories up, when the file system is closed. */
  release(): Promise<void>;
}

/** Rejects with a `CommandError`; what was opened until then is in `start`. */
export async function openMount(
  { bucket: wanted, settings }: Pick<MountJob, 'bucket' | 'settings'>,
  surroundings: BucketSurroundings,
  start: Start,
): Promise<OpenedMount> {
  const { baseUrl, accessKeyId, stateDir } = settings;
  const beforeClaim = async (buckets: readonly Bucket[]): Promise<readonly string[]> => {
    const homes = buckets.map(({ bucket }) => bucketHomeOf(stateDir, { baseUrl, accessKeyId, bucket }));
    const parts = { baseUrl, ...surroundings };
    return [...(await takeOverFromEnding(homes, parts)), ...(await warningsOfReadOnly(homes, parts))];
  };
  if (wanted === null) return openAccount(settings, { ...surroundings, beforeClaim }, start);
  const { service, bucket, fileSystem, state, ...opened } = await openBucket(
    wanted,
    settings,
    { ...surroundings, beforeClaim },
    start,
  );
  start.warnings.push(...(await pointTo(settings)));
  return {
    service,
    bucketName: bucket.name,
    mayWrite: opened.mayWrite,
    fileSystem,
    stateDirectories: () => [state.path],
    release: () => state.release(),
  };
}

async function openAccount(
  settings: MountSettings,
  { clock, log, signal, giveMemoryBack, beforeClaim }: BucketSurroundings,
  { closers, warnings }: Start,
): Promise<OpenedMount> {
  const { baseUrl } = settings;
  const service = await openService(settings, { clock, log });
  closers.push(() => service.close());
  const askedAt = clock.monotonic();
  const first = await listAllBuckets({ service, baseUrl, signal });
  warnings.push(...first.buckets.flatMap(warningsAbout));
  const isAllowed = settings.readOnly || (await mayWriteAnywhere(service, first.buckets, signal));
  if (!isAllowed) warnings.push(ONLY_READING);
  if (isAllowed && !settings.readOnly) warnings.push(...((await beforeClaim?.(first.buckets)) ?? []));
  const fileSystem = await openMounted(settings, {
    service,
    clock,
    log,
    first: { ...first, askedAt },
    mayWrite: isAllowed,
    giveMemoryBack,
  });
  closers.push(() => fileSystem.release());
  closers.push(() => fileSystem.close({ patience: UPLOAD_PATIENCE_MS }));
  warnings.push(...warningsOfEarlierMounts(fileSystem));
  return {
    service,
    bucketName: null,
    mayWrite: isAllowed,
    fileSystem,
    stateDirectories: () => fileSystem.stateDirectories,
    release: () => fileSystem.release(),
  };
}

type AllBuckets = Parameters<typeof openAllBuckets>[0];

async function openMounted(
  settings: MountSettings,
  {
    mayWrite: isAllowed,
    ...parts
  }: Pick<AllBuckets, 'service' | 'clock' | 'log' | 'first' | 'giveMemoryBack'> & {
    readonly mayWrite: boolean;
  },
): Promise<MountedBuckets> {
  const { service, clock, log, first } = parts;
  let isWarned = false;
  const open: AllBuckets['open'] = async (bucket, given) => {
    for (const warning of warningsAbout(bucket)) log.warn(warning);
    const about = logAbout(log, { bucket: bucket.name });
    const opened = await openClaimed(settings, {
      service,
      bucket,
      clock,
      log: about,
      mayWrite: isAllowed,
      ...given,
    });
    // For each bucket: "pailfs uploads" may have found nothing and nobody below this home since the last one.
    for (const warning of await pointTo(settings)) {
      if (!isWarned) log.warn(warning);
      isWarned = true;
    }
    return bucketFileSystem(opened);
  };
  try {
    await mkdir(settings.stateDir, { recursive: true, mode: DIRECTORY_MODE });
    const { bucketAdmin } = settings;
    return await openAllBuckets({
      ...parts,
      settings: { ...fileSystemSettings(settings, isAllowed), bucketAdmin },
      stateHome: settings.stateDir,
      open,
      atOnce: await bucketsLeft(settings, first.buckets),
    });
  } catch (error) {
    throw error instanceof CommandError ? error : stateFailure(settings, error);
  }
}

/** Once a state directory is claimed. What a person should know when nothing says where it is. Never rejects. */
async function pointTo(settings: MountSettings): Promise<readonly string[]> {
  // Such a mount leaves nothing that was not there before.
  if (settings.readOnly) return [];
  try {
    await leavePointer(settings);
    return [];
  } catch (error) {
    return [
      `should this mount leave anything, only "pailfs uploads --state-dir ${shellWord(settings.stateDir)}" will find it: ${inWords(error)}`,
    ];
  }
}

function bucketFileSystem({ fileSystem, state }: Awaited<ReturnType<typeof openClaimed>>): BucketFileSystem {
  return { fileSystem, stateDirectory: state.path, release: () => state.release() };
}

/**
 * Those of which mounts that are gone have left a directory here, perhaps with something in it. One that cannot be read keeps no other bucket
 * from being mounted: who opens its own hears of it.
 */
async function bucketsLeft(
  { stateDir, baseUrl, accessKeyId }: MountSettings,
  buckets: readonly Bucket[],
): Promise<readonly Bucket[]> {
  const { directories } = await listLeftDirectories(stateDir);
  const left = directories.filter((directory) => !directory.isOwned && belongsTo(directory, accessKeyId));
  return buckets.filter(({ bucket }) =>
    left.some(({ about }) => about?.baseUrl === baseUrl && about.bucket === bucket),
  );
}

/** What a credential may do is the same in every bucket (§5): one that is ready is asked. */
async function mayWriteAnywhere(
  service: HttpService,
  buckets: readonly Bucket[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const asked = buckets.find(({ status }) => status === 'ACTIVE') ?? buckets[0];
  return asked === undefined || mayWrite(service, asked, signal);
}

/** Each line says `fields`, too. */
function logAbout(log: Log, about: LogFields): Log {
  return {
    hidesDebug: log.hidesDebug,
    debug: (message, fields) => {
      log.debug(message, { ...about, ...fields });
    },
    info: (message, fields) => {
      log.info(message, { ...about, ...fields });
    },
    warn: (message, fields) => {
      log.warn(message, { ...about, ...fields });
    },
    error: (message, fields) => {
      log.error(message, { ...about, ...fields });
    },
  };
}
