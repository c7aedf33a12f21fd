/**
 * How is what dead mounts left stored without mounting? As a mount would store it, only that no program can look in, and that it gives
 * way to what others have stored since (reviving.ts).
 */
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { inWords } from '../../base/errors.ts';
import type { UnsentChange, UnsentState } from '../../filesystem/unsent/unsent-change.ts';
import type { ChangeOutcome, Unsent } from '../../filesystem/unsent/unsent-changes.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { damageLog } from '../logging/damage-log.ts';
import { lookIntoEach, type LookedInto } from '../state/left-changes.ts';
import { belongsTo, inOtherHands, leftDirectoriesIn, type LeftDirectory } from '../state/left-directories.ts';
import { sayToPerson } from '../screen/report.ts';
import { closeBackwards, openBucket, type Start } from '../serving/open-bucket.ts';
import type { MountSettings } from '../settings/settings.ts';
import { noteRetry } from '../state/retry-notes.ts';
import { ABOUT, type StateDirectory } from '../state/state-directory.ts';
import type { UnsentPlace } from './unsent-places.ts';

/** Of uploads that nobody has to ask for in a mount. */
const WAITING: ReadonlySet<UnsentState> = new Set(['queued', 'end unknown', 'failed']);

export interface LeftWish {
  readonly directory: LeftDirectory;
  /** What is in all directories of its bucket that nobody has: whoever starts takes all of it, and what is gone is forgotten then. */
  readonly left: readonly LookedInto[];
  /** What of that a person wants stored; null: all but half files. */
  readonly wanted: readonly UnsentChange[] | null;
  /** Of the service that has the base URL. Rejects with a usage error where they do not do for it. */
  readonly settingsFor: (baseUrl: string) => Promise<MountSettings>;
}

type NamedChange = Pick<UnsentChange, 'id' | 'kind' | 'path'>;

interface Left {
  readonly change: UnsentChange;
  /** By another process. */
  readonly isOwned: boolean;
}

/** What is in the directories of the bucket of `directory` that nobody has; in `directory` at least. */
export function leftBeside(directory: LeftDirectory, places: readonly UnsentPlace[]): readonly LookedInto[] {
  return places.flatMap(({ owner, changes }) => {
    if (owner.kind !== 'left') return [];
    const { bucketHome, isOwned } = owner.directory;
    const isBeside = bucketHome === directory.bucketHome && !isOwned;
    return isBeside || owner.directory === directory ? [{ directory: owner.directory, changes }] : [];
  });
}

/** Rejects with a `CommandError` when the service or the settings are not those that are needed. */
export async function retryLeft(wish: LeftWish, clock: Clock): Promise<readonly ChangeOutcome[]> {
  const { directory, wanted } = wish;
  const { about } = directory;
  if (about === null) {
    throw new CommandError(
      exitCodes.failed,
      `for which bucket what waits in ${directory.path} was written is not known, because ${join(directory.bucketHome, ABOUT)} is missing or damaged: mount the bucket as before, which stores it`,
    );
  }
  const settings = { ...(await wish.settingsFor(about.baseUrl)), readOnly: false };
  if (!belongsTo(directory, settings.accessKeyId)) {
    throw new CommandError(
      exitCodes.failed,
      `what waits in ${directory.path} was written with other credentials, or for another service: use the same settings as that mount (--profile, PAILFS_ACCESS_KEY_ID); where they do not hold any more, "pailfs uploads export" copies the bytes`,
    );
  }
  if (directory.isOwned) throw inOtherHands(directory);
  const start: Start = { closers: [], warnings: [] };
  let outcomes: readonly ChangeOutcome[];
  try {
    const opened = await openBucket(
      about.bucket,
      { ...settings, stateDir: dirname(directory.bucketHome) },
      { clock, log: damageLog, leftovers: 'when asked' },
      start,
    );
    // Before the release, after the end of the file system, which stores to the last.
    start.closers.splice(-1, 0, await noted(opened.state));
    outcomes = await retryIn(opened.fileSystem.unsent, wanted);
  } finally {
    await closeBackwards(start.closers, silentLog);
  }
  return whatBecameOf(wish, outcomes, await stillLeft(wish, clock));
}

/** As `noteRetry`; never rejects: room on that disk may be what the retry is to make. */
async function noted(state: StateDirectory): Promise<() => Promise<void>> {
  try {
    return await noteRetry(state);
  } catch (error) {
    sayToPerson(`other commands cannot be told of this retry: ${inWords(error)}`);
    return () => Promise.resolve();
  }
}

async function retryIn(
  unsent: Unsent,
  wanted: readonly UnsentChange[] | null,
): Promise<readonly ChangeOutcome[]> {
  const retryThose = async (isMeant: (change: UnsentChange) => boolean): Promise<readonly ChangeOutcome[]> =>
    unsent.retry((await unsent.list()).filter(isMeant).map(({ id }) => id));
  if (wanted !== null)
    return retryThose((change) => wanted.some((one) => isSame(one, change)) || isForMount(change));
  // Renames go on by themselves, but not beyond the end of this process. Nor may the rest wait for them: of what has gone up by itself nobody
  // tells under which name.
  const outcomes = await Promise.all([unsent.retry(null), retryThose(({ kind }) => kind === 'rename')]);
  return outcomes.flat();
}

/** What a mount would store without being asked. */
function isForMount({ kind, state }: UnsentChange): boolean {
  return kind === 'link' || (kind === 'upload' && WAITING.has(state));
}

/** What was in one may be in another now: a mount takes over what others left. */
async function stillLeft({ directory, left: before }: LeftWish, clock: Clock): Promise<readonly Left[]> {
  const { seen, unreadable } = await lookIntoEach(await leftDirectoriesIn(directory.bucketHome), clock);
  // What cannot be read any more may be there still.
  const unread = unreadable.flatMap(({ path, error }) =>
    before
      .filter((one) => one.directory.path === path)
      .flatMap(({ changes }) => changes.map((change) => ({ ...change, reason: inWords(error) }))),
  );
  return [
    ...seen.flatMap(({ changes, directory: { isOwned } }) => changes.map((change) => ({ change, isOwned }))),
    ...unread.map((change) => ({ change, isOwned: false })),
  ];
}

/** A mount stores by itself, too: what is neither an outcome nor left is stored. */
function whatBecameOf(
  { left: before, wanted }: LeftWish,
  outcomes: readonly ChangeOutcome[],
  left: readonly Left[],
): readonly ChangeOutcome[] {
  return before
    .flatMap(({ changes }) => changes)
    .filter(
      // What is gone is forgotten by that, asked for or not.
      (change) => change.state === 'gone' || (wanted?.includes(change) ?? change.kind !== 'scratch'),
    )
    .map((change) => {
      const { id, kind, path, state } = change;
      if (state === 'gone') return { id, kind, path, isDone: false, storedAs: null, reason: change.reason };
      const known = outcomes.find((outcome) => isSame(outcome, change));
      if (known !== undefined) return { ...known, id };
      const after = left.find((other) => isSame(other.change, change));
      const reason = after === undefined ? null : whyLeft(after);
      return { id, kind, path, isDone: after === undefined, storedAs: null, reason };
    });
}

/** What is recorded of one that somebody else has is of some time before that. */
function whyLeft({ change, isOwned }: Left): string {
  if (isOwned) return 'another process has it now, and stores it: see pailfs uploads';
  return change.reason ?? 'it still waits';
}

/** Who takes over what others left numbers their deletions anew. */
function isSame(one: NamedChange, other: NamedChange): boolean {
  return one.kind === 'delete' ? other.kind === 'delete' && one.path === other.path : one.id === other.id;
}
