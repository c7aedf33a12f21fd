/** `pailfs uploads`: what the services do not have yet, of running mounts and of those that are gone; and what to do about it. */
import { resolve } from 'node:path';
import prettyBytes from 'pretty-bytes';
import type { Clock } from '../../base/clock.ts';
import { inWords } from '../../base/errors.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { ChangeOutcome } from '../../filesystem/unsent/unsent-changes.ts';
import { isUsableName } from '../../store/keys.ts';
import { agrees } from '../screen/ask-person.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes, usageError } from '../command-error.ts';
import { throwWithWhatWaits } from '../control/control-client.ts';
import { whileInterruptible } from '../direct/interruption.ts';
import { print, printJson } from '../screen/stdout.ts';
import { actOnEach, type PlaceOutcomes } from './each-place.ts';
import { ShownChanges } from './discard-agreed.ts';
import { exportDraft, hasBytes, makeTop } from './export-drafts.ts';
import type { LeftDirectory } from '../state/left-directories.ts';
import { sayStack, sayToPerson } from '../screen/report.ts';
import { leftBeside, retryLeft } from './retry-left.ts';
import type { MountSettings } from '../settings/settings.ts';
import { screenWidth } from '../screen/screen-text.ts';
import { findUnsentPlaces, type FoundPlaces, type PlaceSearch, type UnsentPlace } from './unsent-places.ts';
import {
  bucketBefore,
  bucketShown,
  onceForEachBucket,
  pathInBucket,
  selectChanges,
  type Selected,
} from './unsent-selection.ts';
import { nameOfChange, unsentTable } from './unsent-table.ts';

export interface UploadsWish {
  readonly search: PlaceSearch;
  /** Paths and identifiers; none: all. */
  readonly words: readonly string[];
  readonly json: boolean;
  /** What failed is followed by where in pailfs it comes from. */
  readonly debug: boolean;
}

/** Of a line about one outcome. */
interface Wording {
  readonly failure: (outcome: ChangeOutcome) => string;
  /** `bucket`: what its path begins with, and that of `storedAs` does not; null: nothing. */
  readonly success: (outcome: ChangeOutcome, bucket: string | null) => string;
}

/** What is more than stored, or less. */
const DONE: Partial<Record<ChangeOutcome['kind'], string>> = {
  delete: 'deleted',
  rename: 'renamed',
};

/** What a retry leaves alone. */
const UNDER_WAY = ': what "pailfs uploads" shows is on its way, or open in a program';

const retried: Wording = {
  failure: ({ kind }) => `is not ${DONE[kind] ?? 'stored'}`,
  success: ({ kind, path, storedAs }, bucket) => {
    // One of which nothing was done before the mount died is over, too; and what stays under its old name the log tells.
    if (kind === 'rename') return `ended the rename of ${path ?? '?'}`;
    const done = DONE[kind];
    if (done !== undefined) return `${done} ${path ?? '?'}`;
    const other = pathInBucket(storedAs, bucket);
    return other === null ? `stored ${path ?? '?'}` : `stored ${path ?? '?'} as ${other}`;
  },
};

/** Prints to stdout, as all here do. Rejects with a `CommandError`. */
export async function listUploads({ search, json }: UploadsWish): Promise<ExitCode> {
  const { places, unseen } = await look(search);
  if (json) {
    printJson(places.map(documentOf));
    return exitCodes.done;
  }
  const shown = places.filter(({ changes }) => changes.length > 0);
  if (shown.length === 0) print(unseen.length === 0 ? 'everything is stored' : 'everything else is stored');
  for (const place of shown) {
    print(titleOf(place));
    process.stdout.write(unsentTable(place.changes, screenWidth(), search.clock.now()));
  }
  return exitCodes.done;
}

