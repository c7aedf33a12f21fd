/** `pailfs get`: fetches files without a mount, into files or to stdout; goes on where it was interrupted. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { finished } from 'node:stream/promises';
import prettyBytes from 'pretty-bytes';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import type { ObjectHead } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { createGates } from '../../store/gates.ts';
import { isUsableName, nameOf } from '../../store/keys.ts';
import { isOnlyOfOtherEtag } from '../../store/other-etag.ts';
import { RangeReader, VersionChanged, type RangeSink } from '../../store/range-reader.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes, usageError } from '../command-error.ts';
import { PrintingEnded } from '../screen/printing.ts';
import { sayToPerson } from '../screen/report.ts';
import { printable } from '../screen/screen-text.ts';
import { findTarget } from './folder-content.ts';
import { BucketStores, requireKey, type ObjectAddress } from './object-address.ts';
import { outcomeOf, Telling, type DirectOutcome } from './outcomes.ts';
import { PartialFile } from './partial-file.ts';
import { openProgress, type Progress } from './progress.ts';
import type { Session } from './session.ts';
import { openStdout } from './standard-streams.ts';

interface Fetched {
  /** `-` for stdout. */
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  /** Of these, how many were there already. */
  readonly resumedAt: number;
}

/** What a sink is told about one file. */
interface Source {
  readonly reader: RangeReader;
  readonly key: string;
  readonly head: ObjectHead;
  readonly progress: Progress;
}

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
      if (place !== 'directory') return fetched(session, stores, address, { target, place });
      const placeInIt = await placeAt(target);
      if (placeInIt === 'directory') throw new CommandError(exitCodes.failed, `${target} is a directory`);
      // What goes through a pipe takes nothing's place.
      if (placeInIt === 'file') requireFree(target, written.get(await followed(target)));
      return fetched(session, stores, address, { target, place: placeInIt });
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

type Place = 'file' | 'directory' | 'device' | 'stdout';

async function placeAt(path: string): Promise<Place> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'directory';
    // A rename would put a file in the place of a pipe or /dev/null.
    return found.isFile() ? 'file' : 'device';
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT')
      throw new CommandError(exitCodes.failed, `${path} cannot be written: ${inWords(error, path)}`);
    const directory = path.endsWith('/') ? path : dirname(path);
    if (await isThere(directory)) return 'file';
    throw new CommandError(exitCodes.failed, `there is no directory ${directory}`);
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function nameOfKey(word: string, key: string): string {
  const name = nameOf(key);
  if (isUsableName(name)) return name;
  throw usageError(`${word} has no name that a file can have: say which file it shall be`);
}

async function fetched(
  { service, clock, log, settings }: Session,
  stores: BucketStores,
  { bucket, key }: ObjectAddress,
  { target, place }: { readonly target: string; readonly place: Place },
): Promise<Fetched> {
  const { store, identifier } = await stores.open(bucket);
  const head = await headOfFile(store, key);
  const { size, etag } = head;
  const gate = createGates().reads;
  const reader = new RangeReader({ service, bucket: identifier, gate, clock, log });
  // Where the file itself goes to the terminal, a line that changes would be in its midst.
  const progress =
    place === 'stdout' && process.stdout.isTTY
      ? openProgress(key, 0)
      : openProgress(nameOf(key), size, prettyBytes);
  const source = { reader, key, head, progress };
  try {
    if (place === 'stdout') await stream(source, openStdout());
    else if (place === 'device') await streamInto(source, target);
    else {
      const origin = { baseUrl: settings.baseUrl, bucket: identifier, key, etag, size };
      return { file: target, size, resumedAt: await intoFile(source, await followed(target), origin) };
    }
    return { file: target, size, resumedAt: 0 };
  } finally {
    progress.end();
  }
}

