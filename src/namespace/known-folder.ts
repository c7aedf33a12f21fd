/** What is known of one folder: its whole listing, or single names, or both with different ages. */
import { doubtful, isDoubtful, type Entry, type Outcome } from './entries.ts';
import { Names } from './names.ts';
import type { SeenPage, WalkSpan } from './walk.ts';

export interface Listed extends WalkSpan {
  readonly pages: number;
  /** Names of folders, in the order of the pages. */
  readonly folders: readonly string[];
  /** Keys that cannot be shown as names. */
  readonly hidden: number;
  /** Of these, names of which the listing says only that there is a file: they are to be asked for one by one. */
  readonly odd?: ReadonlySet<string>;
  /** False for a folder just made by us: nobody listed it. */
  readonly told: boolean;
}

/** One folder, as far as it is known. */
export class KnownFolder {
  readonly names: Names;
  /** Set while every name that is not in `names` is known to be missing, but for those that are unsure. */
  listed: Listed | null = null;
  /** The walk under way, or the last one. */
  walked: WalkSpan | null = null;
  /** The first page of a longer listing, seen by a probe: a walk goes on from it instead of asking again. */
  firstPage: SeenPage | null = null;
  /** What we did to them has no known end: of these no listing from before tells. Most folders have none, and there may be a hundred thousand. */
  #unsure: Set<string> | null = null;

  constructor(names = new Names()) {
    this.names = names;
  }

  /** When the service was asked for the listing that is known, monotonic milliseconds; before everything else when none is. */
  get listedSince(): number {
    return this.listed?.told === true ? this.listed.since : Number.NEGATIVE_INFINITY;
  }

  /** How many keys cannot be shown as names, as far as is known: an odd name may have been found missing, or removed here, since. */
  get hidden(): number {
    if (this.listed === null) return 0;
    const { hidden, odd = [], since } = this.listed;
    const hasGone = (name: string): boolean => {
      const entry = this.names.peek(name);
      return entry?.kind === 'missing' && entry.confirmedAt > since;
    };
    return hidden - [...odd].filter(hasGone).length;
  }

  /** Whether the listing tells of every name. */
  get isWhole(): boolean {
    return this.isWholeBut();
  }

  /** Whether the listing tells of every name but for some of the `others`. */
  isWholeBut(others: (name: string) => boolean = () => false): boolean {
    if (this.listed === null) return false;
    return [...(this.#unsure ?? [])].every((name) => !this.isUnsure(name) || others(name));
  }

  /** Whether nobody has asked for `name` since a change of it that has no known end. */
  isUnsure(name: string): boolean {
    if (this.#unsure?.has(name) !== true) return false;
    const known = this.names.peek(name);
    if (known !== undefined && !isDoubtful(known)) this.#unsure.delete(name);
    return this.#unsure.has(name);
  }

  /** Every name was told of by a whole listing. */
  becomeListed(listed: Listed): void {
    this.listed = listed;
    this.#unsure = null;
  }

  /** What is known of `name`, however old; undefined when nothing is. */
  recall(name: string): Entry | undefined {
    return this.names.get(name) ?? this.#unlisted(name);
  }

  /** As `recall`, for who only looks (names.ts). */
  glance(name: string): Entry | undefined {
    return this.names.peek(name) ?? this.#unlisted(name);
  }

  /** Whether nothing at all is in the folder, as far as a whole listing and own changes tell; undefined without a listing. */
  isEmpty(): boolean | undefined {
    if (this.names.visible > 0) return false;
    return this.isWhole ? this.hidden === 0 : undefined;
  }

  /** Something contradicts what is known of `name`, which is remembered, and asked for by the next look. */
  doubt(name: string): void {
    const known = this.names.get(name);
    if (known !== undefined) this.names.set(name, doubtful(known));
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
        if (known?.kind === 'file') this.names.set(name, doubtful(known));
        else this.names.delete(name);
        // A folder that may be gone may have hidden a file, which only a listing tells.
        if (known?.kind === 'folder') this.listed = null;
        (this.#unsure ??= new Set()).add(name);
        break;
    }
  }

  /** Whether the listing told that there is a file, and nothing of it. */
  isOdd(name: string): boolean {
    return this.listed?.odd?.has(name) === true;
  }

  #unlisted(name: string): Entry | undefined {
    return this.listed === null || this.isOdd(name) || this.isUnsure(name)
      ? undefined
      : { kind: 'missing', confirmedAt: this.listed.since };
  }
}
