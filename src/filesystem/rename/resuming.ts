/**
 * What becomes of a rename that was cut in two, by the end of the process or, on its way back, by a service that is away? It is finished, step
 * by step (resumed-steps.ts, folder-undo.ts), and again when that fails.
 *
 * It goes on in the background, so that a mount is ready also when there are thousands of files; its paths are claimed, so that
 * changes of them wait.
 */
import { describeError } from '../../base/errors.ts';
import type { RenameRecord } from '../../content/journal/records.ts';
import { isWithin, parentOf, pathOfKey } from '../../store/keys.ts';
import { isPassing, reasonOf } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import { sendLeftovers } from '../left-behind/leftovers.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { RenameHolds } from './rename-holds.ts';
import type { FolderPlan } from './folder-steps.ts';
import type { FolderUndo } from './folder-undo.ts';
import type { FolderRecord, RenameJournal } from './rename-journal.ts';
import { ResumedSteps, Stopped, type ResumedParts } from './resumed-steps.ts';

/** After a failure that may pass, milliseconds. */
const TRY_AGAIN_AFTER = 30_000;
/** Somebody else than the `mv` that has just failed asks, milliseconds. */
const MOVED_ON_AFTER = 120_000;

/** Why a rename is not finished, after so many tries. */
export interface RenameFailure {
  readonly error: unknown;
  readonly attempts: number;
}

export interface ResumingParts extends ResumedParts {
  readonly journal: RenameJournal;
  readonly holds: RenameHolds;
}

/** Of a folder. */
interface FailedRename extends Pick<FolderPlan, 'from' | 'to'> {
  readonly undo: Pick<FolderUndo, 'leavesFolder'>;
  /** Monotonic milliseconds. */
  readonly at: number;
}

interface Cut {
  readonly record: FolderRecord;
  /** What is left to do, for who holds the claims of both paths. */
  readonly finish: () => Promise<void>;
}

/** The renames that earlier processes did not end, and those of this one that could not be undone yet. */
export class Resuming {
  readonly #mount: MountState;
  readonly #parts: ResumingParts;
  readonly #steps: ResumedSteps;
  /** By the identifiers of renames, as what follows. */
  readonly #cuts = new Map<string, Cut>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, () => void>();
  readonly #failures = new Map<string, RenameFailure>();
  /** The last folder's rename that failed. */
  #failed: FailedRename | null = null;
  #stopped = false;

  constructor(mount: MountState, parts: ResumingParts) {
    this.#mount = mount;
    this.#parts = parts;
    this.#steps = new ResumedSteps(mount, parts);
  }

  /**
   * Call before any program can: their paths are claimed when it returns, and what else earlier mounts left of them is held until each is
   * finished, and sent then.
   */
  start(): void {
    const { journal, holds } = this.#parts;
    const left = this.#mount.table.all();
    for (const rename of journal.unfinished) holds.hold(rename, left);
    for (const found of journal.unfinished) {
      const record = journal.resumed(found);
      void this.#begin({ record, finish: () => this.#steps.take(record) });
    }
  }

  /** The rename of a folder has failed, and was undone as far as that can be. */
  failed({ from, to }: Pick<FolderPlan, 'from' | 'to'>, undo: FailedRename['undo']): void {
    this.#failed = { from, to, undo, at: this.#mount.clock.monotonic() };
  }

  /**
   * Whether a rename from `from` to `to` would move a folder right into what one that failed has left of it. `mv` asks for that at once, as it takes
   * that for a directory that was there, and says that all went well.
   */
  wouldMoveIntoRest(from: string, to: string): boolean {
    const failed = this.#failed;
    if (failed?.from !== from || !failed.undo.leavesFolder) return false;
    return parentOf(to) === failed.to && this.#mount.clock.monotonic() - failed.at < MOVED_ON_AFTER;
  }

  /** Goes on with a rename of this process, of which `error` has left something to be done with `finish`. */
  later(record: FolderRecord, error: unknown, finish: () => Promise<void>): void {
    const cut = { record, finish };
    this.#cuts.set(record.rename.id, cut);
    this.#failures.set(record.rename.id, { error, attempts: 1 });
    this.#schedule(cut);
  }

