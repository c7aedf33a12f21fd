/** What is said in the journal of a DELETE that is owed, has failed, or is not sent any more? */
import type { DeletionRecord } from '../../content/journal/records.ts';
import { factsOf } from '../../content/version-facts.ts';
import type { Version } from '../../store/version.ts';
import { mayHaveBeenDone, reasonOf, toFsError } from '../errno-of.ts';

/** Of the file under `key`, of which any of `versions` is meant. `at`: milliseconds since 1970. */
export function owedDeletion(
  key: string,
  versions: readonly Version[],
  { sequence, at }: { readonly sequence: number; readonly at: number },
): DeletionRecord {
  return {
    sequence,
    key,
    versions: versions.map(factsOf),
    state: 'queued',
    requestedAt: at,
    attempts: 0,
    lastFailure: null,
  };
}

/** Once more, with `error`. */
export function failedDeletion(record: DeletionRecord, error: unknown, at: number): DeletionRecord {
  const state = mayHaveBeenDone(error) ? 'end unknown' : 'failed';
  return { ...record, state, attempts: record.attempts + 1, lastFailure: failureOf(record, error, at) };
}

/** For `reason`. */
export function droppedDeletion(record: DeletionRecord, reason: unknown, at: number): DeletionRecord {
  return { ...record, state: 'dropped', lastFailure: failureOf(record, reason, at) };
}

function failureOf({ key }: DeletionRecord, error: unknown, at: number): DeletionRecord['lastFailure'] {
  const { code } = toFsError(error, `/${key}`);
  return { at, code, message: reasonOf(error) };
}
