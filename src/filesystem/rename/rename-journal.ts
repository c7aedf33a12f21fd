/**
 * What must be known of a rename when the process ends in the middle of it?
 *
 * For a folder: all its files, on the disk before the first request; so the next mount goes on with it. For any file: which bytes
 * are about to be stored under the new key, so that the next mount knows the copy again, and with it that the old name is owed
 * its DELETE.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { RenameUnderWay } from '../../content/journal/journal-contents.ts';
import { put, remove, type Journal, type JournalChange } from '../../content/journal/journal.ts';
import type { RenameRecord, RenameStepRecord } from '../../content/journal/records.ts';
import { factsOf } from '../../content/version-facts.ts';
import { keyOfPath } from '../../store/keys.ts';
import type { Version } from '../../store/version.ts';
import type { CopyAnnouncement } from './copying.ts';
import type { OpenFile } from '../open-file.ts';

/** One file, from path to path. */
export interface PlannedMove {
  readonly from: string;
  readonly to: string;
  readonly version: Version;
}

/** Of one rename. `end` once it is whole, or undone. */
export interface FileRecord {
  readonly announce: CopyAnnouncement;
  end(): Promise<void>;
}

/** The renames of one mount's journal. Rejects with the local disk's error. */
export class RenameJournal {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #underWay = new Map<string, RenameRecord>();

  constructor(journal: Journal, clock: Clock, log: Log) {
    this.#journal = journal;
    this.#clock = clock;
    this.#log = log;
  }

  /** What the processes before this one did not end. */
  get unfinished(): readonly RenameUnderWay[] {
    return this.#journal.contents.renames;
  }

  /** What is recorded and has not ended. */
  get underWay(): readonly RenameRecord[] {
    return [...this.#underWay.values()];
  }

  /** Whether a rename that has not ended takes `path` along, or brings something there: one that was cut, for who holds the claim of `path`. */
  concerns(path: string): boolean {
    const key = keyOfPath(path);
    return this.underWay.some(({ kind, from, to }) => {
      return [from, to].some((name) => (kind === 'folder' ? key.startsWith(name) : key === name));
    });
  }

  /** Writes nothing before something is announced. */
  ofFile(source: OpenFile, to: string, target: OpenFile | null): FileRecord {
    const { path, version, doubts } = source;
    const meant = version ?? doubts.versions.at(-1) ?? null;
    let written: RenameRecords | null = null;
    return {
      announce: async (copy, visibility, drafts) => {
        const records = this.#records('file', keyOfPath(path), keyOfPath(to));
        const step = records.planned({ from: path, to, version: meant }, 0);
        const replaced = target?.version ?? null;
        records.steps.push({
          ...copying(step, { copy, visibility, drafts }),
          replaced: replaced === null ? null : factsOf(replaced),
        });
        await this.#begin(records);
        written = records;
      },
      end: async () => {
        if (written !== null) await this.#forget(written.rename, written.removals());
      },
    };
  }

  /** Resolves when all of `moves` are on the disk. */
  async ofFolder(from: string, to: string, moves: readonly PlannedMove[]): Promise<FolderRecord> {
    const records = this.#records('folder', `${keyOfPath(from)}/`, `${keyOfPath(to)}/`);
    for (const [index, move] of moves.entries()) records.steps.push(records.planned(move, index));
    await this.#begin(records);
    return this.#folderRecord(records);
  }

  /** Goes on with one that was found. */
  resumed({ rename, steps }: RenameUnderWay): FolderRecord {
    this.#underWay.set(rename.id, rename);
    return this.#folderRecord(new RenameRecords(rename, [...steps]));
  }

  #folderRecord(records: RenameRecords): FolderRecord {
    return new FolderRecord(
      records,
      (rename, changes) => this.#commit(rename, changes),
      (rename, changes) => this.#forget(rename, changes),
    );
  }

