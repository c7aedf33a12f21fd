/** How does one file of the service get to its place on this machine? Into a file it goes on where it was interrupted. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import prettyBytes from 'pretty-bytes';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import type { ObjectHead } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { createGates } from '../../store/gates.ts';
import { nameOf } from '../../store/keys.ts';
import { isOnlyOfOtherEtag } from '../../store/other-etag.ts';
import { RangeReader, VersionChanged, type RangeSink } from '../../store/range-reader.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { PrintingEnded } from '../screen/printing.ts';
import { sayToPerson } from '../screen/report.ts';
import { printable } from '../screen/screen-text.ts';
import { findTarget } from './folder-content.ts';
import { followed, type Place } from './get-place.ts';
import type { BucketStores, ObjectAddress } from './object-address.ts';
import { PartialFile } from './partial-file.ts';
import { openProgress, type Progress } from './progress.ts';
import type { Session } from './session.ts';
import { openStdout } from './standard-streams.ts';

export interface Fetched {
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

/**
 * Brings the file of the address to `target`. Rejects with a `CommandError`, with a refusal, or with the local disk's error: what was to
 * be a file and is not empty stays, for the same command to go on.
 */
export async function fetchFile(
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
  try {
    await stream(source, opened);
    opened.end();
    await finished(opened);
  } finally {
    // Who reads at the other end hears that no more comes, also while other files are fetched.
    opened.destroy();
  }
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
  const failed = (error: Error): void => {
    failure = error;
  };
  into.on('error', failed);
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
  // The next file may go there, too. After a failure it stays: the stream may still tell of that.
  into.off('error', failed);
}
