/**
 * What of the files that are not stored must outlive the process, and when is it on the disk?
 *
 * A close that stores its file promises nothing of the local disk, so it costs no record. A record is made when an upload
 * failed, when the mount ends before one, and before a PUT that takes a public link away: whoever finds that file private after a
 * crash must know that it was not. Bytes and header are on the disk before the record that names them. A record holds for bytes
 * that do not change: before they do, it says so.
 */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Draft } from '../content/draft.ts';
import type { DraftFacts, VersionRecord } from '../content/draft-facts.ts';
import { put, remove, type Journal, type JournalChange } from '../content/journal/journal.ts';
import type { DraftRecord } from '../content/journal/records.ts';
import { factsOf } from '../content/version-facts.ts';
import { keyOfPath } from '../store/keys.ts';
import type { Version } from '../store/version.ts';
import { toFsError } from './errno-of.ts';
import type { OpenFile } from './open-file.ts';

type Unsent = Pick<DraftRecord, 'state'> & Partial<DraftRecord>;

/** The records of one mount's drafts. */
export class KeptDrafts {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #log: Log;
  /** By the identifiers of drafts. */
  readonly #records = new Map<string, DraftRecord>();
  #isClosed = false;

  constructor(parts: { readonly journal: Journal; readonly clock: Clock; readonly log: Log }) {
    this.#journal = parts.journal;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** A draft of an earlier mount that the journal knows by `record`. */
  adopt(record: DraftRecord): void {
    this.#records.set(record.id, record);
  }

  /** No record changes from now on. */
  close(): void {
    this.#isClosed = true;
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
    await this.#orLog(file.path, () =>
      this.#keep(file, draft, { state: 'uploading', unconfirmed, visibilityBefore: 'public' }),
    );
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
        const isTold = known?.state === 'failed' || known?.state === 'end unknown';
        if (!isTold) await this.#keep(file, draft, { state: 'queued' });
        return;
      }
      const attempt: VersionRecord = {
        size: draft.size,
        etag: null,
        md5: await draft.md5(),
        lastModified: this.#clock.now(),
        storedWithin: null,
        contentType: file.contentType,
      };
      const unconfirmed = [...file.unconfirmed.map(factsOf), attempt];
      await this.#keep(file, draft, { state: 'end unknown', unconfirmed });
    });
  }

  /** `file` has another name now, or its upload shall do something else. */
  async redescribe(file: OpenFile): Promise<void> {
    const { draft } = file;
    if (draft === null) return;
    await this.#orLog(file.path, async () => {
      const { createdAt, sealed } = draft.facts;
      const facts = draftFactsOf(file, { createdAt, sealed });
      await draft.describe(facts);
      const record = this.#records.get(draft.id);
      if (record === undefined) return;
      // What waits under the new name came before.
      const sequence = this.#journal.nextSequence();
      await this.#put({ ...record, ...this.#doubts(file), facts, sequence });
    });
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
    const { draft } = file;
    if (draft === null) return;
    await this.retire(draft);
    await this.#orLog(file.path, () => draft.hide());
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
    const record = this.#records.get(draft.id);
    if (record === undefined) return;
    this.#records.delete(draft.id);
    // Nobody need wait: without its file a stored record means nothing.
    void this.#orLog(record.facts.key, () => this.#commit([remove('draft', record)]));
  }

  /** `draft` will not be sent, and nobody has it open: its file stays, for a person to find. Rejects with the disk's error. */
  async setAside(file: OpenFile, draft: Draft, reason: string): Promise<void> {
    await this.#keep(file, draft, { state: 'set aside', reason });
    await draft.close();
    this.#records.delete(draft.id);
  }

  async #keep(file: OpenFile, draft: Draft, change: Unsent): Promise<void> {
    if (this.#isClosed || file.detached) return;
    const sealed = { size: draft.size, md5: await draft.md5(), at: this.#clock.now() };
    const facts = draftFactsOf(file, { createdAt: draft.facts.createdAt, sealed });
    await draft.describe(facts);
    await draft.sync();
    const before = this.#records.get(draft.id) ?? this.#newRecord(file, draft.id, facts);
    await this.#put({ ...before, ...this.#doubts(file), facts, reason: null, ...change });
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
    return { unconfirmed: file.unconfirmed.map(factsOf), visibilityBefore: file.visibilityBefore };
  }

  #takeOwed(file: OpenFile): DraftRecord | null {
    const owed = file.owedLink;
    file.owedLink = null;
    return owed;
  }

  async #put(record: DraftRecord): Promise<void> {
    await this.#commit([put('draft', record)]);
    // Not before: what is not on the disk must not be taken for recorded.
    this.#records.set(record.id, record);
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

/** What the draft of `file` says of itself. */
export function draftFactsOf(
  file: OpenFile,
  { createdAt, sealed }: Pick<DraftFacts, 'createdAt' | 'sealed'>,
): DraftFacts {
  return {
    key: keyOfPath(file.path),
    base: file.version === null ? null : factsOf(file.version),
    basis: file.basis,
    contentType: file.contentType,
    visibility: file.visibilityWish,
    local: file.local,
    createdAt,
    sealed,
  };
}

/** Nothing is left to do. */
function storedRecord(record: DraftRecord): DraftRecord {
  return { ...record, state: 'stored', publish: null, unconfirmed: [], visibilityBefore: null };
}
