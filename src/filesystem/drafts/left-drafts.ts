/**
 * When may a draft that nobody wants be deleted? Not before the disk has noted that nobody does: what the next mount finds in the
 * journal it must find on the disk, or neither the old nor the new file would be there.
 */
import type { Draft } from '../../content/draft.ts';
import { remove, type Journal } from '../../content/journal/journal.ts';
import type { KeptAttributes } from '../../content/journal/kept-attributes.ts';
import type { RecordedDrafts } from './recorded-drafts.ts';

export interface LeftDraftsParts {
  readonly records: RecordedDrafts;
  readonly journal: Journal;
  readonly attributes: KeptAttributes;
}

/** The drafts of one mount whose records have ended. */
export class LeftDrafts {
  readonly #records: RecordedDrafts;
  readonly #journal: Journal;
  readonly #attributes: KeptAttributes;
  /** Have lost their name, which the disk did not note. */
  readonly #unnoted = new WeakSet<Draft>();
  /** Of those, the ones that nobody has open any more: they go once the disk has noted it. */
  readonly #left = new Set<Draft>();

  constructor({ records, journal, attributes }: LeftDraftsParts) {
    this.#records = records;
    this.#journal = journal;
    this.#attributes = attributes;
  }

  /** The file of `draft`, at `path` until now, has lost its name and may still be open: nobody else shall find its bytes. Never rejects. */
  async hide(draft: Draft, path: string): Promise<void> {
    if (await this.#isNoted()) await this.#records.orLog(path, () => draft.hide());
    else this.#unnoted.add(draft);
  }

  /** Deletes `draft`, which nobody has open, and what waited for the disk before. Rejects with the disk's error. */
  async drop(draft: Draft): Promise<void> {
    if (this.#records.isClosed && this.#records.isUnsent(draft.id)) {
      await draft.close();
      return;
    }
    if (this.#unnoted.has(draft)) this.#left.add(draft);
    else await this.#remove(draft);
    await this.removeNoted();
  }

  /** Deletes those that had to wait, if the disk has noted it by now. Never rejects. */
  async removeNoted(): Promise<void> {
    if (this.#left.size === 0 || !(await this.#isNoted())) return;
    for (const draft of this.#left) {
      this.#left.delete(draft);
      await this.#records.orLog(`/${draft.facts.key}`, () => this.#remove(draft));
    }
  }

  async #remove(draft: Draft): Promise<void> {
    await draft.remove();
    this.#attributes.setDraft(draft.id, undefined);
    const record = this.#records.get(draft.id);
    if (record === undefined) return;
    this.#records.disown(draft.id);
    // Without its file a stored record means nothing.
    if (!this.#records.isClosed) this.#journal.forgetLater([remove('draft', record)]);
  }

  /** Whether the disk has taken all that it was told of what is done. */
  #isNoted(): Promise<boolean> {
    return this.#records.allDone().then(
      () => true,
      () => false,
    );
  }
}
