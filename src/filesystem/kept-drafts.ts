/**
 * What of the files that are not stored must outlive the process, and when is it on the disk?
 *
 * A close that stores its file promises nothing of the local disk, so it costs no record. A record is made when an upload
 * failed, when the mount ends before one, and before a PUT that takes a public link away: whoever finds that file private after a
 * crash must know that it was not. Bytes and header are on the disk before the record that names them. A record holds for bytes
 * that do not change: before they do, it says so. With `--write-back` every close makes one (`seal`).
 */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Draft } from '../content/draft.ts';
import type { DraftFacts, VersionRecord } from '../content/draft-facts.ts';
import { put, remove, type Journal, type JournalChange } from '../content/journal/journal.ts';
import type { DraftRecord } from '../content/journal/records.ts';
import type { KeptAttributes } from '../content/journal/kept-attributes.ts';
import { factsOf } from '../content/version-facts.ts';
import type { LocalAttributes, Version } from '../store/version.ts';
import { toFsError } from './errno-of.ts';
import { draftFactsOf, draftsOf, storedRecord } from './draft-records.ts';
import type { OpenFile } from './open-file.ts';
import type { RestingDrafts } from './resting-drafts.ts';

export interface KeptDraftsParts {
  readonly journal: Journal;
  readonly resting: RestingDrafts;
  readonly attributes: KeptAttributes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Of bytes that have not changed since, and will be sent by the next mount. */
const TOLD: ReadonlySet<DraftRecord['state']> = new Set(['queued', 'failed', 'end unknown']);

type Unsent = Pick<DraftRecord, 'state'> & Partial<DraftRecord>;

/** The records of one mount's drafts. */
export class KeptDrafts {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #resting: RestingDrafts;
  readonly #attributes: KeptAttributes;
  /** By the identifiers of drafts. */
  readonly #records = new Map<string, DraftRecord>();
  /** Those in whose place a close promises others, with these: no upload of theirs that is still under way brings them back. */
  readonly #superseded = new Map<string, Promise<Draft>>();
  #isClosed = false;

  constructor(parts: KeptDraftsParts) {
    this.#journal = parts.journal;
    this.#attributes = parts.attributes;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#resting = parts.resting;
  }

  /** Drafts of `file` that the next mount would show. */
  recorded(file: OpenFile): string[] {
    return [...draftsOf(file)].map(({ id }) => id).filter((id) => this.#isRecorded(id));
  }

  recordOf(draft: Draft): DraftRecord | undefined {
    return this.#records.get(draft.id);
  }

  /** A draft of an earlier mount that the journal knows by `record`. Returns its local attributes. */
  async adopt(record: DraftRecord): Promise<LocalAttributes> {
    this.#records.set(record.id, record);
    const { local } = record.facts;
    const later = await this.#attributes.ofDraft(record.id);
    return later !== undefined && (later.ctime ?? 0) > (local.ctime ?? 0) ? later : local;
  }

  /** The record stays, and is somebody else's to look after. */
  disown(record: DraftRecord): void {
    this.#records.delete(record.id);
  }

  /** Nobody wants the draft any more. Rejects with the disk's error. */
  async forget(id: string, record: DraftRecord | null): Promise<void> {
    if (record !== null) await this.#commit([remove('draft', record)]);
    this.#records.delete(id);
  }

  /** No record changes from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * A close promises what `draft` holds, in place of what `before` holds; the bytes of both do not change any more. Rejects with
   * the disk's error: nothing is promised then.
   */
  async seal(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    if (this.#isClosed) return;
    const sealing = this.#sealAnew(file, draft, before);
    const inPlace = sealing.then(() => draft);
    inPlace.catch(() => undefined);
    if (before !== null) this.#superseded.set(before.id, inPlace);
    try {
      await sealing;
    } catch (error) {
      if (before !== null) this.#superseded.delete(before.id);
      throw error;
    }
    // An unlink may have come between.
    if (file.detached) await this.retire(draft);
  }

  /** Call before the bytes of `draft` change. Rejects with the disk's error: they must not, then. */
  async changing(file: OpenFile, draft: Draft): Promise<void> {
    const record = this.#records.get(draft.id);
    if (record === undefined || record.state === 'open') return;
    const facts = { ...record.facts, sealed: null };
    await draft.describe(facts);
    const open: DraftRecord = { ...record, state: 'open', facts };
    const attempt = record.unconfirmed.at(-1);
    const mayBeDown = attempt !== undefined && record.visibilityBefore === 'public';
    const owed = mayBeDown && file.owedLink === null ? this.#owedLink(file, draft, attempt) : null;
    await this.#commit([put('draft', open), ...(owed === null ? [] : [put('draft', owed)])]);
    this.#records.set(open.id, open);
    file.owedLink ??= owed;
  }

  /**
   * Call before a PUT of `draft` that makes a public file private; it may end as `attempt`. Whether the disk takes the record or
   * not, the upload goes on: it is what makes room.
   */
  async replacing(file: OpenFile, draft: Draft, attempt: Version): Promise<void> {
    const unconfirmed = [...file.unconfirmed, attempt].map(factsOf);
    await this.#orLog(file.path, async () => {
      const later = await this.#inPlaceOf(draft);
      if (later === draft)
        await this.#keep(file, draft, { state: 'uploading', unconfirmed, visibilityBefore: 'public' });
      // The bytes promised since are what the next mount finds.
      else await this.#takesLink(file, later);
    });
  }

