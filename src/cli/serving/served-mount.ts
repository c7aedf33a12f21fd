/** What does a process that serves a mount hold, in which order does it come up, and in which order does it go? */
import { once } from 'node:events';
import type { UnsentDraft } from '../../filesystem/open-file-system.ts';
import type { Driver, Mounted } from '../../fuse/driver.ts';
import { MountError } from '../../fuse/driver.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { ControlledMount } from './controlled-mount.ts';
import type { Ending, Endings } from './endings.ts';
import { KeptWord } from './kept-word.ts';
import { closeBackwards, UPLOAD_PATIENCE_MS, type BucketSurroundings, type Start } from './open-bucket.ts';
import type { MountJob } from './mount-job.ts';
import { inTurnAt } from './mount-turn.ts';
import type { RecentProblems } from '../logging/recent-problems.ts';
import { openMount, type OpenedMount } from './opened-mount.ts';
import { sourceOf } from '../found-mounts/moved-mounts.ts';
import { earlierRecords, RecordedMount, type RecordedParts } from './recorded-mount.ts';
import { removeIdlePointers } from '../state/state-pointers.ts';
import { unsentLine } from './unsent-line.ts';

/** How long a program may keep the mount busy after a signal; then it is detached. */
const BUSY_PATIENCE_MS = 5000;
const BUSY_PAUSE_MS = 250;

/** When the start is given up, it rejects once nothing is left behind. */
export interface Surroundings extends BucketSurroundings {
  readonly signal: AbortSignal;
  readonly log: RecentProblems;
  readonly driver: Driver;
}

interface Parts extends OpenedMount, Pick<RecordedParts, 'earlier'> {
  readonly mounted: Mounted;
  /** When it began to answer. */
  readonly since: Date;
}

export class ServedMount {
  /** What a person should know although the mount works. */
  readonly warnings: readonly string[];
  readonly #job: MountJob;
  readonly #surroundings: Surroundings;
  readonly #parts: Parts;
  readonly #record: RecordedMount;
  readonly #control: ControlledMount;
  readonly #word: KeptWord;
  readonly #closed: Promise<void>;

  private constructor(job: MountJob, surroundings: Surroundings, parts: Parts, warnings: readonly string[]) {
    this.#job = job;
    this.#surroundings = surroundings;
    this.#parts = parts;
    this.#record = recordedMount(job, surroundings, parts);
    this.#control = new ControlledMount(job, parts, surroundings.log);
    this.#word = new KeptWord([this.#record, this.#control], surroundings.clock);
    this.#closed = Promise.race([parts.mounted.closed, this.#givenUp()]);
    this.warnings = warnings;
  }

