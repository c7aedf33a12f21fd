/**
 * What is fetched before a program asks, because it reads one small file of a folder after another?
 *
 * Each of them would cost the way to the service and back; side by side they cost it once for many. What the run will open next
 * sibling-runs.ts guesses; here it is fetched, as far as there is memory, and let go of when the guess was wrong or nobody came.
 */
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Names } from '../../namespace/names.ts';
import { childOf, keyOfPath, nameOf, parentOf } from '../../store/keys.ts';
import type { Version } from '../../store/version.ts';
import { FirstReads, isSmall } from './first-reads.ts';
import type { MountState } from '../mount-state.ts';
import { SiblingRuns, type SiblingRun } from './sibling-runs.ts';

/** Of all GETs of a mount there are sixteen at a time: some are left for programs that wait. */
const MOST_AT_ONCE = 12;
/** Bytes ahead for each file that a run has opened: who looks at three files has little fetched in vain. */
const BYTES_PER_OPEN = 128 * 1024;
/** Bytes ahead of one run. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Names of folders whose order is remembered, in all; a folder with more is not guessed at. */
const MOST_NAMES = 100_000;
/** So many names take as much memory as a folder with hardly any. */
const NAMES_OF_FOLDER = 30;
/** Milliseconds after which nobody is expected any more. */
const PATIENCE = 10_000;

interface Folder {
  /** The listing that the order is of. */
  readonly names: Names;
  readonly runs: SiblingRuns;
}

interface Held {
  readonly run: SiblingRun;
  readonly version: Version;
}

/** The guesses of one mount. */
export class SiblingReads {
  readonly #mount: MountState;
  /** Also of files that nobody guessed. */
  readonly firstReads: FirstReads;
  readonly #limit = pLimit(MOST_AT_ONCE);
  readonly #folders = new LRUCache<string, Folder>({
    maxSize: MOST_NAMES,
    sizeCalculation: ({ names }) => names.size + NAMES_OF_FOLDER,
  });
  /** By path: what was fetched and not opened yet. */
  readonly #held = new Map<string, Held>();
  /** Of the last run that reached the end of its folder: a walk goes on in another folder. */
  #walkWindow: number | null = null;
  #isWatching = false;
  #isStopped = false;

  constructor(mount: MountState) {
    this.#mount = mount;
    this.firstReads = new FirstReads(mount);
  }

  /** A program has opened `path` to read it, and holds its reader. */
  opened(path: string): void {
    // Where nothing is trusted, each open asks for itself.
    if (this.#isStopped || this.#mount.settings.metadataTtl === 0) return;
    const wasFetched = this.#held.has(path);
    this.#letGo(path);
    const run = this.#runsIn(parentOf(path))?.opened(nameOf(path), wasFetched, this.#walkWindow) ?? null;
    if (run === null) return;
    run.use(this.#mount.clock.monotonic());
    if (run.isLost) this.#giveUp(run);
    else if (run.isAtEnd) this.#walkWindow = run.window === 0 ? null : run.window;
    else if (run.isInOrder) this.#fetchAhead(parentOf(path), run);
  }

  /** Fetches nothing any more, and lets go of everything. */
  stop(): void {
    this.#isStopped = true;
    for (const path of [...this.#held.keys()]) this.#letGo(path);
  }

  #runsIn(path: string): SiblingRuns | null {
    const folder = this.#mount.namespace.known.folder(path);
    if (folder?.listed == null || folder.names.size > MOST_NAMES - NAMES_OF_FOLDER) return null;
    const before = this.#folders.get(path);
    if (before?.names === folder.names) return before.runs;
    const names: string[] = [];
    for (const [name, entry] of folder.names) {
      // Programs that copy do not open files without bytes.
      if (entry.kind === 'file' && entry.version.size > 0) names.push(name);
    }
    const runs = new SiblingRuns(names);
    if (before !== undefined) runs.continuing(before.runs);
    this.#folders.set(path, { names: folder.names, runs });
    return runs;
  }

  #fetchAhead(folder: string, run: SiblingRun): void {
    const { namespace, settings } = this.#mount;
    const { known } = namespace;
    const { names } = run.order;
    const most = Math.min(MOST_BYTES, run.opens * BYTES_PER_OPEN);
    // What is opened later than that has to be confirmed: it would cost a request more.
    const until = Math.min(names.length, run.next + run.within(settings.metadataTtl / 2));
    let bytes = 0;
    for (let place = run.next; place < until; place += 1) {
      const path = childOf(folder, names[place] ?? '');
      const entry = known.recall(path);
      const isFetchable =
        entry?.kind === 'file' && isSmall(entry.version) && this.#mount.table.get(path) === undefined;
      if (!isFetchable) continue;
      bytes += entry.version.size;
      if (bytes > most) return;
      if (this.#held.has(path)) continue;
      run.fetched += 1;
      this.#fetch(path, { run, version: entry.version });
    }
  }

  #fetch(path: string, held: Held): void {
    const { version } = held;
    const reader = this.#mount.content.acquireReader(keyOfPath(path), version);
    this.#held.set(path, held);
    void this.#limit(async () => {
      if (this.#held.get(path) !== held || (await this.firstReads.fetch({ path, version, reader }))) return;
      // What the service refuses, or has no time for, would be asked for twice.
      held.run.window = 0;
      this.#giveUp(held.run);
    });
    this.#watch();
  }

  #giveUp(run: SiblingRun): void {
    for (const [path, held] of this.#held) if (held.run === run) this.#letGo(path);
  }

  #letGo(path: string): void {
    const held = this.#held.get(path);
    if (held === undefined) return;
    this.#held.delete(path);
    this.#mount.content.releaseReader(held.version);
  }

  /** A program that does not come any more must not keep memory. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { clock } = this.#mount;
    clock.after(PATIENCE, () => {
      this.#isWatching = false;
      for (const [path, { run }] of this.#held) {
        if (clock.monotonic() - run.usedAt >= PATIENCE) this.#letGo(path);
      }
      if (this.#held.size > 0) this.#watch();
    });
  }
}
