/**
 * Is a file that libfuse hides about to be deleted, or to be replaced by a rename?
 *
 * libfuse 2.9 hides an open file (`x` becomes `.fuse_hidden…`) for an unlink as for a rename over it, and says not which. Deleting
 * it at once would be wrong for the rename: the old object would be gone before the new one is there. But a rename shows: the
 * kernel has just looked up another file, its source, and the same thread asks for the rename next. So when another file was
 * looked up just before, the deletion waits a moment for that rename; else it happens at once, and its error is heard.
 */
import type { Clock } from '../../base/clock.ts';

/** What a lookup found, as far as it matters here. */
interface Lookup {
  readonly path: string;
  readonly started: number;
  readonly ended: number;
}

interface Postponed {
  readonly path: string;
  readonly thread: Buffer;
  readonly done: Promise<void>;
  /** Deletes the file (once). */
  commit(): void;
  /** Leaves it: the rename takes care. */
  cancel(): void;
}

/** Lookups of source and target follow each other within one system call. */
const LOOKUP_WINDOW_MS = 50;
const LOOKUPS_REMEMBERED = 64;
/** The rename follows within a fraction of this, also on a busy machine: its thread has only to come to its turn. */
const RENAME_WAIT_MS = 100;

export class Replacements {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;

  #lookups: Lookup[] = [];
  readonly #postponed = new Set<Postponed>();

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>) {
    this.#clock = clock;
  }

  /** Runs a lookup of `path` by name, and remembers it if it finds a file. */
  async lookUp<Found extends { readonly kind: 'file' | 'folder' }>(
    path: string,
    find: () => Promise<Found>,
  ): Promise<Found> {
    const started = this.#clock.monotonic();
    const found = await find();
    if (found.kind === 'file') {
      this.#lookups.push({ path, started, ended: this.#clock.monotonic() });
      if (this.#lookups.length > LOOKUPS_REMEMBERED) this.#lookups.shift();
    }
    return found;
  }

  /** `path` is no file any more, so it cannot be the source of a rename. */
  forget(path: string): void {
    this.#lookups = this.#lookups.filter((lookup) => lookup.path !== path);
  }

  /** Whether somebody may be renaming another file to `path` right now. */
  isLikely(path: string): boolean {
    const target = this.#lookups.findLast((lookup) => lookup.path === path);
    const began = target?.started ?? this.#clock.monotonic();
    return this.#lookups.some((lookup) => lookup.path !== path && lookup.ended >= began - LOOKUP_WINDOW_MS);
  }

  /** Calls `remove` soon, unless `thread` asks before for a rename to `path`. */
  postpone(path: string, thread: Buffer, remove: () => Promise<void>): void {
    let decide: (isDeletion: boolean) => void = () => undefined;
    const decision = new Promise<boolean>((resolve) => {
      decide = resolve;
    });
    // A request that has already arrived is handled before an immediate, but maybe not before a late timer.
    const stop = this.#clock.after(RENAME_WAIT_MS, () => setImmediate(decide, true));
    const done = decision.then(async (isDeletion) => {
      stop();
      if (isDeletion) await remove();
      this.#postponed.delete(entry);
    });
    const entry: Postponed = {
      path,
      thread,
      done,
      commit: () => {
        decide(true);
      },
      cancel: () => {
        this.#postponed.delete(entry);
        decide(false);
      },
    };
    this.#postponed.add(entry);
  }

  /** Deletes what waits: no rename can follow any more. */
  async settle(): Promise<void> {
    const left = [...this.#postponed];
    for (const entry of left) entry.commit();
    await Promise.all(left.map(({ done }) => done));
  }

  /** Before every request: what it has to wait for, if anything. `paths` are the names it is about. */
  before(thread: Buffer, operation: string, paths: readonly string[]): Promise<unknown> | undefined {
    if (this.#postponed.size === 0) return undefined;
    for (const entry of this.#postponed) {
      if (entry.thread !== thread) continue;
      if (operation === 'rename' && paths[1] === entry.path) entry.cancel();
      else entry.commit();
    }
    const concerned = [...this.#postponed].filter((entry) =>
      paths.some((path) => concerns(path, operation, entry)),
    );
    return concerned.length === 0 ? undefined : Promise.all(concerned.map(({ done }) => done));
  }
}

/** Whether the answer about `path` depends on whether the postponed file is still there. */
function concerns(path: string, operation: string, entry: Postponed): boolean {
  if (path === entry.path) return true;
  return operation !== 'getattr' && entry.path.startsWith(path === '/' ? '/' : `${path}/`);
}