  /** Resolves when the mount answers. Rejects with a `CommandError` or `MountError`, leaving nothing behind. */
  static async open(job: MountJob, surroundings: Surroundings): Promise<ServedMount> {
    const forget = (): Promise<void> => removeIdlePointers(job.settings, surroundings.clock);
    const start: Start = { closers: [forget], warnings: [] };
    try {
      const parts = await openParts(job, surroundings, start);
      const mount = new ServedMount(job, surroundings, parts, start.warnings);
      start.warnings.push(...(await mount.#record.begin()));
      await mount.#control.begin();
      mount.#word.begin();
      for (const warning of start.warnings) surroundings.log.warn(warning);
      return mount;
    } catch (error) {
      await closeBackwards(start.closers, surroundings.log);
      if (!surroundings.signal.aborted) throw error;
      throw new CommandError(exitCodes.failed, 'asked to end before the mount was ready', { cause: error });
    }
  }

  /** Resolves when the kernel has let go, whoever asked for it, and what it had asked for is done, or nobody wants to wait for that. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Grows while finishing gets anywhere. */
  get bytesSent(): number {
    return this.#parts.fileSystem.bytesSent();
  }

  /** Forgets what is known about names, so that the next look asks the service. */
  refresh(): Promise<void> {
    return this.#control.refresh('/');
  }

  /** Finishes uploads and unmounts. Resolves with the process's exit code. */
  async finish(ending: Ending, endings: Endings): Promise<ExitCode> {
    const { log } = this.#surroundings;
    log.info('Finishing', { because: ending.kind === 'signal' ? ending.name : ending.kind });
    const isGone = ending.kind === 'unmounted' || (await this.#letGo(endings));
    // First: a write after the upload would be lost, so the last moment for it comes as late as possible.
    if (!isGone) await this.#detach();
    const asked = this.#control.finishing();
    const unsent = await this.#upload(AbortSignal.any([asked, endings.impatience]));
    if (unsent !== undefined && unsent.length > 0)
      log.error('Not everything could be uploaded; the bytes are kept', { ...unsentLine(unsent) });
    await this.#word.end();
    await this.#record.end(unsent);
    await this.#control.end();
    await this.#parts.service.close();
    await this.#parts.release();
    await this.#forget();
    const isDone = unsent?.length === 0 && ending.kind !== 'fault';
    log.info('Ended', { unsent: unsent?.length ?? 'unknown' });
    return isDone ? exitCodes.done : exitCodes.failed;
  }

  /** Resolves when a person does not want to wait any more for what the kernel had asked for before it let go, as when a program was killed while it closed. */
  async #givenUp(): Promise<void> {
    // Else there is nothing to wait for.
    await (this.#parts.mounted.letGo ?? this.#parts.mounted.closed);
    const asked = this.#control.finishing();
    if (!asked.aborted) await once(asked, 'abort');
  }

  async #forget(): Promise<void> {
    const { clock, log } = this.#surroundings;
    await removeIdlePointers(this.#job.settings, clock).catch((error: unknown) => {
      log.warn('Whether anything is left in the state directory is not known', { error });
    });
  }

  async #letGo(endings: Endings): Promise<boolean> {
    const { clock, log } = this.#surroundings;
    const deadline = clock.monotonic() + BUSY_PATIENCE_MS;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#isUnmounted(endings.impatience);
      } catch (error) {
        if (tries === 0) log.warn('The mount cannot be unmounted yet', { error });
        const isBusy = error instanceof MountError && error.kind === 'busy';
        if (!isBusy || endings.impatience.aborted || clock.monotonic() >= deadline) return false;
        await clock.sleep(BUSY_PAUSE_MS);
      }
    }
  }

  /**
   * False where its files are not closed yet though it is unmounted, as one that was detached before: programs may take for ever. Rejects as
   * `unmount`.
   */
  async #isUnmounted(impatience: AbortSignal): Promise<boolean> {
    const done = new AbortController();
    const no = (): boolean => false;
    const isOver = this.#surroundings.clock
      .sleep(BUSY_PATIENCE_MS, AbortSignal.any([impatience, done.signal]))
      .then(no, no);
    const isClosed = this.#parts.mounted
      .unmount({ lazy: false })
      .then(() => this.closed)
      .then(() => true);
    try {
      return await Promise.race([isClosed, isOver]);
    } finally {
      done.abort();
    }
  }

  async #detach(): Promise<void> {
    const { log } = this.#surroundings;
    try {
      await this.#parts.mounted.unmount({ lazy: true });
      log.warn('The mount was detached before all files in it were closed');
    } catch (error) {
      log.error('The mount could not be detached', { error });
    }
  }

  /** Undefined when nobody knows what is missing. */
  async #upload(giveUp: AbortSignal): Promise<readonly UnsentDraft[] | undefined> {
    const { log } = this.#surroundings;
    try {
      return await this.#parts.fileSystem.close({ patience: UPLOAD_PATIENCE_MS, giveUp });
    } catch (error) {
      log.error('Finishing the uploads failed', { error, directories: this.#parts.stateDirectories() });
      return undefined;
    }
  }
}

/** For `pailfs status` and `pailfs unmount`: what is mounted, and which process to ask and to wait for. */
function recordedMount(
  { mountpoint, logFile, settings }: MountJob,
  surroundings: Surroundings,
  parts: Parts,
): RecordedMount {
  const { clock, log, driver } = surroundings;
  const { bucketName, mayWrite, since, earlier } = parts;
  return new RecordedMount({
    earlier,
    facts: {
      mountpoint,
      bucket: bucketName,
      baseUrl: settings.baseUrl,
      driver: driver.name,
      readOnly: settings.readOnly,
      mayWrite,
      since: since.toISOString(),
      logFile,
      stateDir: settings.stateDir,
    },
    clock,
    log,
  });
}

async function openParts(job: MountJob, surroundings: Surroundings, start: Start): Promise<Parts> {
  const { settings, mountpoint } = job;
  const { clock, log, driver, signal } = surroundings;
  const opened = await openMount(job, surroundings, start);
  const { readOnly, allowOther, noexec } = settings;
  signal.throwIfAborted();
  const earlier = await earlierRecords(mountpoint, log);
  const source = sourceOf(opened.bucketName);
  const mounted = await inTurnAt(mountpoint, { log, signal }, () =>
    driver.mount(opened.fileSystem.operations, { mountpoint, source, readOnly, allowOther, noexec, log }),
  );
  start.closers.push(() => mounted.unmount({ lazy: true }));
  return { ...opened, earlier, mounted, since: new Date(clock.now()) };
}
