/** What is known of one folder: its whole listing, or single names, or both with different ages. */
import type { Entry, Outcome } from './entries.ts';
import { Names } from './names.ts';
import type { SeenPage, WalkSpan } from './walk.ts';

export interface Listed extends WalkSpan {
  readonly pages: number;
  /** Names of folders, in the order of the pages. */
  readonly folders: readonly string[];
  /** Keys that cannot be shown as names. */
  readonly hidden: number;
  /** False for a folder just made by us: nobody listed it. */
  readonly told: boolean;
}

/** One folder, as far as it is known. */
export class KnownFolder {
  readonly names: Names;
  /** Set while every name that is not in `names` is known to be missing. */
  listed: Listed | null = null;
  /** The walk under way, or the last one. */
  walked: WalkSpan | null = null;
  /** The first page of a longer listing, seen by a probe: a walk goes on from it instead of asking again. */
  firstPage: SeenPage | null = null;

  constructor(names = new Names()) {
    this.names = names;
  }

  /** What is known of `name`, however old; undefined when nothing is. */
  recall(name: string): Entry | undefined {
    return this.names.get(name) ?? this.#unlisted();
  }

  /** As `recall`, for who only looks (names.ts). */
  glance(name: string): Entry | undefined {
    return this.names.peek(name) ?? this.#unlisted();
  }

  /** Whether nothing at all is in the folder, as far as a whole listing and own changes tell; undefined without a listing. */
  isEmpty(): boolean | undefined {
    if (this.names.visible > 0) return false;
    return this.listed === null ? undefined : this.listed.hidden === 0;
  }

  /** An own change of `name`, of which `known` was known, is to be believed as of `confirmedAt`. */
  apply(name: string, outcome: Outcome, known: Entry | undefined, confirmedAt: number): void {
    switch (outcome.kind) {
      case 'file':
        this.names.set(name, { kind: 'file', version: outcome.version, confirmedAt });
        break;
      case 'folder':
        // The file that had the name is left out from now on, and only a listing tells how many are.
        if (known?.kind === 'file') this.listed = null;
        this.names.set(name, { kind: 'folder', confirmedAt, told: false });
        break;
      case 'missing':
        this.names.set(name, { kind: 'missing', confirmedAt });
        break;
      case 'unknown':
        // What it was is remembered, never trusted: if it still is, those who have it open go on undisturbed.
        if (known?.kind === 'file') this.names.set(name, { ...known, confirmedAt: Number.NEGATIVE_INFINITY });
        else this.names.delete(name);
        this.listed = null;
        break;
    }
  }

  #unlisted(): Entry | undefined {
    return this.listed === null ? undefined : { kind: 'missing', confirmedAt: this.listed.since };
  }
}
