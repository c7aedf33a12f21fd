/**
 * Which drafts on this machine does nobody send? Those that were set aside, those that an earlier mount left and this one cannot
 * show (or may not, being read-only), and those whose name is lost. They rest until a person decides.
 */
import type { DraftFolder, FoundDraft } from '../../content/draft-folder.ts';
import type { DraftRecord, ShelvedRecord } from '../../content/journal/records.ts';
import {
  changeOfDraft,
  changeOfShelved,
  changeOfUnreadable,
  type UnsentChange,
} from '../unsent/unsent-change.ts';

export type RestingDraft =
  | { readonly kind: 'draft'; readonly record: DraftRecord }
  | { readonly kind: 'scratch'; readonly record: ShelvedRecord }
  | { readonly kind: 'unreadable' };

/** By the identifiers of drafts. */
export class RestingDrafts {
  readonly #drafts: DraftFolder;
  readonly #resting = new Map<string, RestingDraft>();
  /** Those that are on their way from a file to here, or back, and may be in neither. */
  readonly #between = new Map<string, { readonly resting: RestingDraft; readonly moved: Promise<unknown> }>();

  constructor(drafts: DraftFolder) {
    this.#drafts = drafts;
  }

  add(id: string, resting: RestingDraft): void {
    this.#resting.set(id, resting);
  }

  get(id: string): RestingDraft | undefined {
    return this.#resting.get(id);
  }

  /** With their identifiers, as they are now. */
  all(): [string, RestingDraft][] {
    return [...this.#resting];
  }

  remove(id: string): void {
    this.#resting.delete(id);
  }

  /** Runs `move`, at whose end a file has the draft of `record` or it rests here: people find it in the list all the while. Rejects as `move`. */
  async listedWhile<Result>(record: DraftRecord, move: () => Promise<Result>): Promise<Result> {
    const moved = move();
    this.#between.set(record.id, { resting: { kind: 'draft', record }, moved });
    try {
      return await moved;
    } finally {
      this.#between.delete(record.id);
    }
  }

  /** Resolves when it either rests here or is in a file. Never rejects. */
  async settled(id: string): Promise<void> {
    await this.#between.get(id)?.moved.catch(() => undefined);
  }

  /** Deletes its file. Rejects with the disk's error. */
  async delete(id: string): Promise<void> {
    await this.#drafts.remove(id);
    this.#resting.delete(id);
  }

  /** Its file; undefined when that is gone. Rejects with the disk's error. */
  find(id: string): Promise<FoundDraft | undefined> {
    return this.#drafts.find(id);
  }

  /** Whether the files of two of them hold the same bytes. Rejects with the disk's error, or when one says nothing readable of itself. */
  areSame(id: string, otherId: string): Promise<boolean> {
    return this.#drafts.areSame(id, otherId);
  }

  /** As their files are now; those whose files are gone are left out. Rejects with the disk's error. */
  async list(): Promise<UnsentChange[]> {
    const changes: UnsentChange[] = [];
    // As they are now: while their files are looked for, some come and go.
    const between = [...this.#between].map(([id, { resting }]) => [id, resting] as const);
    for (const [id, resting] of new Map([...between, ...this.#resting])) {
      const found = await this.#drafts.find(id);
      if (found !== undefined) changes.push(changeOf(resting, found));
    }
    return changes;
  }
}

function changeOf(resting: RestingDraft, found: FoundDraft): UnsentChange {
  switch (resting.kind) {
    case 'draft':
      return changeOfDraft(resting.record, found);
    case 'scratch':
      return changeOfShelved(resting.record, found);
    case 'unreadable':
      return changeOfUnreadable(found);
  }
}
