/** What is said of a draft, in its header and in the journal? */
import type { Draft } from '../../content/draft.ts';
import type { DraftFacts, VersionRecord } from '../../content/draft-facts.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { factsOf } from '../../content/version-facts.ts';
import { keyOfPath } from '../../store/keys.ts';
import type { OpenFile, Wishes } from '../open-file.ts';

/** What the draft of `file` says of itself. */
export function draftFactsOf(
  file: OpenFile,
  { createdAt, sealed }: Pick<DraftFacts, 'createdAt' | 'sealed'>,
  wishes: Readonly<Wishes> = file.wishes,
): DraftFacts {
  return {
    key: keyOfPath(file.path),
    base: file.version === null ? null : factsOf(file.version),
    ...wishes,
    createdAt,
    sealed,
  };
}

/** All drafts of `file`: what is written now, and what a close has promised. */
export function draftsOf({ draft, sealed }: OpenFile): Set<Draft> {
  return new Set([draft, sealed?.draft ?? null].filter((each) => each !== null));
}

/** Of a draft of `file` that no record names yet. */
export function newRecord(
  file: OpenFile,
  named: Pick<DraftRecord, 'id' | 'sequence' | 'facts'>,
): Omit<DraftRecord, 'state'> {
  return {
    ...named,
    ...doubtsOf(file),
    isAhead: false,
    reason: null,
    publish: null,
    attempts: 0,
    lastFailure: null,
  };
}

/** Nothing is left to do. */
export function storedRecord(record: DraftRecord): DraftRecord {
  return {
    ...record,
    state: 'stored',
    publish: null,
    unconfirmed: [],
    visibilityBefore: null,
    leftCopy: undefined,
  };
}

/** What a failed rename has left under the name of `file`, for who removes or renames that. */
export function leftCopyOf({ leftCopy }: OpenFile): Pick<DraftRecord, 'leftCopy'> {
  return { leftCopy: leftCopy === null ? undefined : factsOf(leftCopy) };
}

/** What nobody knows of `file` on the service, and its next upload must. */
export function doubtsOf(file: OpenFile): Pick<DraftRecord, 'unconfirmed' | 'visibilityBefore'> {
  const visibilityBefore = file.publishPending ? 'public' : file.doubts.visibilityBefore;
  // That is stored, and its link is down by our doing: who finds it private must not take that for somebody else's.
  const isDown = file.publishPending && file.version !== null ? [file.version] : [];
  return { unconfirmed: [...isDown, ...file.doubts.versions].map(factsOf), visibilityBefore };
}

/** What an upload of `draft` stores that begins at `at`, milliseconds since 1970. Rejects with the disk's error. */
export async function attemptOf(draft: Draft, at: number): Promise<VersionRecord> {
  const md5 = await draft.md5();
  const { contentType } = draft.facts;
  return { size: draft.size, etag: null, md5, lastModified: at, storedWithin: null, contentType };
}
