/** Which changes does a person mean by `notes.txt`, `/home/me/photos/notes.txt` or `3f2a91c0`? */
import { resolve, sep } from 'node:path';
import { idInAll } from '../../filesystem/all-buckets/unsent-of-all.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import type { UnsentPlace } from './unsent-places.ts';
import { shortId } from './unsent-table.ts';

/** Of an identifier, to be taken for one. */
const LEAST_LETTERS = 4;

export interface Selected {
  readonly place: UnsentPlace;
  readonly changes: readonly UnsentChange[];
}

/**
 * By place. Rejects with a `CommandError` when a single word means nothing, or things in several places: what is discarded is gone, and
 * who misspells one name may mean other changes by the rest, too.
 */
export function selectChanges(words: readonly string[], places: readonly UnsentPlace[]): readonly Selected[] {
  const selected = new Map<UnsentPlace, Set<UnsentChange>>();
  for (const word of words) {
    const { place, changes } = meantBy(word, places);
    const known = selected.get(place) ?? new Set();
    for (const change of changes) known.add(change);
    selected.set(place, known);
  }
  return [...selected].map(([place, changes]) => ({ place, changes: [...changes] }));
}

/**
 * What stands before the paths of a place, as in a mount of all buckets, whose paths have that already: its bucket; null: nothing, since
 * all that is chosen is of one bucket.
 */
export function bucketBefore(chosen: readonly Selected[]): (place: UnsentPlace) => string | null {
  const buckets = new Set(
    chosen.filter(({ changes }) => changes.length > 0).map(({ place }) => place.bucket),
  );
  return ({ bucket }) => (buckets.size > 1 ? bucket : null);
}

/** The same where a person reads the paths: of a place whose bucket nobody knows they have none, and it makes no difference for the others. */
export function bucketShown(chosen: readonly Selected[]): (place: UnsentPlace) => string | null {
  return bucketBefore(chosen.filter(({ place }) => place.bucket !== null || place.owner.kind === 'mount'));
}

/** `bucket`: as `bucketBefore` says it. */
export function pathInBucket<Path extends string | null>(path: Path, bucket: string | null): Path | string {
  return path === null || bucket === null ? path : `/${bucket}${path}`;
}

/** Whoever retries what mounts of a bucket have left takes over all of it, whichever directory it names. */
export function onceForEachBucket(chosen: readonly Selected[]): readonly Selected[] {
  const joined = new Map<unknown, Selected>();
  for (const { place, changes } of chosen) {
    if (changes.length === 0) continue;
    const { owner } = place;
    const isJoined = owner.kind === 'left' && !owner.directory.isOwned;
    const key = isJoined ? owner.directory.bucketHome : place;
    const known = joined.get(key);
    joined.set(key, { place: known?.place ?? place, changes: [...(known?.changes ?? []), ...changes] });
  }
  return [...joined.values()];
}

function meantBy(word: string, places: readonly UnsentPlace[]): Selected {
  // Once a word and not for each change: thousands may be named, of thousands.
  const named = places.map((place) => ({ place, inMount: pathIn(place.mountpoint, word) }));
  // Whoever stands in a mount, or names a path in it, does not mean another one's file of that name.
  const isInOne = named.some(({ inMount }) => inMount !== null);
  const found = named
    .map(({ place, inMount }) => ({ place, changes: meantIn(place, word, { inMount, isInOne }) }))
    .filter(({ changes }) => changes.length > 0);
  const [first, second] = found;
  if (first === undefined) {
    throw new CommandError(
      exitCodes.failed,
      `nothing that waits here is called ${word}: nothing is done; "pailfs uploads" lists what waits`,
    );
  }
  const meant = found.flatMap(({ changes }) => changes);
  const isById = meant.some(({ id }) => id.startsWith(word));
  if (second !== undefined || (isById && meant.length > 1)) {
    throw new CommandError(
      exitCodes.failed,
      `${word} may be one of ${meant.map(shortId).join(', ')}: nothing is done; name it by more of its ID, or choose a mount with --mount`,
    );
  }
  return first;
}

/** One whose whole identifier that is, though others may begin with it: `delete-1`, `delete-12`. */
function meantIn(
  { changes, bucket, owner }: UnsentPlace,
  word: string,
  { inMount, isInOne }: { readonly inMount: string | null; readonly isInOne: boolean },
): readonly UnsentChange[] {
  const inAll = owner.kind === 'left' ? owner.directory.about?.bucket : undefined;
  // The second is what the mount called it that has left it, if that showed all buckets.
  const exact = changes.filter(
    ({ id }) => id === word || (inAll !== undefined && idInAll(id, inAll) === word),
  );
  if (exact.length > 0) return exact;
  if (isInOne && inMount === null) return changes.filter(({ id }) => isBeginningOf(id, word));
  // What stands under that name where the person does is meant, and no other that is called so from the top of the mount.
  const isHere = inMount !== null && changes.some(({ path }) => path === inMount);
  const paths = isHere ? [inMount] : [word, `/${word}`];
  const meant = changes.filter(
    ({ id, path }) => isBeginningOf(id, word) || (path !== null && paths.includes(path)),
  );
  if (meant.length > 0 || bucket === null || owner.kind === 'mount') return meant;
  // As such a mount called the path.
  const top = word.startsWith('/') ? `/${bucket}` : bucket;
  return word.startsWith(`${top}/`) ? changes.filter(({ path }) => path === word.slice(top.length)) : [];
}

/** Of what `word` is on this machine, the path in the mount; null: it is not in it, or nothing is mounted. */
function pathIn(mountpoint: string | null, word: string): string | null {
  if (mountpoint === null) return null;
  const top = resolve(mountpoint);
  const path = resolve(word);
  const start = top === sep ? '' : top;
  return path.startsWith(`${start}${sep}`) ? path.slice(start.length) : null;
}

function isBeginningOf(id: string, word: string): boolean {
  return word.length >= LEAST_LETTERS && id.startsWith(word);
}
