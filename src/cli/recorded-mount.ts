/** How is the record of a served mount (mount-record.ts) kept true, from its beginning to its end? */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ShelvedFile, UnsentDraft } from '../filesystem/open-file-system.ts';
import { recordDirectory, removeRecord, writeRecord, type MountRecord } from './mount-record.ts';
import { ownIdentity } from './process-identity.ts';

/** So old may be what `pailfs status` says of the shelf. */
const LOOK_EVERY_MS = 2000;

export interface RecordedParts {
  /** What does not change. */
  readonly facts: Omit<MountRecord, 'process' | 'unsent' | 'shelf'>;
  readonly shelf: () => readonly ShelvedFile[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Never rejects: without its record `pailfs unmount` cannot wait for the uploads, but the mount itself works. */
export class RecordedMount {
  readonly #parts: RecordedParts;
  #shelf: readonly ShelvedFile[] = [];
  #stopLooking: () => void = () => undefined;
  /** Settles when all changes of the record asked for so far are made: the last one must be the end. */
  #changes: Promise<void> = Promise.resolve();

  constructor(parts: RecordedParts) {
    this.#parts = parts;
  }

  /** The mount answers. */
  async begin(): Promise<void> {
    await this.#write([]);
    this.#lookLater();
  }

  /** The last thing but the process's end. `unsent`: undefined when nobody knows what is missing. */
  async end(unsent: readonly UnsentDraft[] | undefined): Promise<void> {
    this.#stopLooking();
    // The record of a process that is gone says that nobody knows how it ended.
    if (unsent === undefined) return;
    if (unsent.length > 0) await this.#write(unsent);
    else await this.#orLog((directory) => removeRecord([directory], this.#parts.facts.mountpoint));
  }

  #lookLater(): void {
    this.#stopLooking = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      this.#lookLater();
      if (!isDeepStrictEqual(this.#parts.shelf(), this.#shelf)) void this.#write([]);
    });
  }

  async #write(unsent: readonly UnsentDraft[]): Promise<void> {
    this.#shelf = this.#parts.shelf();
    const waiting = { unsent: [...unsent], shelf: [...this.#shelf] };
    await this.#orLog(async (directory) => {
      await writeRecord(directory, { ...this.#parts.facts, process: await ownIdentity(), ...waiting });
    });
  }

  #orLog(action: (directory: string) => Promise<void>): Promise<void> {
    this.#changes = this.#changes.then(async () => {
      try {
        await action(await recordDirectory(process.getuid?.() ?? 0));
      } catch (error) {
        this.#parts.log.warn('The mount could not be recorded', { error });
      }
    });
    return this.#changes;
  }
}