  #records(kind: RenameRecord['kind'], from: string, to: string): RenameRecords {
    const rename = {
      id: randomUUID(),
      sequence: this.#journal.nextSequence(),
      kind,
      from,
      to,
      startedAt: this.#clock.now(),
    } as const;
    return new RenameRecords(rename, []);
  }

  async #begin(records: RenameRecords): Promise<void> {
    try {
      await this.#commit(records.rename, records.puts());
    } catch (error) {
      // The disk may have them, though it says that it has not: the program hears that nothing is renamed, nor is the next mount to do it.
      await this.#forget(records.rename, records.removals());
      throw error;
    }
  }

  async #commit(rename: RenameRecord, changes: readonly JournalChange[]): Promise<void> {
    await this.#journal.commit(changes);
    this.#underWay.set(rename.id, rename);
  }

  async #forget(rename: RenameRecord, changes: readonly JournalChange[]): Promise<void> {
    this.#underWay.delete(rename.id);
    try {
      await this.#journal.commit(changes);
    } catch (error) {
      // Its files may get their old names again, or lose their links: then it must not be finished.
      this.#journal.makeLater(changes);
      this.#log.warn('a rename that has ended stays in the journal for now', { cause: describeError(error) });
    }
  }
}

/** Of one step, for the caller to commit together with what it does; `done` when that is on the disk. */
export interface StepChange {
  readonly changes: readonly JournalChange[];
  readonly done: () => void;
}

type Commit = (rename: RenameRecord, changes: readonly JournalChange[]) => Promise<void>;

/** The record of the rename of one folder. */
export class FolderRecord {
  readonly #commit: Commit;
  readonly #forget: Commit;
  #records: RenameRecords;
  /** What ends the steps before it was turned back, until that is on the disk. */
  #turning: readonly JournalChange[] = [];

  constructor(records: RenameRecords, commit: Commit, forget: Commit) {
    this.#records = records;
    this.#commit = commit;
    this.#forget = forget;
  }

  /** For the file that is `index`th among those planned. */
  announcement(index: number): CopyAnnouncement {
    return async (copy, visibility, drafts) => {
      const step = this.#records.steps[index];
      if (step === undefined) return;
      const changed = copying(step, { copy, visibility, drafts });
      this.#records.steps[index] = changed;
      await this.#commit(this.#records.rename, [put('rename-step', changed)]);
    };
  }

  get rename(): RenameRecord {
    return this.#records.rename;
  }

  get steps(): readonly RenameStepRecord[] {
    return this.#records.steps;
  }

  /** The `index`th step is not about the draft that is called `id` any more. */
  without(index: number, id: string): StepChange {
    const { steps } = this.#records;
    const step = steps[index];
    if (step === undefined) return { changes: [], done: () => undefined };
    const changed = { ...step, drafts: step.drafts.filter((draft) => draft !== id) };
    const done = (): void => {
      steps[index] = changed;
    };
    return { changes: [put('rename-step', changed)], done };
  }

  /** The rename is undone: from now on `moves` is what is planned, in the other direction. */
  async turnBack(moves: readonly PlannedMove[]): Promise<void> {
    const { rename } = this.#records;
    const back = new RenameRecords({ ...rename, from: rename.to, to: rename.from }, []);
    for (const [index, move] of moves.entries()) back.steps.push(back.planned(move, index));
    this.#turning = this.#records.removals();
    this.#records = back;
    await this.#commit(back.rename, [...this.#turning, ...back.puts()]);
    this.#turning = [];
  }

  /** Never rejects. */
  end(): Promise<void> {
    return this.#forget(this.#records.rename, [...this.#turning, ...this.#records.removals()]);
  }
}

class RenameRecords {
  readonly rename: RenameRecord;
  readonly steps: RenameStepRecord[];

  constructor(rename: RenameRecord, steps: RenameStepRecord[]) {
    this.rename = rename;
    this.steps = steps;
  }

  planned(
    { from, to, version }: Pick<PlannedMove, 'from' | 'to'> & { readonly version: Version | null },
    index: number,
  ): RenameStepRecord {
    return {
      rename: this.rename.id,
      index,
      from: keyOfPath(from),
      to: keyOfPath(to),
      state: 'planned',
      source: version === null ? null : factsOf(version),
      copy: null,
      replaced: null,
      visibility: null,
      drafts: [],
    };
  }

  puts(): JournalChange[] {
    return [put('rename', this.rename), ...this.steps.map((step) => put('rename-step', step))];
  }

  removals(): JournalChange[] {
    return [remove('rename', this.rename), ...this.steps.map((step) => remove('rename-step', step))];
  }
}

function copying(
  step: RenameStepRecord,
  { copy, ...rest }: { readonly copy: Version } & Pick<RenameStepRecord, 'visibility' | 'drafts'>,
): RenameStepRecord {
  return { ...step, ...rest, state: 'copying', copy: factsOf(copy) };
}
