/** What does a served mount tell and do over its control socket, and when does it hear of the end? */
import { describeError } from '../../base/errors.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { ChangeOutcome, Unsent } from '../../filesystem/unsent/unsent-changes.ts';
import type { Mounted } from '../../fuse/driver.ts';
import type { Visibility } from '../../service/records.ts';
import type {
  Controlled,
  GiveUpDocument,
  LinkDocument,
  StatusDocument,
} from '../control/control-documents.ts';
import { hiddenIn, linkOf, withVisibility } from '../control/control-links.ts';
import { ControlServer } from '../control/control-server.ts';
import { controlSocketPath } from '../found-mounts/control-sockets.ts';
import { recordDirectory } from '../found-mounts/record-directories.ts';
import type { OpenedMount } from './opened-mount.ts';
import type { MountJob } from './mount-job.ts';
import type { RecentProblems } from '../logging/recent-problems.ts';
import { settingNames, settingRow, snakeName } from '../settings/settings-table.ts';
import { noteworthy, summaryOf } from '../control/unsent-summary.ts';

interface ControlledParts extends OpenedMount {
  readonly mounted: Mounted;
}

/** `begin`, then `finishing`, then `end`; none of them rejects: without its socket a mount works, but nobody can look into it. */
export class ControlledMount implements Controlled {
  readonly #job: MountJob;
  readonly #parts: ControlledParts;
  readonly #log: RecentProblems;
  readonly #giveUp = new AbortController();
  #server: ControlServer | undefined;
  #isFinishing = false;

  constructor(job: MountJob, parts: ControlledParts, log: RecentProblems) {
    this.#job = job;
    this.#parts = parts;
    this.#log = log;
  }

  async begin(): Promise<void> {
    try {
      this.#server = await this.#listen();
    } catch (error) {
      this.#log.warn('There is no control socket: "pailfs uploads" cannot ask this mount', { error });
    }
  }

  /** Listens anew where its socket is gone, which nobody can find then. Never rejects. */
  async keep(): Promise<void> {
    try {
      if ((await this.#server?.isThere()) === true) return;
      // First: it removes the name, which the next one may have.
      await this.#server?.close();
      this.#server = undefined;
      this.#server = await this.#listen();
    } catch (error) {
      // At debug level: it is tried again soon.
      this.#log.debug('There is still no control socket', { error });
    }
  }

  async #listen(): Promise<ControlServer> {
    const directory = await recordDirectory(process.getuid?.() ?? 0);
    return ControlServer.open(controlSocketPath(directory, this.#job.mountpoint, process.pid), this);
  }

  /** The mount is gone, and what is left is uploaded. The signal is aborted when a person does not want to wait for that. */
  finishing(): AbortSignal {
    this.#isFinishing = true;
    return this.#giveUp.signal;
  }

  async end(): Promise<void> {
    await this.#server?.close().catch((error: unknown) => {
      this.#log.warn('The control socket could not be closed', { cause: describeError(error) });
    });
  }

  async status(): Promise<StatusDocument> {
    const { fileSystem, service } = this.#parts;
    const { hiddenKeys, ...cache } = fileSystem.counts();
    const changes = await this.#unsent.list();
    return {
      phase: this.#isFinishing ? 'finishing' : 'serving',
      stateDirectories: this.#parts.stateDirectories(),
      inactive: fileSystem.buckets().filter(({ status }) => status !== 'ACTIVE'),
      options: optionsOf(this.#job),
      bytesSent: fileSystem.bytesSent(),
      traffic: trafficOf(service),
      cache,
      hiddenKeys,
      problems: this.#log.latest,
      waiting: summaryOf(changes),
      changes: noteworthy(changes),
    };
  }

  uploads(): Promise<readonly UnsentChange[]> {
    return this.#unsent.list();
  }

  async retry(ids: readonly string[] | null): Promise<readonly ChangeOutcome[]> {
    this.#refuseAtTheEnd();
    const outcomes = await this.#unsent.retry(ids);
    // The kernel did not see these changes.
    await this.#parts.mounted.refresh?.();
    return outcomes;
  }

  async discard(ids: readonly string[]): Promise<readonly ChangeOutcome[]> {
    this.#refuseAtTheEnd();
    const outcomes = await this.#unsent.discard(ids);
    await this.#parts.mounted.refresh?.();
    return outcomes;
  }

  link(path: string): Promise<LinkDocument> {
    return linkOf(this.#parts.fileSystem.operations, path);
  }

  setVisibility(path: string, visibility: Visibility): Promise<LinkDocument> {
    return withVisibility(this.#parts.fileSystem.operations, path, visibility);
  }

  hidden(path: string): Promise<number> {
    return hiddenIn(this.#parts.fileSystem.operations, path);
  }

  async refresh(path: string): Promise<void> {
    this.#parts.fileSystem.refresh(path);
    // It asks us for every name then, and we ask the service for what was forgotten.
    await this.#parts.mounted.refresh?.();
  }

  giveUp(): GiveUpDocument {
    if (this.#isFinishing) {
      this.#log.warn('Asked to leave what is not stored yet to the next mount');
      this.#giveUp.abort();
    }
    return { isEnding: this.#isFinishing };
  }

  get #unsent(): Unsent {
    return this.#parts.fileSystem.unsent;
  }

  #refuseAtTheEnd(): void {
    if (this.#isFinishing) throw new Error('the mount is just ending: try again when it has ended');
  }
}

function trafficOf({ traffic }: OpenedMount['service']): StatusDocument['traffic'] {
  const { offlineSince, silentSince, ...facts } = traffic.facts();
  return {
    ...facts,
    offlineSince: offlineSince?.toISOString() ?? null,
    silentSince: silentSince?.toISOString() ?? null,
  };
}

/** What was asked for, as the config file has it, without what nobody shall read. */
function optionsOf({ settings }: MountJob): StatusDocument['options'] {
  const options = settingNames.flatMap((name) => {
    const value = settings[name];
    const { credential, unprinted, written } = settingRow(name);
    if (value === undefined || credential === true || unprinted === true) return [];
    const shown = typeof value === 'number' ? (written?.(value) ?? value) : value;
    return [[snakeName(name), typeof shown === 'object' ? shown.join(' ') : shown] as const];
  });
  return Object.fromEntries(options);
}