/** Where a symbolic link leads, also to what is not there yet; it stays one. */
async function followed(target: string): Promise<string> {
  try {
    return await realpath(target);
  } catch (error) {
    // EACCES: who is in a directory need not have the right to look for it from the top.
    if (!['ENOENT', 'EACCES'].includes(systemErrorCode(error) ?? '')) throw error;
    // Where it is no link, or cannot be told to be one, who opens it hears why.
    const led = await readlink(target).catch(() => null);
    if (led === null) return target;
    // `join` would take `..` for the directory above a link to a directory.
    return followed(isAbsolute(led) ? led : `${dirname(target)}/${led}`);
  }
}

async function headOfFile(store: BucketStore, key: string): Promise<ObjectHead> {
  try {
    return await store.head(key);
  } catch (error) {
    if (!isRefusal(error, 'missing') || (await findTarget(store, key)).kind === 'file') throw error;
    throw new CommandError(exitCodes.failed, 'it is a folder: mount the bucket and use cp -r, or rsync');
  }
}

/** Resolves with how many bytes were there already. */
async function intoFile(
  source: Source,
  target: string,
  origin: Parameters<typeof PartialFile.open>[1],
): Promise<number> {
  const part = await PartialFile.open(target, origin);
  const { progress } = source;
  const { size } = source.head;
  try {
    // Not what it says that it is: others have written there.
    if (part.length > size) await part.truncate();
    let resumedAt = part.length;
    progress.set(resumedAt);
    const begin = async (range: { readonly start: number }): Promise<void> => {
      // Where Range is not honoured all comes again.
      if (range.start === 0 && resumedAt > 0) {
        await part.truncate();
        resumedAt = 0;
        progress.set(0);
      }
    };
    const chunk = async (data: Uint8Array, position: number): Promise<void> => {
      await part.write(data, position);
      progress.set(position + data.length);
    };
    if (resumedAt < size || size === 0) await transfer(source, resumedAt, { begin, chunk });
    await part.finish();
    return resumedAt;
  } catch (error) {
    if (part.length > 0)
      sayToPerson(`${printable(part.path)} keeps ${prettyBytes(part.length)}: the same command goes on`);
    else
      await part.discard().catch((failure: unknown) => {
        sayToPerson(`${printable(part.path)} stays, empty: ${inWords(failure)}`);
      });
    throw error;
  } finally {
    await part.close();
  }
}

async function transfer({ reader, key, head }: Source, start: number, sink: RangeSink): Promise<void> {
  const { size, etag } = head;
  const range = start === 0 ? 'whole' : { start, end: size };
  try {
    await reader.read({ key, range, expected: { size, matches: (told) => told.etag === etag } }, sink);
  } catch (error) {
    if (!(error instanceof VersionChanged) || !isOnlyOfOtherEtag(error.found, head)) throw error;
    throw new CommandError(
      exitCodes.failed,
      'it has another ETag where its bytes come from, of the same size and time: it was replaced within that second, or answers do not agree; try again',
      { cause: error },
    );
  }
}

async function streamInto(source: Source, device: string): Promise<void> {
  const opened = createWriteStream(device);
  // One that does not open takes nothing, and of an empty file it would never be asked to.
  await once(opened, 'open');
  await stream(source, opened);
  opened.end();
  await finished(opened);
}

const NOBODY_READS = 'who read its bytes has ended';

function notWritten(reason: Error, into: NodeJS.WritableStream): Error {
  if (systemErrorCode(reason) === 'EPIPE') return new CommandError(exitCodes.failed, NOBODY_READS);
  // The next file would meet the same, and whoever prints says so once.
  return into === process.stdout ? new PrintingEnded('stdout takes nothing', { cause: reason }) : reason;
}

/** Rejects when nobody reads any more. */
async function stream(source: Source, into: NodeJS.WritableStream): Promise<void> {
  let failure: Error | undefined;
  into.on('error', (error: Error) => {
    failure = error;
  });
  const chunk = (data: Uint8Array, position: number): Promise<void> =>
    new Promise((resolve, reject) => {
      into.write(data, (error) => {
        const reason = error ?? failure;
        if (reason instanceof Error) reject(notWritten(reason, into));
        else resolve();
        source.progress.set(position + data.length);
      });
    });
  await transfer(source, 0, { begin: () => undefined, chunk });
}