/** `settingsFor`: of the service that has the base URL; asked only where no mount runs. */
export async function retryUploads(
  wish: UploadsWish,
  settingsFor: (baseUrl: string) => Promise<MountSettings>,
  clock: Clock,
): Promise<ExitCode> {
  const { chosen, found } = await selectedToKeep(wish);
  const retryIn = async ({ place, changes }: Selected): Promise<readonly ChangeOutcome[]> => {
    const wanted = wish.words.length === 0 ? null : changes;
    const { owner } = place;
    if (owner.kind === 'mount') {
      return owner.control.retry(wanted?.map(({ id }) => id) ?? null).catch(throwWithWhatWaits);
    }
    const left = leftBeside(owner.directory, found.places);
    return retryLeft({ directory: owner.directory, left, wanted, settingsFor }, clock);
  };
  // Who reads that there is nothing to do takes it for stored.
  const isUnderWay = chosen.some(({ changes }) => changes.length > 0);
  const untouched = isUnderWay ? UNDER_WAY : undefined;
  return tell(await actOnEach(onceForEachBucket(chosen), retryIn), {
    wish,
    found,
    wording: retried,
    untouched,
  });
}

export async function exportUploads(wish: UploadsWish, directory: string): Promise<ExitCode> {
  const top = resolve(directory);
  const { chosen, found } = await selectedToKeep(wish);
  const meant = chosen
    .map(({ place, changes }) => ({ place, changes: toExport(changes, wish) }))
    .filter(({ changes }) => changes.length > 0);
  const bucketOf = bucketBefore(meant);
  await makeTop(top);
  const wording = { failure: () => 'is not exported', success: saysWhere };
  return whileInterruptible(async (signal) => {
    const places: PlaceOutcomes[] = [];
    for (const { place, changes } of meant) {
      const bucket = bucketOf(place);
      const outcomes: ChangeOutcome[] = [];
      for (const change of changes) {
        if (!signal.aborted) outcomes.push(await exported(change, { bucket, top, signal }));
      }
      places.push({ place, outcomes, bucket });
    }
    return tell(places, { wish, found, wording });
  });
}

interface Export {
  /** As `bucketBefore` says it. */
  readonly bucket: string | null;
  readonly top: string;
  readonly signal: AbortSignal;
}

async function exported(change: UnsentChange, { bucket, top, signal }: Export): Promise<ChangeOutcome> {
  const { id, kind, path } = change;
  const before = bucket !== null && isUsableName(bucket) ? bucket : null;
  try {
    const storedAs = await exportDraft({ ...change, path: pathInBucket(path, before) }, top, signal);
    return { id, kind, path, isDone: true, storedAs, reason: null };
  } catch (error) {
    return { id, kind, path, isDone: false, storedAs: null, reason: inWords(error) };
  }
}

const saysWhere = ({ storedAs }: ChangeOutcome): string => storedAs ?? '';

/** Who names something that has no bytes hears of that, unless something of the same name has some. */
function toExport(changes: readonly UnsentChange[], { words }: UploadsWish): readonly UnsentChange[] {
  const some = changes.filter(hasBytes);
  const paths = new Set(some.map(({ path }) => path));
  return words.length === 0 ? some : changes.filter((one) => hasBytes(one) || !paths.has(one.path));
}

/** `yes`: nobody is asked. */
export async function discardUploads(
  wish: UploadsWish & { readonly yes: boolean; readonly all: boolean },
  clock: Clock,
): Promise<ExitCode> {
  if (wish.words.length === 0 && !wish.all) {
    throw usageError('say what to discard: paths or IDs as "pailfs uploads" shows them, or --all');
  }
  const { chosen, found } = await selected(wish);
  const bucketOf = bucketShown(chosen);
  const changes = chosen.flatMap((one) =>
    one.changes.map((change) => ({ ...change, path: pathInBucket(change.path, bucketOf(one.place)) })),
  );
  const shown = await ShownChanges.of(changes);
  if (changes.length > 0 && !wish.yes) await requireYes(changes);
  const wording: Wording = {
    failure: () => 'is not discarded',
    success: (outcome) => `discarded ${nameOfChange(outcome)}`,
  };
  return tell(await actOnEach(chosen, (one) => shown.discard(one, clock)), { wish, found, wording });
}

async function requireYes(changes: readonly UnsentChange[]): Promise<void> {
  const bytes = changes.reduce((sum, change) => sum + (change.bytes ?? 0), 0);
  for (const change of changes) sayToPerson(`to be discarded: ${nameOfChange(change)}`);
  const what = `${changes.length} (${prettyBytes(bytes)}), which only this machine has`;
  if (await agrees(`Discard ${what}?`, `to discard ${what}`)) return;
  throw new CommandError(exitCodes.failed, 'nothing is discarded');
}

