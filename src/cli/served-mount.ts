/** What does a process that serves a mount hold, in which order does it come up, and in which order does it go? */
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { HttpService } from '../client/http-service.ts';
import type { MountedFileSystem, SetAsideDraft, UnsentDraft } from '../filesystem/open-file-system.ts';
import { CONNECTIONS_FOR_ALL_GATES } from '../store/gates.ts';
import { openFileSystem } from '../filesystem/open-file-system.ts';
import type { Driver, Mounted } from '../fuse/driver.ts';
import { MountError } from '../fuse/driver.ts';
import type { Bucket } from '../service/records.ts';
import type { ExitCode } from './command-error.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { checkReachable, findBucket, mayWrite } from './connect.ts';
import type { Ending, Endings } from './endings.ts';
import { explainLocalFailure } from './local-places.ts';
import { RecordedMount } from './recorded-mount.ts';
import type { MountSettings } from './settings.ts';
import type { StateDirectory } from './state-directory.ts';
import { claimStateDirectory } from './state-directory.ts';

/** How long a program may keep the mount busy after a signal; then it is detached. */
const BUSY_PATIENCE_MS = 5000;
const BUSY_PAUSE_MS = 250;
/** Without a byte that goes up. */
const UPLOAD_PATIENCE_MS = 30_000;
/** Between the kernel's letting go and the driver's noticing. */
const CLOSED_DEADLINE_MS = 5000;
/** Set-aside files that a warning names. */
const MOST_NAMED = 5;

/** Everything that a serving process is told; plain data, so that it can be sent to one. */
export interface MountJob {
  /** Name or identifier. */
  readonly bucket: string;
  /** Canonical. */
  readonly mountpoint: string;
  readonly settings: MountSettings;
  /** For the record; null when lines go to stderr. */
  readonly logFile: string | null;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly driver: Driver;
  /** Gives the start up; it then rejects, once nothing is left behind. */
  readonly signal: AbortSignal;
}

interface Parts {
  readonly service: HttpService;
  readonly bucket: Bucket;
  readonly state: StateDirectory;
  readonly fileSystem: MountedFileSystem;
  readonly mounted: Mounted;
  /** When it began to answer. */
  readonly since: Date;
}

type Closers = (() => Promise<unknown>)[];

export class ServedMount {
  /** What a person should know although the mount works. */
  readonly warnings: readonly string[];
  readonly #surroundings: Surroundings;
  readonly #parts: Parts;
  readonly #record: RecordedMount;

  private constructor(
    surroundings: Surroundings,
    parts: Parts,
    record: RecordedMount,
    warnings: readonly string[],
  ) {
    this.#surroundings = surroundings;
    this.#parts = parts;
    this.#record = record;
    this.warnings = warnings;
  }

  /** Resolves when the mount answers. Rejects with a `CommandError` or `MountError`, leaving nothing behind. */
  static async open(job: MountJob, surroundings: Surroundings): Promise<ServedMount> {
    const closers: Closers = [];
    const warnings: string[] = [];
    try {
      const parts = await openParts(job, surroundings, closers, warnings);
      const mount = new ServedMount(surroundings, parts, recordedMount(job, surroundings, parts), warnings);
      await mount.#record.begin();
      for (const warning of warnings) surroundings.log.warn(warning);
      return mount;
    } catch (error) {
      for (const close of closers.toReversed()) {
        await close().catch((failure: unknown) => {
          surroundings.log.error('Could not clean up after a mount that failed', { error: failure });
        });
      }
      if (!surroundings.signal.aborted) throw error;
      throw new CommandError(exitCodes.failed, 'asked to end before the mount was ready', { cause: error });
    }
  }

  /** Resolves when the kernel has let go, whoever asked for it. */
  get closed(): Promise<void> {
    return this.#parts.mounted.closed;
  }

  /** Grows while finishing gets anywhere. */
  get bytesSent(): number {
    return this.#parts.fileSystem.bytesSent();
  }

  /** Forgets what is known about names, so that the next look asks the service. */
  refresh(): void {
    this.#parts.fileSystem.refresh();
    this.#parts.mounted.refresh?.();
  }

  /** Finishes uploads and unmounts. Resolves with the process's exit code. */
  async finish(ending: Ending, endings: Endings): Promise<ExitCode> {
    const { log } = this.#surroundings;
    log.info('Finishing', { because: ending.kind === 'signal' ? ending.name : ending.kind });
    const isGone = ending.kind === 'unmounted' || (await this.#letGo(endings));
    // First: a write after the upload would be lost, so the last moment for it comes as late as possible.
    if (!isGone) await this.#detach();
    const unsent = await this.#upload();
    // One line for all: of many lines of a kind the log would leave most out.
    if (unsent !== undefined && unsent.length > 0) {
      log.error('Not everything could be uploaded; the bytes are kept', { files: unsent });
    }
    await this.#record.end(unsent);
    await this.#parts.service.close();
    await this.#parts.state.release();
    const isDone = unsent?.length === 0 && ending.kind !== 'fault';
    log.info('Ended', { unsent: unsent?.length ?? 'unknown' });
    return isDone ? exitCodes.done : exitCodes.failed;
  }

  async #letGo(endings: Endings): Promise<boolean> {
    const { clock, log } = this.#surroundings;
    const deadline = clock.monotonic() + BUSY_PATIENCE_MS;
    for (let tries = 0; ; tries += 1) {
      try {
        await this.#parts.mounted.unmount({ lazy: false });
        await Promise.race([this.closed, clock.sleep(CLOSED_DEADLINE_MS)]);
        return true;
      } catch (error) {
        if (tries === 0) log.warn('The mount cannot be unmounted yet', { error });
        const isBusy = error instanceof MountError && error.kind === 'busy';
        if (!isBusy || endings.isUrgent || clock.monotonic() >= deadline) return false;
        await clock.sleep(BUSY_PAUSE_MS);
      }
    }
  }

