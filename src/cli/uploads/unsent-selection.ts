/** Which changes does a person mean by `notes.txt`, `/home/me/photos/notes.txt` or `3f2a91c0`? */
import { resolve } from 'node:path';
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

/** By place. Rejects with a `CommandError` when a word means nothing, or things in several places. */
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
  const found = places
    .map((place) => ({ place, changes: meantIn(place, word) }))
    .filter(({ changes }) => changes.length > 0);
  const [first, second] = found;
  if (first === undefined) {
    throw new CommandError(
      exitCodes.failed,
      `nothing that waits here is called ${word}: "pailfs uploads" lists what does`,
    );
  }
  const meant = found.flatMap(({ changes }) => changes);
  const isById = meant.some(({ id }) => id.startsWith(word));
  if (second !== undefined || (isById && meant.length > 1)) {
    throw new CommandError(
      exitCodes.failed,
      `${word} may be one of ${meant.map(shortId).join(', ')}: name it by more of its ID, or choose a mount with --mount`,
    );
  }
  return first;
}

/** One whose whole identifier that is, though others may begin with it: `delete-1`, `delete-12`. */
function meantIn(place: UnsentPlace, word: string): readonly UnsentChange[] {
  const exact = place.changes.filter(({ id }) => id === word);
  return exact.length > 0 ? exact : place.changes.filter((change) => isMeant(word, change, place));
}

function isMeant(word: string, { id, path }: UnsentChange, { mountpoint }: UnsentPlace): boolean {
  if (word.length >= LEAST_LETTERS && id.startsWith(word)) return true;
  if (path === null) return false;
  const isInMount = mountpoint !== null && resolve(word) === resolve(mountpoint, path.slice(1));
  return isInMount || path === word || path === `/${word}`;
}
