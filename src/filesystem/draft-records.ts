/** What is said of a draft, in its header and in the journal? */
import type { Draft } from '../content/draft.ts';
import type { DraftFacts } from '../content/draft-facts.ts';
import type { DraftRecord } from '../content/journal/records.ts';
import { factsOf } from '../content/version-facts.ts';
import { keyOfPath } from '../store/keys.ts';
import type { OpenFile, Wishes } from './open-file.ts';

/** What the draft of `file` says of itself. */
export function draftFactsOf(
  file: OpenFile,
  { createdAt, sealed }: Pick<DraftFacts, 'createdAt' | 'sealed'>,
  { basis, contentType, visibilityWish, local }: Wishes = file,
): DraftFacts {
  return {
    key: keyOfPath(file.path),
    base: file.version === null ? null : factsOf(file.version),
    basis,
    contentType,
    visibility: visibilityWish,
    local,
    createdAt,
    sealed,
  };
}

/** All drafts of `file`: what is written now, and what a close has promised. */
export function draftsOf({ draft, sealed }: OpenFile): Set<Draft> {
  return new Set([draft, sealed?.draft ?? null].filter((each) => each !== null));
}

/** Nothing is left to do. */
export function storedRecord(record: DraftRecord): DraftRecord {
  return { ...record, state: 'stored', publish: null, unconfirmed: [], visibilityBefore: null };
}
