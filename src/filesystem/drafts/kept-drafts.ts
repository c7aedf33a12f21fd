/**
 * What of the files that are not stored must outlive the process, and when is it on the disk?
 *
 * A close that stores its file promises nothing of the local disk, so it costs no record. A record is made when an upload
 * failed, when the mount ends before one, and before a PUT that takes a public link away: whoever finds that file private after a
 * crash must know that it was not. Bytes and header are on the disk before the record that names them. A record holds for bytes
 * that do not change: before they do, it says so. With `--write-back` every close makes one (`seal`).
 */
import type { Draft } from '../../content/draft.ts';
import { put, remove, type JournalChange } from '../../content/journal/journal.ts';
import type { KeptAttributes } from '../../content/journal/kept-attributes.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { factsOf } from '../../content/version-facts.ts';
import type { LocalAttributes, Version } from '../../store/version.ts';
import { draftsOf, storedRecord } from './draft-records.ts';
import { DraftsSetAside } from './drafts-set-aside.ts';
import { LeftDrafts } from './left-drafts.ts';
import type { OpenFile } from '../open-file.ts';
import { OwedLinks } from '../attributes/owed-links.ts';
import { RecordedDrafts, type RecordedDraftsParts } from './recorded-drafts.ts';
import { RecordedUploads } from './recorded-uploads.ts';
import type { RestingDrafts } from './resting-drafts.ts';
import { PromisedDrafts } from '../write-back/promised-drafts.ts';

export interface KeptDraftsParts extends RecordedDraftsParts {
  readonly resting: RestingDrafts;
  readonly attributes: KeptAttributes;
}

/** The records of one mount's drafts. */
export class KeptDrafts {
  readonly uploads: RecordedUploads;
  readonly aside: DraftsSetAside;
  readonly #attributes: KeptAttributes;
  readonly #records: RecordedDrafts;
  readonly #links: OwedLinks;
  readonly #promised: PromisedDrafts;
  readonly #left: LeftDrafts;

  constructor(parts: KeptDraftsParts) {
    this.#attributes = parts.attributes;
    this.#records = new RecordedDrafts(parts);
    this.#links = new OwedLinks(parts.journal);
    this.#promised = new PromisedDrafts(this.#records, parts.clock);
    const { clock, log, journal, resting, attributes } = parts;
    this.#left = new LeftDrafts({ records: this.#records, journal, attributes });
    this.uploads = new RecordedUploads({
      records: this.#records,
      promised: this.#promised,
      links: this.#links,
      clock,
    });
    this.aside = new DraftsSetAside({
      records: this.#records,
      promised: this.#promised,
      journal,
      resting,
      clock,
      log,
    });
  }

  /** Whether no record changes any more. */
  get isClosed(): boolean {
    return this.#records.isClosed;
  }

