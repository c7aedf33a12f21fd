/** How is what dead mounts left stored without mounting? As a mount would store it, only that no program can look in. */
import { dirname } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { changesLeftIn } from '../filesystem/changes-left.ts';
import type { UnsentChange } from '../filesystem/unsent-change.ts';
import type { ChangeOutcome } from '../filesystem/unsent-changes.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { belongsTo, leftDirectoriesIn, type LeftDirectory } from './left-directories.ts';
import { closeBackwards, openBucket, type Start } from './open-bucket.ts';
import type { MountSettings } from './settings.ts';

export interface LeftWish {
  readonly directory: LeftDirectory;
  /** What is in it. */
  readonly changes: readonly UnsentChange[];
  /** What a person wants stored; null: all but half files. */
  readonly ids: readonly string[] | null;
  readonly settings: MountSettings;
}

interface Left {
  readonly change: UnsentChange;
  /** By another process. */
  readonly isOwned: boolean;
}

/** Rejects with a `CommandError` when the service or the settings are not those that are needed. */
export async function retryLeft(wish: LeftWish, clock: Clock): Promise<readonly ChangeOutcome[]> {
  const { directory, settings, ids } = wish;
  if (directory.about === null || !belongsTo(directory, settings.accessKeyId)) {
    throw new CommandError(
      exitCodes.failed,
      `what waits in ${directory.path} was written with other credentials, or for another service: use the same settings as that mount (--profile, PAILFS_ACCESS_KEY_ID)`,
    );
  }
  if (directory.isOwned) {
    throw new CommandError(exitCodes.failed, `another process has ${directory.path}, and does not answer`);
  }
  const start: Start = { closers: [], warnings: [] };
  let outcomes: readonly ChangeOutcome[];
  try {
    const opened = await openBucket(
      directory.about.bucket,
      { ...settings, stateDir: dirname(directory.bucketHome) },
      // Each outcome says what happened to it.
      { clock, log: silentLog },
      start,
    );
    outcomes = await opened.fileSystem.unsent.retry(ids);
  } finally {
    await closeBackwards(start.closers, silentLog);
  }
  const left: Left[] = [];
  // What was in one may be in another now: a mount takes over what others left.
  for (const { path, isOwned } of await leftDirectoriesIn(directory.bucketHome)) {
    const changes = await changesLeftIn(path, clock);
    left.push(...changes.map((change) => ({ change, isOwned })));
  }
  return whatBecameOf(wish, outcomes, left);
}

/** A mount stores by itself, too: what is neither an outcome nor left is stored. */
function whatBecameOf(
  { changes, ids }: LeftWish,
  outcomes: readonly ChangeOutcome[],
  left: readonly Left[],
): readonly ChangeOutcome[] {
  const known = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  return changes
    .filter(
      // What is gone is forgotten by that, asked for or not.
      ({ id, kind, state }) =>
        state === 'gone' || (ids?.includes(id) ?? (kind !== 'rename' && kind !== 'scratch')),
    )
    .map((change) => {
      const { id, kind, path, state } = change;
      if (state === 'gone') return { id, kind, path, isDone: false, storedAs: null, reason: change.reason };
      const after = left.find((other) => isSame(other.change, change));
      const reason = after === undefined ? null : whyLeft(after);
      return known.get(id) ?? { id, kind, path, isDone: after === undefined, storedAs: null, reason };
    });
}

/** What is recorded of one that somebody else has is of some time before that. */
function whyLeft({ change, isOwned }: Left): string {
  if (isOwned) return 'another process has it now, and stores it: see pailfs uploads';
  return change.reason ?? 'it still waits';
}

/** Who takes over what others left numbers their deletions anew. */
function isSame(one: UnsentChange, other: UnsentChange): boolean {
  return one.kind === 'delete' ? other.kind === 'delete' && one.path === other.path : one.id === other.id;
}
