/** What does the log say of what was not stored when a mount ended? */
import type { UnsentDraft } from '../../filesystem/open-file-system.ts';

/** The rest `pailfs uploads` lists: a line of megabytes is read by nobody, and taken by no journal. */
const MOST_NAMED = 100;

export interface UnsentLine {
  /** How many. */
  readonly all: number;
  /** The first of them. */
  readonly files: readonly UnsentDraft[];
}

/** One line for all: of many lines of a kind the log would leave most out. */
export function unsentLine(unsent: readonly UnsentDraft[]): UnsentLine {
  return { all: unsent.length, files: unsent.slice(0, MOST_NAMED) };
}
