/** What is in the state directories that mounts have left? What cannot be read keeps nobody from the rest. */
import type { Clock } from '../../base/clock.ts';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { DatabaseTooNew } from '../../content/journal/open-or-move-aside.ts';
import { CopyNotMade } from '../../content/left-behind.ts';
import { lookIntoLeft, type LeftChanges } from '../../filesystem/left-behind/changes-left.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { LeftDirectory, UnreadablePlace } from './left-directories.ts';

export interface LookedInto {
  readonly directory: LeftDirectory;
  readonly changes: readonly UnsentChange[];
}

export interface LeftInDirectories {
  readonly seen: readonly LookedInto[];
  readonly unreadable: readonly UnreadablePlace[];
}

/** Changes nothing there. */
export async function lookIntoEach(
  directories: readonly LeftDirectory[],
  clock: Clock,
): Promise<LeftInDirectories> {
  const found: { readonly directory: LeftDirectory; readonly left: LeftChanges }[] = [];
  const unreadable: UnreadablePlace[] = [];
  for (const directory of directories) {
    const { path } = directory;
    try {
      found.push({ directory, left: await lookIntoLeft(path, clock) });
    } catch (error) {
      if (!isForeseen(error)) throw error;
      unreadable.push({ path, error });
    }
  }
  const absorbed = new Set(found.flatMap(({ left }) => [...left.absorbed]));
  // All of it is in another directory, too, under the same identifiers; or was, and is stored.
  const seen = found.map(({ directory, left }) => {
    const changes = directory.isOwned ? ofWhoLives(left) : left.changes;
    return { directory, changes: absorbed.has(left.journal) ? [] : changes };
  });
  return { seen, unreadable };
}

/** What is recorded is read as if its process had ended; what that has in hand it has not set aside. */
function ofWhoLives({ changes, inHand }: LeftChanges): readonly UnsentChange[] {
  return changes.map((change) =>
    inHand.has(change.id) ? { ...change, state: 'open', reason: null } : change,
  );
}

/** A line for a person. */
export function unreadableLine({ path, error }: UnreadablePlace): string {
  return `a mount may have left bytes in ${path}, which cannot be looked into (${inWords(error, path)}): ${remedyOf(error)}`;
}

function remedyOf(error: unknown): string {
  if (error instanceof DatabaseTooNew) return 'ask with that one';
  if (error instanceof CopyNotMade) return 'free some space there, or choose another with TMPDIR';
  return 'see whose it is, and ask as that user';
}

function isForeseen(error: unknown): boolean {
  return systemErrorCode(error) !== undefined || error instanceof DatabaseTooNew;
}