  /** The identifiers of those that have one of `paths` in common, or what is above or below it. */
  around(paths: readonly string[]): readonly string[] {
    const ofBoth = ({ record: { rename } }: Cut): string[] => [pathOfKey(rename.from), pathOfKey(rename.to)];
    const isAround = (end: string): boolean =>
      paths.some((path) => isWithin(path, end) || isWithin(end, path));
    return [...this.#cuts].filter(([, cut]) => ofBoth(cut).some(isAround)).map(([id]) => id);
  }

  /** Finishes `ids` now. Rejects with why one is not finished, when that is the service's or the local disk's and may pass. */
  async finishNow(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      // A try that began before may have met what is over by now.
      await this.#underWay.get(id);
      await this.#now(id);
      const failure = this.#failures.get(id);
      if (failure !== undefined && isPassing(failure.error) && !(failure.error instanceof FsError))
        throw failure.error;
    }
  }

  /** The paths of those that are not finished, and why, where one has failed. */
  get left(): readonly { readonly from: string; readonly reason: string | undefined }[] {
    return [...this.#cuts.values()].map(({ record: { rename } }) => {
      const failure = this.#failures.get(rename.id);
      const reason = failure === undefined ? undefined : reasonOf(failure.error);
      return { from: pathOfKey(rename.from), reason };
    });
  }

  /** Undefined while it goes on. */
  failureOf({ id }: RenameRecord): RenameFailure | undefined {
    return this.#failures.get(id);
  }

  /** A person wants it finished now. Rejects with why it is not. */
  async retry(id: string): Promise<null> {
    const { journal } = this.#parts;
    const isOver = (): boolean => !journal.underWay.some((rename) => rename.id === id);
    // It has ended since it was listed.
    if (isOver()) return null;
    // A program's own.
    if (!this.#cuts.has(id)) throw new Error('it goes on by itself');
    await this.#now(id);
    const failure = this.#failures.get(id);
    if (failure !== undefined) throw failure.error;
    if (!isOver()) throw new Error('the next mount goes on with it');
    return null;
  }

  /**
   * One more try of what waits for one, but what earlier processes left is for the next mount. Resolves when nothing is under way, and nothing begins any
   * more.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#steps.stop();
    for (const id of [...this.#timers.keys()]) void this.#now(id);
    await Promise.all(this.#underWay.values());
  }

  /** Resolves when there is nothing to be done of it, or has failed. */
  async #now(id: string): Promise<void> {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    const cut = this.#cuts.get(id);
    if (cut !== undefined) await (this.#underWay.get(id) ?? this.#begin(cut));
  }

  #begin(cut: Cut): Promise<void> {
    const { id } = cut.record.rename;
    this.#cuts.set(id, cut);
    const before = this.#failures.get(id);
    this.#failures.delete(id);
    const work = this.#finish(cut, before).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, work);
    return work;
  }

  /** Never rejects. */
  async #finish(cut: Cut, before: RenameFailure | undefined): Promise<void> {
    const { log, claims } = this.#mount;
    const { record } = cut;
    const { id } = record.rename;
    const [from, to] = [pathOfKey(record.rename.from), pathOfKey(record.rename.to)];
    let left: readonly OpenFile[] = [];
    try {
      await claims.run([from, to], async () => {
        let isOver = true;
        try {
          await cut.finish();
          await record.end();
          this.#cuts.delete(id);
        } catch (error) {
          isOver = !isPassing(error);
          throw error;
        } finally {
          if (isOver) left = this.#parts.holds.release(id);
        }
      });
      log.info('a rename that was cut is finished', { from, to });
    } catch (error) {
      if (error instanceof Stopped) {
        if (before !== undefined) this.#failures.set(id, before);
        return;
      }
      this.#failures.set(id, { error, attempts: (before?.attempts ?? 0) + 1 });
      log.error('a rename that was cut could not be finished yet', { from, to, cause: describeError(error) });
      if (isPassing(error)) this.#schedule(cut);
    }
    const waiting = left.filter(({ dirty, detached }) => dirty && !detached);
    await sendLeftovers(this.#mount, this.#parts.uploading, waiting);
  }

  #schedule(cut: Cut): void {
    if (this.#stopped) return;
    const { id } = cut.record.rename;
    const cancel = this.#mount.clock.after(TRY_AGAIN_AFTER, () => {
      this.#timers.delete(id);
      void this.#begin(cut);
    });
    this.#timers.set(id, cancel);
  }
}