/** Says what cannot be seen, and what else is amiss. Rejects as `findUnsentPlaces`. */
async function look(search: PlaceSearch): Promise<FoundPlaces> {
  const found = await findUnsentPlaces(search);
  for (const line of [...found.warnings, ...found.unseen]) sayToPerson(line);
  return found;
}

interface Chosen {
  readonly chosen: readonly Selected[];
  readonly found: FoundPlaces;
}

async function selected({ search, words }: UploadsWish): Promise<Chosen> {
  const found = await look(search);
  const { places } = found;
  if (words.length > 0) return { found, chosen: selectChanges(words, places) };
  return { found, chosen: places.map((place) => ({ place, changes: place.changes })) };
}

/** What programs keep for themselves only when it is named. */
async function selectedToKeep(wish: UploadsWish): Promise<Chosen> {
  const { chosen, found } = await selected(wish);
  if (wish.words.length > 0) return { chosen, found };
  const kept = chosen.map(({ place, changes }) => ({
    place,
    changes: changes.filter(({ kind }) => kind !== 'scratch'),
  }));
  return { chosen: kept, found };
}

interface Telling {
  readonly wish: UploadsWish;
  readonly found: FoundPlaces;
  readonly wording: Wording;
  /** What is to be said where nothing was done although something waits. */
  readonly untouched?: string | undefined;
}

function tell(
  places: readonly PlaceOutcomes[],
  {
    wish: { words, json, debug },
    found: { unseen },
    wording: { failure: saying, success },
    untouched,
  }: Telling,
): ExitCode {
  const outcomes = places.flatMap((place) => place.outcomes);
  if (json) printJson(places.flatMap(outcomeDocuments));
  for (const place of places) {
    const { bucket } = place;
    for (const one of place.outcomes) {
      const outcome = { ...one, path: pathInBucket(one.path, bucket) };
      const reason = outcome.reason ?? 'for no known reason';
      if (!outcome.isDone) sayToPerson(`${nameOfChange(outcome)} ${saying(outcome)}: ${reason}`);
      else if (!json) print(success(outcome, bucket));
    }
    if (debug && place.failure !== undefined) sayStack(place.failure);
  }
  if (outcomes.length === 0 && !json) {
    const nothing = unseen.length === 0 ? 'there is nothing to do' : 'there is nothing else to do';
    sayToPerson(`${nothing}${untouched ?? ''}`);
  }
  // Who means everything means also what could not be looked into, and was named.
  const isAll = words.length > 0 || unseen.length === 0;
  return isAll && outcomes.every(({ isDone }) => isDone) ? exitCodes.done : exitCodes.failed;
}

/** What `--json` prints of what was done in a place: paths of one bucket do not tell which. */
function outcomeDocuments({ place: { mountpoint, bucket }, outcomes }: PlaceOutcomes): readonly object[] {
  return outcomes.map((outcome) => ({ mountpoint, bucket, ...outcome }));
}

/** What `--json` prints of a place. */
function documentOf({ mountpoint, bucket, baseUrl, changes, owner }: UnsentPlace): object {
  const directory = owner.kind === 'left' ? owner.directory.path : null;
  return { mountpoint, bucket, baseUrl, directory, changes };
}

function titleOf({ mountpoint, bucket, baseUrl, owner }: UnsentPlace): string {
  const service = baseUrl ?? '?';
  if (owner.kind === 'mount') {
    const where = owner.isFinishing ? 'unmounted, and still storing, from' : 'mounted at';
    return `${bucket ?? 'all buckets'} at ${service}, ${where} ${mountpoint ?? '?'}:`;
  }
  const what = bucket === null ? 'an unknown bucket' : `${bucket} at ${service}`;
  return `${what}, ${ownerOf(owner.directory)} (${owner.directory.path}):`;
}

function ownerOf({ isOwned, retriedBy }: LeftDirectory): string {
  if (retriedBy !== null) return `which "pailfs uploads retry" (process ${retriedBy}) stores just now`;
  return isOwned ? 'in use by a process that does not answer' : 'not mounted';
}
