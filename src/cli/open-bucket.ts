/** What comes up between the settings and a file system over the bucket that they name, whoever uses it then: a mount, or a command? */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { HttpService } from '../client/http-service.ts';
import {
  openFileSystem,
  type MountedFileSystem,
  type SetAsideDraft,
} from '../filesystem/open-file-system.ts';
import type { Bucket } from '../service/records.ts';
import { findBucket, mayWrite } from './connect.ts';
import { explainLocalFailure } from './local-places.ts';
import { openService } from './open-service.ts';
import type { MountSettings } from './settings.ts';
import { claimStateDirectory, type StateDirectory } from './state-directory.ts';

/** How long the end waits without a byte that goes up, milliseconds. */
export const UPLOAD_PATIENCE_MS = 30_000;
/** Set-aside files that a warning names. */
const MOST_NAMED = 5;
const ONLY_READING =
  'these credentials may only read: every change is refused (EACCES) until the bucket is mounted with others; --read-only lets programs know beforehand';

export interface BucketSurroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** Gives the start up. */
  readonly signal: AbortSignal;
}

/** What a start has opened so far, to be closed backwards when it fails; and what a person should know although it works. */
export interface Start {
  readonly closers: (() => Promise<unknown>)[];
  readonly warnings: string[];
}

export interface OpenedBucket {
  readonly service: HttpService;
  readonly bucket: Bucket;
  readonly state: StateDirectory;
  readonly fileSystem: MountedFileSystem;
}

/** `wanted`: name or identifier. Rejects with a `CommandError`; what was opened until then is in `start`. */
export async function openBucket(
  wanted: string,
  settings: MountSettings,
  { clock, log, signal }: BucketSurroundings,
  { closers, warnings }: Start,
): Promise<OpenedBucket> {
  const { baseUrl } = settings;
  const service = await openService(settings, { clock, log });
  closers.push(() => service.close());
  const bucket = await findBucket({ service, wanted, baseUrl, signal });
  warnings.push(...warningsAbout(bucket));
  const isAllowed = settings.readOnly || (await mayWrite(service, bucket, signal));
  if (!isAllowed) warnings.push(ONLY_READING);
  const state = await claimState(settings, bucket);
  closers.push(() => state.release());
  const fileSystem = await openFileSystem({
    service,
    bucket,
    clock,
    log,
    settings: {
      ...settings,
      stateDirectory: state.path,
      cacheDirectory: join(settings.cacheDir, 'blocks'),
      hostName: hostname(),
      mayWrite: isAllowed,
    },
    adopted: state.adopted,
  }).catch((error: unknown) => {
    throw stateFailure(settings, error);
  });
  closers.push(() => fileSystem.close({ patience: UPLOAD_PATIENCE_MS }));
  warnings.push(...setAsideWarnings(fileSystem.setAside));
  return { service, bucket, state, fileSystem };
}

/** Closes what a failed start had opened. Never rejects. */
export async function closeBackwards(closers: Start['closers'], log: Log): Promise<void> {
  for (const close of closers.toReversed()) {
    await close().catch((failure: unknown) => {
      log.error('Could not clean up after a start that failed', { error: failure });
    });
  }
}

function warningsAbout({ name, status, statusMessage }: Bucket): string[] {
  if (status === 'ACTIVE') return [];
  const why = statusMessage === null ? '' : ` (${statusMessage})`;
  return [`bucket ${name} is ${status}${why}, not ACTIVE: calls may fail until it is`];
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

function stateFailure({ stateDir }: MountSettings, error: unknown): Error {
  return explainLocalFailure({ what: 'state directory', setting: '--state-dir', path: stateDir }, error);
}

/** Until a person has looked after them. */
function setAsideWarnings(drafts: readonly SetAsideDraft[]): string[] {
  if (drafts.length === 0) return [];
  const shown = drafts.slice(0, MOST_NAMED).map(({ key, file, reason }) => `${key} (${reason}) in ${file}`);
  if (drafts.length > shown.length) shown.push(`${drafts.length - shown.length} more`);
  const remedy = 'see "pailfs uploads", which can export, store or discard them';
  return [`files that earlier mounts did not store are set aside: ${shown.join('; ')}; ${remedy}`];
}
