/**
 * The process before this one ended, perhaps in the middle of something: what does its journal mean now, held against the
 * drafts that are on the disk?
 *
 * Only whole contents go on to the service by themselves. Half a file, a content that is shorter than it was, and what the
 * journal does not know are set aside: listed, never uploaded unasked.
 */
import type { FoundDraft } from '../draft-folder.ts';
import type { DraftFacts } from '../draft-facts.ts';
import type { JournalContents } from './journal-contents.ts';
import type { DraftRecord } from './records.ts';

/** What to go on with. */
export interface Recovery {
  /** Wait for the service, or are set aside, each with its file; some differ from what the journal says, and some are new there. */
  readonly drafts: readonly DraftRecord[];
  /** Stored; only their link is still to be restored. */
  readonly unpublished: readonly DraftRecord[];
  /** Their files are gone, and they were not stored. */
  readonly lost: readonly DraftRecord[];
  /** Nothing is left to do. */
  readonly finished: readonly DraftRecord[];
  /** Files without a readable header that no record knows: they can only be exported. */
  readonly unreadable: readonly FoundDraft[];
  /** Identifiers of files that hold nothing that anybody may want. */
  readonly removable: readonly string[];
}

const HALF = 'the mount ended before a close or fsync had promised it';
const UNKNOWN = 'its close or fsync had not returned when the mount ended, or the journal was damaged';
const CUT = 'its file is not as long as it was';
const DAMAGED = 'the local disk does not have the bytes that were written';

/** Changes nothing. `nextSequence` numbers what the journal does not know; `damaged` are identifiers of files with other bytes than it says. */
export function recover(
  contents: JournalContents,
  files: readonly FoundDraft[],
  nextSequence: () => number,
  damaged: ReadonlySet<string> = new Set(),
): Recovery {
  const found = new Map(files.map((file) => [file.id, file]));
  const recovery: Sorting = {
    drafts: [],
    unpublished: [],
    lost: [],
    finished: [],
    unreadable: [],
    removable: [],
  };
  for (const record of contents.drafts) {
    sortRecord(recovery, asFound(record, damaged), found.get(record.id));
    found.delete(record.id);
  }
  for (const { id } of contents.shelved) found.delete(id);
  for (const file of found.values()) sortUnknown(recovery, file, nextSequence);
  return recovery;
}

/** A `Recovery` that is being made. */
type Sorting = { -readonly [Kind in keyof Recovery]: Recovery[Kind][number][] };

function asFound(record: DraftRecord, damaged: ReadonlySet<string>): DraftRecord {
  return damaged.has(record.id) ? { ...record, state: 'set aside', reason: DAMAGED } : record;
}

function sortRecord(sorting: Sorting, record: DraftRecord, file: FoundDraft | undefined): void {
  if (record.state === 'stored') {
    if (record.publish === null) sorting.finished.push(record);
    else sorting.unpublished.push(record);
    if (file !== undefined) sorting.removable.push(file.id);
  } else if (file === undefined) sorting.lost.push(record);
  else if (record.state === 'open' && file.size === 0) {
    // Its program had emptied it, to write something else: nothing of that was written.
    sorting.finished.push(record);
    sorting.removable.push(file.id);
  } else sorting.drafts.push(afterRestart(record, file));
}

function sortUnknown(sorting: Sorting, file: FoundDraft, nextSequence: () => number): void {
  const { header } = file;
  // One that was just being made has not even its header.
  if (file.fileSize === 0) sorting.removable.push(file.id);
  else if ('unreadable' in header) sorting.unreadable.push(file);
  else if (header.sealed === null && file.size === 0) sorting.removable.push(file.id);
  else sorting.drafts.push(orphan(file, header, nextSequence()));
}

function afterRestart(record: DraftRecord, file: FoundDraft): DraftRecord {
  const { sealed } = record.facts;
  if (record.state === 'set aside') return record;
  if (sealed === null) return { ...record, state: 'set aside', reason: HALF };
  if (sealed.size !== file.size) return { ...record, state: 'set aside', reason: CUT };
  return { ...record, state: stateAfterRestart(record.state) };
}

function stateAfterRestart(state: Exclude<DraftRecord['state'], 'set aside'>): DraftRecord['state'] {
  switch (state) {
    case 'open':
    case 'sealed':
    case 'queued':
    case 'stored':
      return 'queued';
    case 'uploading':
    case 'end unknown':
      return 'end unknown';
    case 'failed':
      return 'failed';
  }
}

function orphan(file: FoundDraft, facts: DraftFacts, sequence: number): DraftRecord {
  return {
    id: file.id,
    sequence,
    isAhead: false,
    state: 'set aside',
    facts,
    reason: facts.sealed === null ? HALF : UNKNOWN,
    unconfirmed: [],
    visibilityBefore: null,
    publish: null,
    attempts: 0,
    lastFailure: null,
  };
}
