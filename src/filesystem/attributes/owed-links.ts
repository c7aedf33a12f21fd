/**
 * The bytes of a public file are stored, or may be, and its link is still down: what does the next mount find of that? A record of its
 * own, which names the very version that is to be public again; several, where any of these may be stored.
 */
import type { Draft } from '../../content/draft.ts';
import type { VersionRecord } from '../../content/draft-facts.ts';
import { remove, type Journal, type JournalChange } from '../../content/journal/journal.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { draftFactsOf, newRecord } from '../drafts/draft-records.ts';
import type { OpenFile } from '../open-file.ts';

export class OwedLinks {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Says that `version`, made of `draft`, is to be made public again. */
  recordOf(file: OpenFile, draft: Draft, version: VersionRecord): DraftRecord {
    const id = `link-${draft.id}-${this.#journal.nextSequence()}`;
    const facts = draftFactsOf(file, { createdAt: draft.facts.createdAt, sealed: null });
    const record = newRecord(file, { id, sequence: this.#journal.nextSequence(), facts });
    return { ...record, state: 'stored', publish: version };
  }

  /** As `recordOf`; none where one says so already. */
  missing(file: OpenFile, draft: Draft, version: VersionRecord): DraftRecord[] {
    const isNamed = file.owedLinks.some(({ publish }) => {
      return publish?.md5 === version.md5 && publish.size === version.size;
    });
    return isNamed ? [] : [this.recordOf(file, draft, version)];
  }

  /** Nothing is owed any more: what the caller commits. */
  settle(file: OpenFile): JournalChange[] {
    const settled = file.owedLinks;
    file.owedLinks = [];
    return settled.map((record) => remove('draft', record));
  }
}