  /** An upload of `draft` has failed, and will be tried again. */
  async failed(file: OpenFile, draft: Draft, error: unknown): Promise<void> {
    const attempts = (this.#records.get(draft.id)?.attempts ?? 0) + 1;
    const { code } = toFsError(error, file.path);
    const lastFailure = { at: this.#clock.now(), code, message: describeError(error) };
    const state = file.endUnknown ? 'end unknown' : 'failed';
    await this.#orLog(file.path, () => this.#keep(file, draft, { state, attempts, lastFailure }));
  }

  /** The mount ends, and the bytes were not stored. */
  async left(file: OpenFile, draft: Draft): Promise<void> {
    await this.#orLog(file.path, async () => {
      const known = this.#records.get(draft.id);
      if (!file.uploading) {
        const isTold = known !== undefined && TOLD.has(known.state);
        if (!isTold) await this.#keep(file, draft, { state: 'queued' });
        return;
      }
      const unconfirmed = [...file.unconfirmed.map(factsOf), await this.#attempt(draft)];
      await this.#keep(file, draft, { state: 'end unknown', unconfirmed });
    });
  }

  /** `file` has another name now, where it replaces `replaced`, or its upload shall do something else. */
  async redescribe(file: OpenFile, replaced: OpenFile | null = null): Promise<void> {
    await this.#orLog(file.path, async () => {
      const records = replaced === null ? [] : this.#ended(replaced);
      for (const draft of draftsOf(file)) {
        const { createdAt, sealed } = draft.facts;
        const facts = draftFactsOf(file, { createdAt, sealed }, file.wishesOf(draft));
        await draft.describe(facts);
        const record = this.#records.get(draft.id);
        // What waits under the new name came before.
        const sequence = this.#journal.nextSequence();
        if (record !== undefined) records.push({ ...record, ...this.#doubts(file), facts, sequence });
      }
      await this.#putAll(records);
    });
  }

  /** A program has set attributes of `file`. What is recorded of its draft shall not have to wait for the disk again. */
  attributesSet(file: OpenFile): void {
    const { draft } = file;
    if (draft !== null && this.#records.has(draft.id)) this.#attributes.setDraft(draft.id, file.local);
  }

  /** The service has the bytes; the file's link is still owed when `owed` is its version. */
  async stored(file: OpenFile, draft: Draft, owed: Version | null): Promise<void> {
    const settled = this.#takeOwed(file);
    const changes = settled === null ? [] : [remove('draft', settled)];
    const known = this.#records.get(draft.id);
    const record = known === undefined ? null : storedRecord(known);
    if (record !== null) changes.push(put('draft', record));
    if (owed !== null) {
      file.owedLink = this.#owedLink(file, draft, factsOf(owed));
      changes.push(put('draft', file.owedLink));
    }
    await this.#orLog(file.path, () => this.#commit(changes));
    if (record !== null) this.#records.set(record.id, record);
  }

  /** The link of `file` is not owed any more. */
  async linkSettled(file: OpenFile): Promise<void> {
    const settled = this.#takeOwed(file);
    if (settled !== null) await this.#orLog(file.path, () => this.#commit([remove('draft', settled)]));
  }

  /** `file` has lost its name: no later mount shall find its draft. */
  async detached(file: OpenFile): Promise<void> {
    for (const draft of draftsOf(file)) {
      await this.retire(draft);
      await this.#orLog(file.path, () => draft.hide());
    }
    const { draft, sealed } = file;
    file.sealed = null;
    if (sealed !== null && sealed.draft !== draft) await this.drop(sealed.draft);
    await this.linkSettled(file);
  }

  /** Of `file` nobody wants what is here: takes that down together with `changes`. Rejects with the disk's error. */
  async ending(file: OpenFile, changes: readonly JournalChange[]): Promise<void> {
    await this.#putAll(this.#ended(file), changes);
  }

  /** As `retire`, of all drafts of `file`. */
  async retireAll(file: OpenFile): Promise<void> {
    await this.#orLog(file.path, () => this.#putAll(this.#ended(file)));
  }

  /** The bytes of `draft` are stored, perhaps under another name, or nobody wants them. */
  async retire(draft: Draft): Promise<void> {
    const record = this.#records.get(draft.id);
    if (record === undefined || record.state === 'stored') return;
    await this.#orLog(record.facts.key, () => this.#put(storedRecord(record)));
  }

  /** Deletes a draft that is stored, or that nobody wants. */
  async drop(draft: Draft): Promise<void> {
    await this.retire(draft);
    await draft.remove();
    this.#superseded.delete(draft.id);
    const record = this.#records.get(draft.id);
    if (record === undefined) return;
    this.#records.delete(draft.id);
    this.#attributes.setDraft(draft.id, undefined);
    // Without its file a stored record means nothing.
    if (!this.#isClosed) this.#journal.forgetLater([remove('draft', record)]);
  }

  /** `draft` will not be sent, and nobody has it open: its file stays, for a person to find. Rejects with the disk's error. */
  async setAside(file: OpenFile, draft: Draft, reason: string): Promise<void> {
    await this.#keep(file, draft, { state: 'set aside', reason });
    await draft.close();
    const record = this.#records.get(draft.id);
    this.#records.delete(draft.id);
    if (record !== undefined) this.#resting.add(draft.id, { kind: 'draft', record });
  }

  async #sealAnew(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    for (let path: string | null = null; path !== file.path;) {
      // A rename may come between.
      path = file.path;
      await this.#promise(file, draft, before);
    }
  }

  /** The draft that is promised in the end in place of `draft`, or `draft`. */
  async #inPlaceOf(draft: Draft): Promise<Draft> {
    const later = await this.#superseded.get(draft.id)?.catch(() => draft);
    return later === undefined || later === draft ? draft : this.#inPlaceOf(later);
  }

