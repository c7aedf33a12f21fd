/** `pailfs put`: stores files of this machine, or what comes on stdin, without a mount. */
import { basename } from 'node:path';
import prettyBytes from 'pretty-bytes';
import { inWords } from '../../base/errors.ts';
import { contentTypeOf } from '../../filesystem/attributes/content-type.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { replaceObject } from '../../store/replace.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes, usageError } from '../command-error.ts';
import { Uninterrupted } from './interruption.ts';
import { BucketStores, requireAddress } from './object-address.ts';
import { outcomeOf, Telling, type DirectOutcome } from './outcomes.ts';
import { openProgress } from './progress.ts';
import { reasonOf } from '../connecting/refused.ts';
import { replaceKeeping } from './replace-keeping.ts';
import type { Session } from './session.ts';
import { openSource, SentFile } from './upload-source.ts';

interface Stored {
  /** `bucket:key`. */
  readonly storedAs: string;
  /** Bytes. */
  readonly size: number;
}

interface Place {
  readonly bucket: string;
  readonly key: string;
  /** From the upload to the publication of what shall be public. */
  readonly publication: Uninterrupted;
}

/** The last of `words` is `bucket:key`, or a bucket or folder to put the others into. Goes on after one that fails. */
export async function runPut(session: Session, words: readonly string[], json: boolean): Promise<ExitCode> {
  const files = words.slice(0, -1);
  const [last = ''] = words.slice(-1);
  if (files.length === 0) throw usageError('say what to put, and where: pailfs put FILE... BUCKET:KEY');
  const { bucket, key } = requireAddress(last);
  const isFolder = key === '' || key.endsWith('/');
  if (files.length > 1 && !isFolder)
    throw usageError(`${last} is one key: end it with / to put several files`);
  if (isFolder && files.includes('-')) throw usageError(`say the name of what comes on stdin: ${last}NAME`);
  const { store } = await new BucketStores(session).open(bucket);
  const telling = new Telling<DirectOutcome & Partial<Stored>>({
    json,
    debug: session.settings.debug,
    failure: 'is not stored',
    done: 'is stored',
    success: ({ what, storedAs, size }) => `stored ${what} as ${storedAs ?? '?'} (${prettyBytes(size ?? 0)})`,
  });
  const sources = new Map<string, string>();
  for (const file of files) {
    const keyOfFile = isFolder ? `${key}${basename(file)}` : key;
    const publication = new Uninterrupted();
    const stored = (): Promise<Stored> => {
      requireFree(sources.get(keyOfFile));
      return put(session, store, file, { bucket, key: keyOfFile, publication });
    };
    try {
      const outcome = await outcomeOf(file, stored);
      if (outcome.isDone) sources.set(keyOfFile, file);
      telling.tell(outcome);
    } finally {
      publication.end();
    }
  }
  return telling.end();
}

/** Of two files of one name the second would take the place of the first. `before`: what this command has stored there. */
function requireFree(before: string | undefined): void {
  if (before === undefined) return;
  throw new CommandError(exitCodes.failed, `it would replace ${before}, stored under the same name just now`);
}

async function put(
  { clock, settings }: Session,
  store: BucketStore,
  file: string,
  { bucket, key, publication }: Place,
): Promise<Stored> {
  const source = await openSource(file);
  const progress = openProgress(basename(key), source.size, prettyBytes);
  try {
    const contentType = contentTypeOf(key);
    const publish = { isDue: settings.visibility === 'public' };
    const sent = (bytes: number): void => {
      progress.set(bytes);
      // From now on the service may have it, and so have made it private (§3.2).
      if (bytes === source.size && publish.isDue) publication.begin();
    };
    const body = new SentFile(source, contentType, sent);
    const content = { body, contentType, md5: () => body.md5(), modified: new Date(clock.now()) };
    const { visibilityFailure } =
      settings.visibility === 'preserve'
        ? await replaceKeeping(store, key, content, (visibility) => {
            publish.isDue = visibility === 'public';
          })
        : await replaceObject(store, key, content, settings.visibility);
    if (visibilityFailure !== undefined) {
      const reason = reasonOf(visibilityFailure) ?? inWords(visibilityFailure);
      throw new CommandError(
        exitCodes.failed,
        `its bytes are stored, but it is not public any more (${reason}): put it again with --visibility public`,
        { cause: visibilityFailure },
      );
    }
    return { storedAs: `${bucket}:${key}`, size: source.size };
  } finally {
    progress.end();
    await source.close();
  }
}
