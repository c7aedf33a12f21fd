/**
 * How much does the disk cache hold, and what goes when it is full? What was used longest ago.
 *
 * There is no index but the directory: a look at all of it tells the sum and which files are the oldest. The look is repeated when
 * the oldest ones are gone or when it is old, since other processes fill and empty the same directory; sooner where the one before has
 * shown that they do. What another process adds between two looks is not known: with several mounts the limit holds to that extent.
 */
import { mkdir, opendir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { SharedRun } from '../../base/shared-run.ts';

/** Files remembered as next to go; about 150 bytes each. */
const MOST_CANDIDATES = 50_000;
/** How long what a look has shown is relied on. */
const LOOK_AGE_MS = 5 * 60_000;
/** The part of the limit that is written here, while others write, too, before the next look. */
const SHARE_UNSEEN = 1 / 8;
/** The part of the limit by which what is found may be other than what is known although nobody else writes: files that grow meanwhile. */
const SHARE_UNCLEAR = 1 / 32;
/** Milliseconds by which clocks may differ. */
const CLOCK_SLACK_MS = 24 * 3600_000;
/** It is not there any more, or not for this user. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES']);
/** Making room makes a little more, so that not every block asks for it. */
const SPARE_SHARE = 0.02;

interface Candidate {
  readonly path: string;
  /** Bytes on the disk. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
}

export interface CacheDirectoryParts {
  readonly path: string;
  readonly clock: Clock;
  /** A file of this name was deleted. */
  readonly deleted: (name: string) => void;
}

/** The directory of a disk cache. Every promise rejects with the disk's error. */
export class CacheDirectory {
  readonly path: string;
  readonly #clock: Clock;
  readonly #deleted: (name: string) => void;
  readonly #looks: SharedRun;
  #used = 0;
  /** Bytes that are being written. */
  #reserved = 0;
  /** Oldest last. */
  #candidates: Candidate[] = [];
  #lookedAt = -Infinity;
  /** Bytes that this process has added since the last look. */
  #added = 0;
  #isEnding = false;
  /** Bytes, more or fewer, that the last look has found and nobody here knew of. Until the second look nobody can say. */
  #unknown = Infinity;

  constructor({ path, clock, deleted }: CacheDirectoryParts) {
    this.path = path;
    this.#clock = clock;
    this.#deleted = deleted;
    this.#looks = new SharedRun(() => this.#look());
  }

  /** Bytes, as far as is known, without those that are being written. */
  get used(): number {
    return this.#used;
  }

  /** Makes it when missing, and looks at what is there. */
  async prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await this.#looks.run();
  }

  /** A look that goes on ends now, and finds nothing out; of millions of files it takes minutes. No other comes. */
  endLooks(): void {
    this.#isEnding = true;
  }

  /** The path of a file, in a folder named by the first two digits of its name, so that none becomes huge. */
  pathOf(name: string): string {
    return join(this.path, name.slice(0, 2), name);
  }

  /** Makes the folder of a file anew, in the place of whatever is there. */
  async makeFolderOf(name: string): Promise<void> {
    const folder = dirname(this.pathOf(name));
    const make = () => mkdir(folder, { recursive: true, mode: 0o700 });
    await make().catch(async (error: unknown) => {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
      await rm(folder, { force: true });
      await make();
    });
  }

  /** What `reserve` took is given back: a file has become larger by `grown` bytes. */
  settle(reserved: number, grown: number): void {
    this.#reserved -= reserved;
    this.#used += grown;
    this.#added += grown;
  }

  /** Takes room for `bytes` more below `limit`, for which the oldest files go. False when there is none; else `settle` comes next. */
  async reserve(bytes: number, limit: number): Promise<boolean> {
    this.#reserved += bytes;
    let isThere = false;
    try {
      isThere = await this.shrinkTo(limit);
    } finally {
      if (!isThere) this.#reserved -= bytes;
    }
    return isThere;
  }

  /**
   * Deletes the oldest files until all the others, and what is being written, are no more than `limit` bytes. False when it cannot, and where
   * nobody knows.
   */
  async shrinkTo(limit: number): Promise<boolean> {
    if (this.#isLookOld(limit)) await this.#looks.run();
    if (this.#lookedAt === -Infinity) return false;
    if (this.#used + this.#reserved <= limit) return true;
    const aim = Math.max(0, limit - limit * SPARE_SHARE);
    await this.#deleteUntil(aim);
    if (this.#used + this.#reserved > limit) {
      await this.#looks.run();
      await this.#deleteUntil(aim);
    }
    return this.#used + this.#reserved <= limit;
  }

  #isLookOld(limit: number): boolean {
    if (this.#clock.monotonic() - this.#lookedAt > LOOK_AGE_MS) return true;
    return this.#unknown > limit * SHARE_UNCLEAR && this.#added > limit * SHARE_UNSEEN;
  }

  async #deleteUntil(aim: number): Promise<void> {
    while (this.#used + this.#reserved > aim) {
      const candidate = this.#candidates.pop();
      if (candidate === undefined) return;
      const now = await candidateAt(candidate.path);
      // Gone by another process, or used since: not one of the oldest any more.
      if (now?.usedAt !== candidate.usedAt) continue;
      await rm(candidate.path, { force: true });
      this.#deleted(basename(candidate.path));
      this.#used -= now.size;
    }
  }

  async #look(): Promise<void> {
    const latest = this.#clock.now() + CLOCK_SLACK_MS;
    let used = 0;
    let found: Candidate[] = [];
    for await (const path of filesBelow(this.path)) {
      if (this.#isEnding) return;
      const candidate = await candidateAt(path);
      if (candidate === undefined) continue;
      used += candidate.size;
      found.push(candidate);
      if (found.length > 2 * MOST_CANDIDATES) found = oldest(found, latest);
    }
    this.#candidates = oldest(found, latest);
    if (this.#lookedAt > -Infinity) this.#unknown = Math.abs(used - this.#used);
    this.#used = used;
    this.#added = 0;
    this.#lookedAt = this.#clock.monotonic();
  }
}

/** The oldest last. A file that is from after `latest` is one of them: while a clock was wrong it was used, and would stay for years. */
function oldest(candidates: Candidate[], latest: number): Candidate[] {
  const time = ({ usedAt }: Candidate): number => (usedAt > latest ? 0 : usedAt);
  return candidates.sort((one, other) => time(other) - time(one)).slice(-MOST_CANDIDATES);
}

async function candidateAt(path: string): Promise<Candidate | undefined> {
  try {
    const { blocks, mtimeMs } = await stat(path);
    // As du(1) counts: blocks that are missing in the middle take no room.
    return { path, size: blocks * 512, usedAt: mtimeMs };
  } catch (error) {
    if (GONE.has(systemErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function* filesBelow(directory: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(directory)) {
      const path = join(directory, entry.name);
      if (entry.isFile()) yield path;
      else if (entry.isDirectory()) yield* filesBelow(path);
    }
  } catch (error) {
    // A cache may be deleted at any time.
    if (!GONE.has(systemErrorCode(error) ?? '')) throw error;
  }
}
