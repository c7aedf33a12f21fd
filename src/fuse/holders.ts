/**
 * Which programs have something of a mount open? As far as can be seen: what may not be read is left out.
 *
 * A look may take for ever. While a process executes another program, newer kernels (seen with 6.18) let nobody look at what it has
 * open before what it closes by that is closed; and if that is a file of ours, it waits for us. A thread of Node's pool waits with it, so
 * looks are made one after the other, and few at once: the others are needed to store that file, or the next one that it closes.
 */
import { readFile, readdir, readlink } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { Clock } from '../base/clock.ts';

export interface Holder {
  readonly pid: number;
  readonly program: string;
}

/** How the system tells of processes: all reject where it does not. */
export interface ProcessFiles {
  readonly list: (folder: string) => Promise<string[]>;
  readonly target: (link: string) => Promise<string>;
  readonly text: (file: string) => Promise<string>;
}

const processFiles: ProcessFiles = {
  list: readdir,
  target: readlink,
  text: (file) => readFile(file, 'utf8'),
};

/** Milliseconds: many times what one look takes, and a program stands still for so long that executes another. */
const LOOK_LIMIT_MS = 250;
/** Of the four threads of Node's pool. */
const LOOKS_AT_ONCE = 2;
/** Milliseconds: somebody waits to hear who is in the way. */
const SEARCH_LIMIT_MS = 3000;

export class Holders {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #files: ProcessFiles;
  readonly #looks = pLimit(LOOKS_AT_ONCE);
  /** Threads of which a look has not come in time, and not since. */
  readonly #stuck = new Set<number>();

  constructor(clock: Pick<Clock, 'after'>, files: ProcessFiles = processFiles) {
    this.#clock = clock;
    this.#files = files;
  }

  /**
   * Programs with a file open, mapped or as their directory at or below `mountpoint`, as many as are found within three seconds;
   * empty where /proc does not exist.
   */
  async find(mountpoint: string): Promise<readonly Holder[]> {
    const found: Holder[] = [];
    const over = new AbortController();
    await this.#within(SEARCH_LIMIT_MS, this.#search(mountpoint, found, over.signal));
    over.abort();
    return found;
  }

  /**
   * Whether a descriptor of a process that one of `threads` belongs to leads to `file`, a path without links. Undefined when one cannot
   * be looked at now, and none before it has the file open.
   */
  async hasOpen(threads: readonly number[], file: string): Promise<boolean | undefined> {
    for (const thread of threads) {
      const folder = `/proc/${String(thread)}/fd`;
      const names = await this.#look(thread, () => this.#listOrNothing(folder));
      if (names === undefined) return undefined;
      for (const name of names) {
        const target = await this.#look(thread, () => this.#targetOrNothing(`${folder}/${name}`));
        if (target === undefined) return undefined;
        if (target === file) return true;
      }
    }
    return false;
  }

  /** As `#within`; of one that is executing a program nobody looks a second time. `look` never rejects. */
  async #look<Result>(thread: number, look: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#stuck.has(thread)) return undefined;
    const looked = this.#looks(look);
    const seen = await this.#within(LOOK_LIMIT_MS, looked);
    if (seen === undefined) {
      this.#stuck.add(thread);
      void looked.finally(() => this.#stuck.delete(thread));
    }
    return seen;
  }

  async #search(mountpoint: string, found: Holder[], over: AbortSignal): Promise<void> {
    for (const name of await this.#listOrNothing('/proc')) {
      if (over.aborted) return;
      if (!/^\d+$/.test(name) || !(await this.#holds(`/proc/${name}`, mountpoint))) continue;
      const program = (await this.#textOrNothing(`/proc/${name}/comm`)).trim();
      found.push({ pid: Number(name), program });
    }
  }

  async #holds(processFolder: string, mountpoint: string): Promise<boolean> {
    const descriptors = await this.#listOrNothing(`${processFolder}/fd`);
    for (const link of ['cwd', 'root', 'exe', ...descriptors.map((name) => `fd/${name}`)]) {
      const target = await this.#targetOrNothing(`${processFolder}/${link}`);
      if (target === mountpoint || target.startsWith(`${mountpoint}/`)) return true;
    }
    // A mapping outlives its descriptor.
    return (await this.#textOrNothing(`${processFolder}/maps`)).includes(` ${mountpoint}/`);
  }

  /** Undefined when it has not come by then. `look` never rejects. */
  async #within<Result>(milliseconds: number, look: Promise<Result>): Promise<Result | undefined> {
    let cancel: () => void = () => undefined;
    const late = new Promise<undefined>((resolve) => {
      // After a turn of the event loop: where that stood still for so long, the answer is there already.
      cancel = this.#clock.after(milliseconds, () => setImmediate(resolve, undefined));
    });
    try {
      return await Promise.race([look, late]);
    } finally {
      cancel();
    }
  }

  // A process may end or belong to somebody else while we look: neither says anything about the mount.
  readonly #listOrNothing = (path: string): Promise<string[]> => this.#files.list(path).catch(() => []);
  readonly #targetOrNothing = (path: string): Promise<string> => this.#files.target(path).catch(() => '');
  readonly #textOrNothing = (path: string): Promise<string> => this.#files.text(path).catch(() => '');
}
