/**
 * What becomes of a rename that the end of the process cut in two? It is finished, step by step (resumed-steps.ts), and again when that
 * fails.
 *
 * It goes on in the background, so that a mount is ready also when there are thousands of files; its paths are claimed, so that
 * changes of them wait.
 */
import { describeError } from '../../base/errors.ts';
import type { RenameUnderWay } from '../../content/journal/journal-contents.ts';
import type { RenameRecord } from '../../content/journal/records.ts';
import { pathOfKey } from '../../store/keys.ts';
import { isPassing } from '../errno-of.ts';
import type { FolderMovingParts } from './folder-moving.ts';
import { sendLeftovers } from '../left-behind/leftovers.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { RenameHolds } from './rename-holds.ts';
import { ResumedSteps, Stopped } from './resumed-steps.ts';

/** After a failure that may pass, milliseconds. */
const TRY_AGAIN_AFTER = 30_000;

/** Why a rename is not finished, after so many tries. */
export interface RenameFailure {
  readonly error: unknown;
  readonly attempts: number;
}

export interface ResumingParts extends FolderMovingParts {
  readonly holds: RenameHolds;
}

/** The renames that earlier processes did not end. */
export class Resuming {
  readonly #mount: MountState;
  readonly #parts: ResumingParts;
  readonly #steps: ResumedSteps;
  /** By the identifiers of renames, as what follows. */
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, () => void>();
  readonly #failures = new Map<string, RenameFailure>();
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
    for (const rename of journal.unfinished) void this.#begin(rename);
  }

  /** Undefined while it goes on. */
  failureOf({ id }: RenameRecord): RenameFailure | undefined {
    return this.#failures.get(id);
  }

  /** A person wants it finished now. Rejects with why it is not. */
  async retry(id: string): Promise<null> {
    const { journal } = this.#parts;
    const isOver = (): boolean => !journal.underWay.some((rename) => rename.id === id);
    const found = journal.unfinished.find(({ rename }) => rename.id === id);
    // A program's own.
    if (found === undefined) throw new Error('it goes on by itself');
    // It has ended since it was listed.
    if (isOver()) return null;
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    await (this.#underWay.get(id) ?? this.#begin(found));
    const failure = this.#failures.get(id);
    if (failure !== undefined) throw failure.error;
    if (!isOver()) throw new Error('the next mount goes on with it');
    return null;
  }

  /** Begins nothing any more; what is left is for the next mount. Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#steps.stop();
    for (const cancel of this.#timers.values()) cancel();
    await Promise.all(this.#underWay.values());
  }

  #begin(found: RenameUnderWay): Promise<void> {
    const { id } = found.rename;
    const attempts = (this.#failures.get(id)?.attempts ?? 0) + 1;
    this.#failures.delete(id);
    const work = this.#finish(found, attempts).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, work);
    return work;
  }

  /** Never rejects. */
  async #finish(found: RenameUnderWay, attempts: number): Promise<void> {
    const { log, claims } = this.#mount;
    const { rename } = found;
    const [from, to] = [pathOfKey(rename.from), pathOfKey(rename.to)];
    const record = this.#parts.journal.resumed(found);
    let left: readonly OpenFile[] = [];
    try {
      await claims.run([from, to], async () => {
        let isOver = true;
        try {
          await this.#steps.take(found, record);
          await record.end();
        } catch (error) {
          isOver = !isPassing(error);
          throw error;
        } finally {
          if (isOver) left = this.#parts.holds.release(rename.id);
        }
      });
      log.info('a rename that a crash had cut is finished', { from, to });
    } catch (error) {
      if (error instanceof Stopped) return;
      this.#failures.set(rename.id, { error, attempts });
      log.error('a rename that a crash had cut could not be finished yet', {
        from,
        to,
        cause: describeError(error),
      });
      if (isPassing(error)) this.#later(found);
    }
    const waiting = left.filter(({ dirty, detached }) => dirty && !detached);
    await sendLeftovers(this.#mount, this.#parts.uploading, waiting);
  }

  #later(found: RenameUnderWay): void {
    if (this.#stopped) return;
    const cancel = this.#mount.clock.after(TRY_AGAIN_AFTER, () => {
      this.#timers.delete(found.rename.id);
      void this.#begin(found);
    });
    this.#timers.set(found.rename.id, cancel);
  }
}
