/** What does an answer of the service tell of a file, beside what is known of its name? */
import { Version, type VersionFacts } from '../store/version.ts';
import type { Entry, FileEntryKnown } from './entries.ts';
import type { KeptInFolder, KeptOfFolder } from './kept-locals.ts';
import type { Walk } from './walk.ts';

/** The facts of a file, and what is kept of local attributes of its name. */
export interface FileTold extends VersionFacts {
  readonly kept?: KeptInFolder;
}

/** A walk, and what is kept of local attributes of its folder. */
export interface FolderTold extends Walk {
  readonly kept: KeptOfFolder;
}

interface Recollection {
  /** What is known of the name. */
  readonly before: Entry | undefined;
  /** Monotonic milliseconds at which the request left. */
  readonly at: number;
  readonly kept: KeptInFolder | undefined;
}

/** A version that is not the known one is a new one, with what is kept of it from before it was forgotten, or before the mount. */
export function entryOf(
  name: string,
  facts: VersionFacts,
  { before, at, kept }: Recollection,
): FileEntryKnown {
  if (before?.kind === 'file' && before.version.matches(facts)) return { ...before, confirmedAt: at };
  const version = Version.told(facts);
  version.local = kept?.recall(name, facts) ?? {};
  return { kind: 'file', version, confirmedAt: at };
}
