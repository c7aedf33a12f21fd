/**
 * Which record does each draft have? On the disk first, and known here only then: nobody may build on what a crash would lose. Who
 * makes a record of the one before does so in the draft's turn: another may just be on its way to the disk.
 */
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { Turns } from '../../base/turns.ts';
import type { Draft } from '../../content/draft.ts';
import { put, remove, type Journal, type JournalChange } from '../../content/journal/journal.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { keyOfPath } from '../../store/keys.ts';
import { doubtsOf, draftFactsOf, draftsOf, leftCopyOf, newRecord, storedRecord } from './draft-records.ts';
import type { Visibility } from '../../service/records.ts';
import type { OpenFile, Wishes } from '../open-file.ts';

export interface RecordedDraftsParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  /** What a mount makes of all that is written there, whatever was there before; null: that depends. */
  readonly visibility: Visibility | null;
}

export type Unsent = Pick<DraftRecord, 'state'> & Partial<DraftRecord>;

/** Of one mount. Whatever changes a record rejects with the disk's error, and is as nothing after `close`. */
export class RecordedDrafts {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #visibility: Visibility | null;
  readonly #turns = new Turns<Draft>();
  /** By the identifiers of drafts. */
  readonly #records = new Map<string, DraftRecord>();
  #isClosed = false;

