/** `pailfs get`: fetches files without a mount, into files or to stdout. */
import { join } from 'node:path';
import prettyBytes from 'pretty-bytes';
import { isUsableName, nameOf } from '../../store/keys.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes, usageError } from '../command-error.ts';
import { fetchFile, type Fetched } from './fetch-file.ts';
import { followed, placeAt } from './get-place.ts';
import { BucketStores, requireKey } from './object-address.ts';
import { outcomeOf, Telling, type DirectOutcome } from './outcomes.ts';
import type { Session } from './session.ts';

/** The last of `words` is a file, a directory or `-`. Goes on after one that fails. */
export async function runGet(session: Session, words: readonly string[], json: boolean): Promise<ExitCode> {
  const [last = ''] = words.slice(-1);
  const sources = words.slice(0, -1).map((word) => ({ word, address: requireKey(word) }));
  if (sources.length === 0) throw usageError('say what to get, and where to: pailfs get BUCKET:KEY... FILE');
  if (last === '-' && json) throw usageError('--json and the file itself cannot both go to stdout');
  const place = last === '-' ? 'stdout' : await placeAt(last);
  if (sources.length > 1 && place === 'file')
    throw usageError(`${last} is no directory: several files need one`);
  const stores = new BucketStores(session);
  const telling = new Telling<DirectOutcome & Partial<Fetched>>({
    json,
    debug: session.settings.debug,
    failure: 'is not fetched',
    success: (outcome) => (place === 'stdout' ? null : fetchedLine(outcome)),
  });
  const wanted = sources.map(({ word, address }) => ({
    word,
    address,
    target: place === 'directory' ? join(last, nameOfKey(word, address.key)) : last,
  }));
  const written = new Map<string, string>();
  for (const { word, address, target } of wanted) {
    const outcome = await outcomeOf(word, async () => {
      if (place !== 'directory') return fetchFile(session, stores, address, { target, place });
      const placeInIt = await placeAt(target);
      if (placeInIt === 'directory') throw new CommandError(exitCodes.failed, `${target} is a directory`);
      // What goes through a pipe takes nothing's place.
      if (placeInIt === 'file') requireFree(target, written.get(await followed(target)));
      return fetchFile(session, stores, address, { target, place: placeInIt });
    });
    if (outcome.isDone && place === 'directory') written.set(await followed(target), word);
    telling.tell(outcome);
  }
  return telling.end();
}

function fetchedLine({ what, file, size, resumedAt = 0 }: DirectOutcome & Partial<Fetched>): string {
  const before = resumedAt === 0 ? '' : `; ${prettyBytes(resumedAt)} of them were there`;
  return `fetched ${what} into ${file ?? '?'} (${prettyBytes(size ?? 0)}${before})`;
}

/** Of two files of one name the second would take the place of the first. `before`: what this command has fetched into `target`. */
function requireFree(target: string, before: string | undefined): void {
  if (before === undefined) return;
  throw new CommandError(exitCodes.failed, `it would replace ${before}, fetched into ${target} just now`);
}

function nameOfKey(word: string, key: string): string {
  const name = nameOf(key);
  if (isUsableName(name)) return name;
  throw usageError(`${word} has no name that a file can have: say which file it shall be`);
}