  /** Drafts of `file` that the next mount would show. */
  recorded(file: OpenFile): string[] {
    return [...draftsOf(file)].map(({ id }) => id).filter((id) => this.#records.isUnsent(id));
  }

  recordOf(draft: Draft): DraftRecord | undefined {
    return this.#records.get(draft.id);
  }

  /** A draft of an earlier mount that the journal knows by `record`. Returns its local attributes. */
  async adopt(record: DraftRecord): Promise<LocalAttributes> {
    this.#records.know(record);
    return this.attributesOf(record.id, record.facts.local);
  }

  /** Of a draft of an earlier mount, recorded with `local`: what programs have set last. */
  async attributesOf(id: string, local: LocalAttributes): Promise<LocalAttributes> {
    const later = await this.#attributes.ofDraft(id);
    return later !== undefined && (later.ctime ?? 0) >= (local.ctime ?? 0) ? later : local;
  }

  /** The record stays, and is somebody else's to look after. */
  disown(record: DraftRecord): void {
    this.#records.disown(record.id);
  }

  /** Nobody wants the draft any more. Rejects with the disk's error. */
  async forget(id: string, record: DraftRecord | null): Promise<void> {
    if (record !== null) await this.#records.commit([remove('draft', record)]);
    this.#records.disown(id);
  }

  /** No record changes once this has resolved. Never rejects. */
  async close(): Promise<void> {
    await this.#left.removeNoted();
    this.#records.close();
  }

  /**
   * A close promises what `draft` holds, in place of what `before` holds; the bytes of both do not change any more. Rejects with
   * the disk's error: nothing is promised then.
   */
  async seal(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    if (this.#records.isClosed) return;
    await this.#promised.promise(file, draft, before);
    // An unlink may have come between.
    if (file.detached) await this.retire(draft);
  }

  /** Call before the bytes of `draft` change. Rejects with the disk's error: they must not, then. */
  async changing(file: OpenFile, draft: Draft): Promise<void> {
    if (this.#mayChange(draft)) return;
    await this.#records.inTurn([draft], async () => {
      const record = this.#records.get(draft.id);
      if (record === undefined || this.#mayChange(draft)) return;
      // Nobody finds the draft of a file without a name.
      if (record.state === 'stored' && file.detached) return;
      const facts = { ...record.facts, sealed: null };
      await draft.describe(facts);
      const open: DraftRecord = { ...record, state: 'open', facts };
      const attempt = record.unconfirmed.at(-1);
      const mayBeDown = attempt !== undefined && record.visibilityBefore === 'public';
      const owed = mayBeDown ? this.#links.missing(file, draft, attempt) : [];
      await this.#records.putAll(
        [open],
        owed.map((link) => put('draft', link)),
      );
      file.owedLinks = [...file.owedLinks, ...owed];
    });
  }

  /** `file` has another name now, where it replaces `replaced`, or its upload shall do something else. */
  async redescribe(file: OpenFile, replaced: OpenFile | null = null): Promise<void> {
    const drafts = [...draftsOf(file), ...(replaced === null ? [] : draftsOf(replaced))];
    await this.#records.orLog(file.path, () =>
      this.#records.inTurn(drafts, async () => {
        const ended = replaced === null ? [] : this.#records.ended(replaced);
        await this.#records.done([...ended, ...(await this.#describedAll(file))], []);
      }),
    );
  }

  /**
   * A program has set attributes of `file`. What is recorded of its drafts shall not have to wait for the disk again; a record that is just on
   * its way there has them as they were.
   */
  attributesSet(file: OpenFile): void {
    for (const draft of draftsOf(file))
      void this.#records.inTurn([draft], () => {
        this.#noteAttributes(file, draft);
        return Promise.resolve();
      });
  }

  /** `version` of `file`, which is stored and made of `draft`, is to be made public again. */
  async owesLink(file: OpenFile, draft: Draft, version: Version): Promise<void> {
    const link = this.#links.recordOf(file, draft, factsOf(version));
    file.owedLinks = [link];
    await this.#records.orLog(file.path, () => this.#records.done([], [put('draft', link)]));
  }

  /** The link of `file` is not owed any more. */
  async linkSettled(file: OpenFile): Promise<void> {
    await this.#records.orLog(file.path, () => this.#records.done([], this.#links.settle(file)));
  }

  /**
   * Call before the link of `file`, if that is open here, is taken down: no later mount shall restore it. Rejects with the disk's error:
   * it must stay, then.
   */
  async takingDown(file: OpenFile | undefined): Promise<void> {
    await this.#records.allDone();
    if (file !== undefined) await this.#settleNow(file, []);
  }

  /** The link was not taken down after all: `links` are what the journal had of it. */
  async stillOwes(file: OpenFile, links: readonly DraftRecord[]): Promise<void> {
    const missing = links.filter((link) => !file.owedLinks.includes(link));
    file.owedLinks = [...file.owedLinks, ...missing];
    await this.#records.orLog(file.path, () =>
      this.#records.done(
        [],
        missing.map((link) => put('draft', link)),
      ),
    );
  }

  /** Whoever set it was told that nothing of `file` is public any more. Rejects with the disk's error: they must not be told, then. */
  async stayingPrivate(file: OpenFile): Promise<void> {
    await this.#records.allDone();
    const drafts = draftsOf(file);
    await this.#records.inTurn(drafts, async () => this.#settleNow(file, await this.#describedAll(file)));
  }

  /** As `LeftDrafts.hide`, of a draft that is made of a file without a name. */
  async hide(draft: Draft, path: string): Promise<void> {
    await this.#left.hide(draft, path);
  }

  /** `file` has lost its name: no later mount shall find its draft. */
  async detached(file: OpenFile): Promise<void> {
    for (const draft of draftsOf(file)) {
      await this.retire(draft);
      await this.#left.hide(draft, file.path);
    }
    const { draft, sealed } = file;
    file.sealed = null;
    if (sealed !== null && sealed.draft !== draft) await this.drop(sealed.draft);
    await this.linkSettled(file);
  }

  /** Of `file` nobody wants what is here: takes that down together with `changes`. Rejects with the disk's error. */
  async ending(file: OpenFile, changes: readonly JournalChange[]): Promise<void> {
    await this.#records.inTurn(draftsOf(file), () =>
      this.#records.putAll(this.#records.ended(file), changes),
    );
  }

  /** As `retire`, of all drafts of `file`: where the disk does not take it, it does together with what comes next. */
  async retireAll(file: OpenFile): Promise<void> {
    await this.#records.orLog(file.path, () =>
      this.#records.inTurn(draftsOf(file), () => this.#records.done(this.#records.ended(file), [])),
    );
  }

  /** `file`, of which nobody wanted anything (`retireAll`), has its name again. */
  async wantedAgain(file: OpenFile): Promise<void> {
    const { draft, sealed, failure } = file;
    await this.#records.orLog(file.path, async () => {
      if (sealed !== null) await this.#promised.promise(file, sealed.draft, null);
    });
    if (draft !== null && draft !== sealed?.draft && failure?.draft === draft)
      await this.uploads.failed(file, draft, failure.error);
  }

  /** The bytes of `draft` are stored, perhaps under another name, or nobody wants them. */
  async retire(draft: Draft): Promise<void> {
    // Programs that still have it open keep it for as long as they like: nobody may wait for its room.
    draft.setLeaving(false);
    await this.#records.orLog(`/${draft.facts.key}`, () =>
      this.#records.inTurn([draft], async () => {
        const record = this.#records.get(draft.id);
        if (record !== undefined && record.state !== 'stored')
          await this.#records.done([storedRecord(record)], []);
      }),
    );
  }

  /** Deletes a draft that is stored, or that nobody wants. */
  async drop(draft: Draft): Promise<void> {
    await this.retire(draft);
    await this.#left.drop(draft);
  }

  #noteAttributes(file: OpenFile, draft: Draft): void {
    const isOnShelf = draft === file.draft && file.shelf !== null;
    if (isOnShelf || this.#records.get(draft.id) !== undefined)
      this.#attributes.setDraft(draft.id, file.wishesOf(draft).local);
  }

  /** Its links are not owed any more when `records` are on the disk. */
  async #settleNow(file: OpenFile, records: readonly DraftRecord[]): Promise<void> {
    const { owedLinks } = file;
    await this.#records.putAll(
      records,
      owedLinks.map((link) => remove('draft', link)),
    );
    file.owedLinks = file.owedLinks.filter((link) => !owedLinks.includes(link));
  }

  async #describedAll(file: OpenFile): Promise<DraftRecord[]> {
    const records: DraftRecord[] = [];
    for (const draft of draftsOf(file)) {
      const record = await this.#records.described(file, draft);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  /** Whether no record holds for the bytes of `draft`. */
  #mayChange(draft: Draft): boolean {
    const record = this.#records.get(draft.id);
    return record === undefined || record.state === 'open';
  }
}