  constructor({ journal, clock, log, visibility }: RecordedDraftsParts) {
    this.#journal = journal;
    this.#clock = clock;
    this.#log = log;
    this.#visibility = visibility;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs `change`, of the records of `drafts`, when all changes of theirs that were asked for before have ended; rejects as it does. */
  inTurn<Result>(drafts: Iterable<Draft>, change: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(drafts, change);
  }

  get(id: string): DraftRecord | undefined {
    return this.#records.get(id);
  }

  /** Whether the next mount would show or list the draft. */
  isUnsent(id: string): boolean {
    const record = this.#records.get(id);
    return record !== undefined && record.state !== 'stored';
  }

  /** The journal has it already, or is about to. */
  know(record: DraftRecord): void {
    this.#records.set(record.id, record);
  }

  /** What the journal has of it is nothing to this mount any more. */
  disown(id: string): void {
    this.#records.delete(id);
  }

  async putAll(records: readonly DraftRecord[], changes: readonly JournalChange[] = []): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.commit([...changes, ...records.map((record) => put('draft', record))]);
    } catch (error) {
      this.#takeBack(records);
      throw error;
    }
    for (const record of records) this.#records.set(record.id, record);
  }

  /**
   * As `putAll`, of what has been done: known whether the disk takes it or not, which is given it again then, together with what comes
   * next. Only a record that promises a link is known until the disk has the one that does not: the next mount would find it.
   */
  async done(records: readonly DraftRecord[], changes: readonly JournalChange[]): Promise<void> {
    if (this.#isClosed) return;
    for (const record of records) if (!this.#endsPromise(record)) this.#records.set(record.id, record);
    const all = [...changes, ...records.map((record) => put('draft', record))];
    try {
      await this.commit(all);
    } catch (error) {
      this.#journal.makeLater(all);
      throw error;
    }
    for (const record of records) this.#records.set(record.id, record);
  }

  /** What `done` was told is on the disk when this resolves. */
  async allDone(): Promise<void> {
    if (!this.#isClosed) await this.#journal.allMade();
  }

  async commit(changes: readonly JournalChange[]): Promise<void> {
    if (!this.#isClosed && changes.length > 0) await this.#journal.commit(changes);
  }

  close(): void {
    this.#isClosed = true;
  }

  /**
   * The record of `draft`, one of `file`, with `change`: bytes and header are on the disk then, and it is the caller's to put. Says
   * nothing of the MD5 where that would take a reading of more than `mostRead` bytes.
   */
  async durable(file: OpenFile, draft: Draft, change: Unsent, mostRead = Infinity): Promise<DraftRecord> {
    const record = await this.#written(file, draft, change, mostRead);
    await draft.sync();
    return record;
  }

  /**
   * Puts the first record of `draft`, which it is with `change`, while bytes and header go to the disk: who waits for both waits for one
   * sync of the disk, not for two. Until the draft's next record the one on the disk says so (`isAhead`), and the next mount looks whether the bytes
   * are there before it shows anything (local-state.ts).
   */
  async putFirst(file: OpenFile, draft: Draft, change: Unsent): Promise<void> {
    const record = await this.#written(file, draft, change, Infinity);
    if (this.#isClosed || file.detached) return;
    const committing = this.commit([put('draft', { ...record, isAhead: true })]);
    const [synced, recorded] = await Promise.allSettled([draft.sync(), committing]);
    if (synced.status === 'rejected') {
      await this.orLog(file.path, () => this.done([], [remove('draft', record)]));
      throw synced.reason;
    }
    if (recorded.status === 'rejected') {
      this.#takeBack([record]);
      throw recorded.reason;
    }
    this.#records.set(record.id, record);
  }

  /** The record of `draft` as `file` is now, which is the caller's to put; the draft says so itself then. Undefined: it has none. Rejects with the disk's error. */
  async described(file: OpenFile, draft: Draft): Promise<DraftRecord | undefined> {
    const { createdAt, sealed: before, key } = draft.facts;
    const isRenamed = key !== keyOfPath(file.path);
    const sealed = before !== null && isRenamed ? { ...before, at: this.#clock.now() } : before;
    const facts = draftFactsOf(file, { createdAt, sealed }, this.#promisedOf(file, draft));
    await draft.describe(facts);
    const record = this.#records.get(draft.id);
    // What waits under the new name came before.
    const sequence = this.#journal.nextSequence();
    // Of an upload under way only the record says yet what it may do.
    const doubts = file.uploading ? {} : doubtsOf(file);
    return record === undefined ? undefined : { ...record, ...doubts, ...leftCopyOf(file), facts, sequence };
  }

  /** What the records of the drafts of `file` will be when nobody wants these. */
  ended(file: OpenFile): DraftRecord[] {
    return [...draftsOf(file)]
      .filter(({ id }) => this.isUnsent(id))
      .flatMap(({ id }) => this.#records.get(id) ?? [])
      .map(storedRecord);
  }

  /** For what must go on without. The bytes are here all the same; only a crash would tell the difference. */
  async orLog(path: string, record: () => Promise<void>): Promise<void> {
    try {
      await record();
    } catch (error) {
      const cause = describeError(error);
      this.#log.error('what is not stored could not be recorded: a crash may lose it', { path, cause });
    }
  }

  /** Whether the next mount would not make public any more what may still be stored. */
  #endsPromise({ id, state, visibilityBefore }: DraftRecord): boolean {
    const isOwed = this.#records.get(id)?.visibilityBefore === 'public';
    return isOwed && state !== 'stored' && visibilityBefore !== 'public';
  }

  /** What is wished of `draft`, for whichever mount stores it: a file that was to be private is no matter of the next one's settings. */
  #promisedOf(file: OpenFile, draft: Draft): Readonly<Wishes> {
    const wishes = file.wishesOf(draft);
    return { ...wishes, visibility: wishes.visibility ?? this.#visibility };
  }

  /** The disk may have `records`, though it says that it has not: it is told what holds instead, with what it takes next. */
  #takeBack(records: readonly DraftRecord[]): void {
    this.#journal.forgetLater(
      records.map((record) => {
        const known = this.#records.get(record.id);
        return known === undefined ? remove('draft', record) : put('draft', known);
      }),
    );
  }

  /** The record of `draft` with `change`, of which the disk may not have bytes and header yet. */
  async #written(file: OpenFile, draft: Draft, change: Unsent, mostRead: number): Promise<DraftRecord> {
    const wishes = this.#promisedOf(file, draft);
    const { createdAt, sealed: described } = draft.facts;
    // What an earlier process has said of bytes that nobody has changed since: the disk may have.
    const isSaid = draft.revision === 0 && described?.size === draft.size && described.md5 !== null;
    const md5 = isSaid ? described.md5 : await draft.md5Within(mostRead);
    const whole = { size: draft.size, md5 };
    // To try the same bytes again, or to set their mode, makes them no later (leftovers.ts).
    const isSame = described?.size === whole.size && described.md5 === whole.md5;
    const at = isSame ? described.at : (wishes.local.ctime ?? this.#clock.now());
    const facts = draftFactsOf(file, { createdAt, sealed: { ...whole, at } }, wishes);
    await draft.describe(facts);
    const { id } = draft;
    const known = this.#records.get(id);
    const before = known ?? newRecord(file, { id, sequence: this.#journal.nextSequence(), facts });
    return { ...before, ...doubtsOf(file), ...leftCopyOf(file), facts, reason: null, ...change };
  }
}
