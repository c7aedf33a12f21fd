/**
 * How are rows written that nobody waits for? Together, a moment later: unpacking an archive sets those of its folder with every file,
 * and a commit of each costs as much as a request of the kernel.
 */
import type { Clock } from '../../base/clock.ts';
import type { RowChange, RowDatabase } from './row-database.ts';

/** A kill loses what was set for so long, milliseconds. */
const GATHER_FOR = 100;

/** Of one row only the last change counts. */
export class GatheredRows {
  readonly #rows: RowDatabase;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #failed: (error: unknown) => void;

  #changes = new Map<string, RowChange>();
  #stopWaiting: (() => void) | undefined;
  /** The last commit asked for. */
  #written: Promise<void> = Promise.resolve();

  /** `failed` hears of a commit that could not be made: once for all that it was to make. */
  constructor(rows: RowDatabase, clock: Pick<Clock, 'after'>, failed: (error: unknown) => void) {
    this.#rows = rows;
    this.#clock = clock;
    this.#failed = failed;
  }

  set(change: RowChange): void {
    this.#changes.set(change.key, change);
    this.#stopWaiting ??= this.#clock.after(GATHER_FOR, () => {
      void this.written();
    });
  }

  /** Resolves when what was set before can be read, or never will be. */
  async written(): Promise<void> {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    if (this.#changes.size > 0) {
      const changes = [...this.#changes.values()];
      this.#changes = new Map();
      const written = this.#rows.commit(changes, 'written');
      // One commit serves many, and fails once.
      if (written !== this.#written) written.catch(this.#failed);
      this.#written = written;
    }
    await this.#written.catch(() => undefined);
  }
}
