/** What is known of a name? */
import type { Version } from '../store/version.ts';

/** `confirmedAt`: monotonic milliseconds at which the request left whose answer told so last. */
export interface FileEntryKnown {
  readonly kind: 'file';
  readonly version: Version;
  readonly confirmedAt: number;
}

export interface FolderEntryKnown {
  readonly kind: 'folder';
  readonly confirmedAt: number;
  /** Whether the service itself showed it; otherwise only our own change says so. */
  readonly told: boolean;
}

export interface MissingKnown {
  readonly kind: 'missing';
  readonly confirmedAt: number;
  /** Set where only a file is known to be gone, which was there as of then: others may have made a folder of its name since. */
  readonly fileAt?: number;
}

export type Entry = FileEntryKnown | FolderEntryKnown | MissingKnown;

/** As `confirmedAt`: something contradicts what is known, and the next look asks. */
const NEVER = Number.NEGATIVE_INFINITY;

/** As of when `entry` tells of the file and of the folder of its name. Monotonic milliseconds. */
export function asOf(entry: Entry): number {
  const { kind, confirmedAt } = entry;
  return kind === 'missing' ? Math.min(confirmedAt, entry.fileAt ?? confirmedAt) : confirmedAt;
}

/** `entry`, where a listing has told besides that there was a file as of `at`: so there was no folder of its name then. */
export function afterFile(entry: Entry, at: number): Entry {
  if (entry.kind !== 'missing' || entry.fileAt === undefined) return entry;
  return { ...entry, fileAt: Math.max(entry.fileAt, at) };
}

/** What is remembered of `entry`, and believed no more. */
export function doubtful<Known extends Entry>(entry: Known): Known {
  return { ...entry, confirmedAt: NEVER };
}

export function isDoubtful(entry: Entry | undefined): boolean {
  return entry?.confirmedAt === NEVER;
}

/** A name in a folder, and what is to be believed of it. */
export type NamedEntry = readonly [name: string, entry: Entry];

/** Part of a listing, or all of it. */
export interface NamesBatch {
  /** Some may have been in an earlier batch already; the whole folder has each once. */
  readonly names: Iterable<string>;
  /** What is to be believed of one of them at that moment; undefined when only a later batch tells. */
  readonly peek: (name: string) => Entry | undefined;
  /** Set when that is the whole folder, as it was when the batch was given. */
  readonly whole: WholeNames | null;
}

export interface WholeNames {
  /** How many files and folders. */
  readonly count: number;
  /** For how many more milliseconds the folder is believed to hold the same; 0 once it may not. */
  readonly stillFor: () => number;
}

/** What a path leads to; `under-file` when a component on the way is a file. */
export type Found = Entry | { readonly kind: 'under-file' };

/** The outcome of an own change; `unknown` when the service may or may not have done it. */
export type Outcome =
  | { readonly kind: 'file'; readonly version: Version }
  /** `isNew`: its name was free, so it keeps no file from being shown. */
  | { readonly kind: 'folder'; readonly isNew?: boolean }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' };