  async #takesLink(file: OpenFile, draft: Draft): Promise<void> {
    const record = this.#records.get(draft.id);
    if (file.detached || record === undefined || record.state === 'stored') return;
    await this.#put({ ...record, visibilityBefore: 'public' });
  }

  async #promise(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    const attempts = before === null ? [] : [await this.#attempt(before)];
    // An upload of those bytes may be under way, or begin before anybody knows of these.
    const unconfirmed = [...file.unconfirmed.map(factsOf), ...attempts];
    const change = { state: 'queued', attempts: 0, lastFailure: null, unconfirmed } as const;
    const durable = await this.#durable(file, draft, change);
    const replaced = before === null ? undefined : this.#records.get(before.id);
    // An upload under way may have taken the link away.
    const visibilityBefore = durable.visibilityBefore ?? replaced?.visibilityBefore ?? null;
    const record = { ...durable, visibilityBefore };
    const gone = replaced === undefined ? [] : [put('draft', storedRecord(replaced))];
    await this.#commit([put('draft', record), ...gone]);
    this.#records.set(record.id, record);
  }

  async #keep(file: OpenFile, draft: Draft, change: Unsent): Promise<void> {
    if (!this.#isMeant(file, draft)) return;
    const record = await this.#durable(file, draft, change);
    // Once more: that has taken its time.
    if (this.#isMeant(file, draft)) await this.#put(record);
  }

  #isMeant(file: OpenFile, draft: Draft): boolean {
    return !this.#isClosed && !file.detached && !this.#superseded.has(draft.id);
  }

  /** The record of `draft`, whose bytes and header are on the disk then. */
  async #durable(file: OpenFile, draft: Draft, change: Unsent): Promise<DraftRecord> {
    const sealed = { size: draft.size, md5: await draft.md5(), at: this.#clock.now() };
    const { createdAt } = draft.facts;
    const facts = draftFactsOf(file, { createdAt, sealed }, file.wishesOf(draft));
    await draft.describe(facts);
    await draft.sync();
    const before = this.#records.get(draft.id) ?? this.#newRecord(file, draft.id, facts);
    return { ...before, ...this.#doubts(file), facts, reason: null, ...change };
  }

  /** What an upload of `draft` stores, or has stored. */
  async #attempt(draft: Draft): Promise<VersionRecord> {
    const [md5, lastModified] = [await draft.md5(), this.#clock.now()];
    const { contentType } = draft.facts;
    return { size: draft.size, etag: null, md5, lastModified, storedWithin: null, contentType };
  }

  #newRecord(file: OpenFile, id: string, facts: DraftFacts): Omit<DraftRecord, 'state'> {
    const sequence = this.#journal.nextSequence();
    const plain = { id, sequence, facts, reason: null, publish: null, attempts: 0, lastFailure: null };
    return { ...plain, ...this.#doubts(file) };
  }

  /** That `version`, which is or may be stored, is to be made public again. */
  #owedLink(file: OpenFile, draft: Draft, version: VersionRecord): DraftRecord {
    const id = `link-${draft.id}-${this.#journal.nextSequence()}`;
    const facts = draftFactsOf(file, { createdAt: draft.facts.createdAt, sealed: null });
    return { ...this.#newRecord(file, id, facts), state: 'stored', publish: version };
  }

  #doubts(file: OpenFile): Pick<DraftRecord, 'unconfirmed' | 'visibilityBefore'> {
    const visibilityBefore = file.publishPending ? 'public' : file.visibilityBefore;
    return { unconfirmed: file.unconfirmed.map(factsOf), visibilityBefore };
  }

  #takeOwed(file: OpenFile): DraftRecord | null {
    const owed = file.owedLink;
    file.owedLink = null;
    return owed;
  }

  #isRecorded(id: string): boolean {
    const record = this.#records.get(id);
    return record !== undefined && record.state !== 'stored';
  }

  #ended(file: OpenFile): DraftRecord[] {
    return [...draftsOf(file)]
      .flatMap(({ id }) => this.#records.get(id) ?? [])
      .filter(({ state }) => state !== 'stored')
      .map(storedRecord);
  }

  async #put(record: DraftRecord): Promise<void> {
    await this.#putAll([record]);
  }

  async #putAll(records: readonly DraftRecord[], changes: readonly JournalChange[] = []): Promise<void> {
    await this.#commit([...changes, ...records.map((record) => put('draft', record))]);
    // Not before: what is not on the disk must not be taken for recorded.
    for (const record of records) this.#records.set(record.id, record);
  }

  async #commit(changes: readonly JournalChange[]): Promise<void> {
    if (!this.#isClosed && changes.length > 0) await this.#journal.commit(changes);
  }

  /** The bytes are here all the same; only a crash would tell the difference. */
  async #orLog(path: string, record: () => Promise<void>): Promise<void> {
    try {
      await record();
    } catch (error) {
      const cause = describeError(error);
      this.#log.error('what is not stored could not be recorded: a crash may lose it', { path, cause });
    }
  }
}