  async #detach(): Promise<void> {
    const { log } = this.#surroundings;
    try {
      await this.#parts.mounted.unmount({ lazy: true });
      log.warn('The mount was detached while a program still used it');
    } catch (error) {
      log.error('The mount could not be detached', { error });
    }
  }

  /** Undefined when nobody knows what is missing. */
  async #upload(): Promise<readonly UnsentDraft[] | undefined> {
    const { log } = this.#surroundings;
    const directory = this.#parts.state.path;
    try {
      return await this.#parts.fileSystem.close(UPLOAD_PATIENCE_MS);
    } catch (error) {
      log.error('Finishing the uploads failed', { error, directory });
      return undefined;
    }
  }
}

/** For `pailfs status` and `pailfs unmount`: what is mounted, which process to wait for, and what is here alone. */
function recordedMount(
  { mountpoint, logFile, settings }: MountJob,
  surroundings: Surroundings,
  parts: Parts,
): RecordedMount {
  const { clock, log, driver } = surroundings;
  const { bucket, since, fileSystem } = parts;
  return new RecordedMount({
    facts: {
      mountpoint,
      bucket: bucket.name,
      baseUrl: settings.baseUrl,
      driver: driver.name,
      readOnly: settings.readOnly,
      since: since.toISOString(),
      logFile,
    },
    shelf: () => fileSystem.shelf(),
    clock,
    log,
  });
}

async function openParts(
  job: MountJob,
  surroundings: Surroundings,
  closers: Closers,
  warnings: string[],
): Promise<Parts> {
  const { settings, mountpoint } = job;
  const { clock, log, driver, signal } = surroundings;
  const { accessKeyId, secretAccessKey, baseUrl } = settings;
  await checkReachable(baseUrl);
  const service = HttpService.open({
    baseUrl,
    credentials: { accessKeyId, secretAccessKey },
    connections: CONNECTIONS_FOR_ALL_GATES,
    clock,
    log,
  });
  closers.push(() => service.close());
  const bucket = await findBucket({ service, wanted: job.bucket, baseUrl, signal });
  warnings.push(...(await warningsAbout({ service, bucket, settings, signal })));
  const state = await claimState(settings, bucket);
  closers.push(() => state.release());
  const fileSystem = await openFileSystem({
    service,
    bucket,
    clock,
    log,
    settings: { ...settings, stateDirectory: state.path, hostName: hostname() },
    adopted: state.adopted,
  }).catch((error: unknown) => {
    throw stateFailure(settings, error);
  });
  closers.push(() => fileSystem.close(UPLOAD_PATIENCE_MS));
  warnings.push(...setAsideWarnings(fileSystem.setAside));
  const { readOnly, allowOther } = settings;
  signal.throwIfAborted();
  // A comma would begin another mount option.
  const source = bucket.name.replaceAll(',', '_');
  const mounted = await driver.mount(fileSystem.operations, {
    mountpoint,
    source,
    readOnly,
    allowOther,
    log,
  });
  closers.push(() => mounted.unmount({ lazy: true }));
  return { service, bucket, state, fileSystem, mounted, since: new Date(clock.now()) };
}

async function warningsAbout(start: {
  readonly service: HttpService;
  readonly bucket: Bucket;
  readonly settings: MountSettings;
  readonly signal: AbortSignal;
}): Promise<string[]> {
  const { service, bucket, settings, signal } = start;
  const warnings: string[] = [];
  if (bucket.status !== 'ACTIVE') {
    const why = bucket.statusMessage === null ? '' : ` (${bucket.statusMessage})`;
    warnings.push(`bucket ${bucket.name} is ${bucket.status}${why}, not ACTIVE: calls may fail until it is`);
  }
  if (!settings.readOnly && !(await mayWrite(service, bucket, signal))) {
    throw new CommandError(
      exitCodes.failed,
      'these credentials may only read: mount with --read-only, or use credentials that may write',
    );
  }
  return warnings;
}

async function claimState(settings: MountSettings, bucket: Bucket): Promise<StateDirectory> {
  const { baseUrl, accessKeyId, stateDir } = settings;
  try {
    return await claimStateDirectory(stateDir, { baseUrl, accessKeyId, bucket: bucket.bucket });
  } catch (error) {
    throw stateFailure(settings, error);
  }
}

function stateFailure({ stateDir }: MountSettings, error: unknown): Error {
  return explainLocalFailure({ what: 'state directory', setting: '--state-dir', path: stateDir }, error);
}

/** Until a person has looked after them. */
function setAsideWarnings(drafts: readonly SetAsideDraft[]): string[] {
  const shown = drafts.slice(0, MOST_NAMED).map(({ key, file, reason }) => `${key} (${reason}) in ${file}`);
  if (drafts.length > shown.length) shown.push(`${drafts.length - shown.length} more`);
  return shown.length === 0
    ? []
    : [`files that earlier mounts did not store are set aside: ${shown.join('; ')}`];
}
