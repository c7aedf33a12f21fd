/** What comes up between the settings and a file system over the bucket that they name, whoever uses it then: a mount, or a command? */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { HttpService } from '../../client/http-service.ts';
import {
  openFileSystem,
  type MountedFileSystem,
  type SetAsideDraft,
  type FileSystemInputs,
} from '../../filesystem/open-file-system.ts';
import type { GivenMeans } from '../../filesystem/all-buckets/open-all-buckets.ts';
import type { FileSystemSettings } from '../../filesystem/settings.ts';
import type { ObjectService } from '../../service/object-service.ts';
import type { Bucket } from '../../service/records.ts';
import { warningsAbout } from '../connecting/bucket-state.ts';
import { findBucket, mayWrite } from '../connecting/connect.ts';
import { explainLocalFailure } from '../settings/local-places.ts';
import { openService } from '../connecting/open-service.ts';
import { statePlaceOf, type MountSettings } from '../settings/settings.ts';
import { claimStateDirectory, type StateDirectory } from '../state/state-directory.ts';

/** How long the end waits without a byte that goes up, milliseconds. */
export const UPLOAD_PATIENCE_MS = 30_000;
/** Set-aside files that a warning names. */
const MOST_NAMED = 5;
export const ONLY_READING =
  'these credentials may only read: every change is refused (EACCES) until the bucket is mounted with others; --read-only lets programs know beforehand';

export interface BucketSurroundings extends Pick<FileSystemInputs, 'leftovers'> {
  readonly clock: Clock;
  readonly log: Log;
  /** As for a file system. */
  readonly giveMemoryBack?: () => void;
  /** Gives the start up. */
  readonly signal?: AbortSignal;
  /** Done before what mounts that are gone have left is taken, where anything may be stored. Resolves with what a person should know. */
  readonly beforeClaim?: (buckets: readonly Bucket[]) => Promise<readonly string[]>;
}

/** What a start has opened so far, to be closed backwards when it fails; and what a person should know although it works. */
export interface Start {
  readonly closers: (() => Promise<unknown>)[];
  readonly warnings: string[];
}

export interface OpenedBucket extends ClaimedFileSystem {
  readonly service: HttpService;
  readonly bucket: Bucket;
  /** Whether the credentials may; true when nobody asked, since `readOnly` is set. */
  readonly mayWrite: boolean;
}

/** `wanted`: name or identifier. Rejects with a `CommandError`; what was opened until then is in `start`. */
export async function openBucket(
  wanted: string,
  settings: MountSettings,
  { clock, log, signal, giveMemoryBack, leftovers, beforeClaim }: BucketSurroundings,
  { closers, warnings }: Start,
): Promise<OpenedBucket> {
  const { baseUrl } = settings;
  const service = await openService(settings, { clock, log });
  closers.push(() => service.close());
  const bucket = await findBucket({ service, wanted, baseUrl, signal });
  warnings.push(...warningsAbout(bucket));
  const isAllowed = settings.readOnly || (await mayWrite(service, bucket, signal));
  if (!isAllowed) warnings.push(ONLY_READING);
  if (isAllowed && !settings.readOnly) warnings.push(...((await beforeClaim?.([bucket])) ?? []));
  const parts = { service, bucket, clock, log, mayWrite: isAllowed, giveMemoryBack, leftovers };
  const opened = await openClaimed(settings, parts);
  closers.push(() => opened.state.release());
  closers.push(() => opened.fileSystem.close({ patience: UPLOAD_PATIENCE_MS }));
  warnings.push(...warningsOfEarlierMounts(opened.fileSystem));
  return { service, bucket, mayWrite: isAllowed, ...opened };
}

export interface ClaimedFileSystem {
  readonly state: StateDirectory;
  readonly fileSystem: MountedFileSystem;
}

/** What it takes besides the settings. */
interface ClaimedParts extends Partial<GivenMeans>, Pick<FileSystemInputs, 'leftovers'> {
  readonly service: ObjectService;
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly log: Log;
  readonly mayWrite: boolean;
  readonly giveMemoryBack?: (() => void) | undefined;
}

/** A file system in a state directory of its own. Rejects with a `CommandError`, leaving nothing open. */
export async function openClaimed(
  settings: MountSettings,
  { mayWrite: isAllowed, ...parts }: ClaimedParts,
): Promise<ClaimedFileSystem> {
  const state = await claimState(settings, parts.bucket);
  try {
    const fileSystem = await openFileSystem({
      ...parts,
      settings: { ...fileSystemSettings(settings, isAllowed), stateDirectory: state.path },
      adopted: state.adopted,
    });
    return { state, fileSystem };
  } catch (error) {
    await state.release();
    throw stateFailure(settings, error);
  }
}

/** What all file systems of a mount are set to. */
export function fileSystemSettings(
  settings: MountSettings,
  isAllowed: boolean,
): Omit<FileSystemSettings, 'stateDirectory'> {
  const cacheDirectory = join(settings.cacheDir, 'blocks');
  return { ...settings, cacheDirectory, hostName: hostname(), mayWrite: isAllowed };
}

/** Closes what a failed start had opened. Never rejects. */
export async function closeBackwards(closers: Start['closers'], log: Log): Promise<void> {
  for (const close of closers.toReversed()) {
    await close().catch((failure: unknown) => {
      log.error('Could not clean up after a start that failed', { error: failure });
    });
  }
}

async function claimState(settings: MountSettings, bucket: Bucket): Promise<StateDirectory> {
  const { baseUrl, accessKeyId, stateDir } = settings;
  try {
    const owner = { baseUrl, accessKeyId, bucket: bucket.bucket, bucketName: bucket.name };
    return await claimStateDirectory(stateDir, owner);
  } catch (error) {
    throw stateFailure(settings, error);
  }
}

export function stateFailure(settings: MountSettings, error: unknown): Error {
  return explainLocalFailure(statePlaceOf(settings), error);
}

/** What a person has to look after, or to know. */
export function warningsOfEarlierMounts({
  setAside,
  lost,
}: Pick<MountedFileSystem, 'setAside' | 'lost'>): string[] {
  return [...setAsideWarnings(setAside), ...lostWarnings(lost)];
}

/** Once: no later mount knows of them. */
function lostWarnings(keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  return [`unsent bytes of earlier mounts are gone from the state directory: ${fewOf(keys)}`];
}

/** Until a person has looked after them. */
function setAsideWarnings(drafts: readonly SetAsideDraft[]): string[] {
  if (drafts.length === 0) return [];
  const shown = fewOf(drafts.map(({ key, file, reason }) => `${key} (${reason}) in ${file}`));
  const remedy = 'see "pailfs uploads", which can export, store or discard them';
  return [`files that earlier mounts did not store are set aside: ${shown}; ${remedy}`];
}

function fewOf(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST_NAMED);
  if (texts.length > shown.length) shown.push(`${texts.length - shown.length} more`);
  return shown.join('; ');
}
