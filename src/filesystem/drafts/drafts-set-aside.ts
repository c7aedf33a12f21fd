/**
 * A draft will not be sent, and a person may want it: where is it found? Its file stays; so does its record, where the local disk takes
 * one. This mount has nothing more to do with it.
 */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Draft } from '../../content/draft.ts';
import type { Journal } from '../../content/journal/journal.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { DraftDamaged } from './draft-damaged.ts';
import { newRecord } from './draft-records.ts';
import type { OpenFile } from '../open-file.ts';
import type { RecordedDrafts } from './recorded-drafts.ts';
import type { RestingDrafts } from './resting-drafts.ts';
import { SetAsideAgain } from './set-aside-again.ts';
import type { UnsentChange } from '../unsent/unsent-change.ts';
import type { PromisedDrafts } from '../write-back/promised-drafts.ts';

export interface DraftsSetAsideParts {
  readonly records: RecordedDrafts;
  readonly promised: PromisedDrafts;
  readonly journal: Journal;
  readonly resting: RestingDrafts;
  readonly clock: Clock;
  readonly log: Log;
}

/** Drafts that nobody has open, of one mount. */
export class DraftsSetAside {
  readonly #records: RecordedDrafts;
  readonly #promised: PromisedDrafts;
  readonly #journal: Journal;
  readonly #resting: RestingDrafts;
  readonly #clock: Clock;
  readonly #again: SetAsideAgain;
  readonly #ids = new Set<string>();

  constructor({ records, promised, journal, resting, clock, log }: DraftsSetAsideParts) {
    this.#records = records;
    this.#promised = promised;
    this.#journal = journal;
    this.#resting = resting;
    this.#clock = clock;
    this.#again = new SetAsideAgain({ records, resting, log });
  }

  /** What was left by earlier mounts is set aside by now, and named as this one begins: it is none of this one's. */
  mountBegins(): void {
    this.#ids.clear();
  }

  /** Those of this mount that nobody has sent, exported or discarded since. Rejects with the disk's error. */
  async list(): Promise<UnsentChange[]> {
    const resting = await this.#resting.list();
    return resting.filter(({ id }) => this.#ids.has(id));
  }

  /** Runs `laying`, at whose end `draft` is set aside or `file` has it again: people find it in the list all the while. Rejects as `laying`. */
  async listedWhile<Result>(file: OpenFile, draft: Draft, laying: () => Promise<Result>): Promise<Result> {
    const { id, facts, size, poisoned } = draft;
    const known = this.#records.get(id) ?? newRecord(file, { id, sequence: 0, facts });
    const isHalf = poisoned !== null || file.failure?.error instanceof DraftDamaged;
    const sealed = isHalf ? null : { size, md5: null, at: this.#clock.now() };
    const record: DraftRecord = { ...known, state: 'set aside', facts: { ...known.facts, sealed } };
    return this.#resting.listedWhile(record, laying);
  }

  /** `draft` will not be sent, and nobody has it open: its file stays, for a person to find. Rejects with the disk's error. */
  async whole(file: OpenFile, draft: Draft, reason: string): Promise<void> {
    await this.#promised.keep(file, draft, () => ({ state: 'set aside', reason }));
    await draft.close();
    const record = this.#records.get(draft.id);
    this.#records.disown(draft.id);
    if (record === undefined) return;
    this.#add(draft.id, record);
    await this.#again.dropEarlier(record);
  }

  /** As `whole`, of bytes that the local disk has cut or damaged since they were kept: half a file. Rejects with the disk's error. */
  async cut(file: OpenFile, draft: Draft, reason: string): Promise<void> {
    const { id, facts } = draft;
    const known =
      this.#records.get(id) ?? newRecord(file, { id, sequence: this.#journal.nextSequence(), facts });
    const record: DraftRecord = {
      ...known,
      state: 'set aside',
      reason,
      facts: { ...known.facts, sealed: null },
    };
    const path = `/${known.facts.key}`;
    // Else who stores it because a person says so would compare it with what it was.
    await this.#records.orLog(path, () => draft.describe(record.facts));
    await this.#records.orLog(path, () => this.#records.putAll([record]));
    await draft.close();
    this.#records.disown(draft.id);
    this.#add(draft.id, record);
  }

  /** As `whole`, where the local disk takes no record: people find the draft as long as this mount is there. Rejects with the disk's error. */
  async unrecorded(file: OpenFile, draft: Draft, reason: string): Promise<void> {
    const { id, size } = draft;
    const sealed = { size, md5: await draft.md5(), at: this.#clock.now() };
    const known = this.#records.get(id);
    const facts = { ...(known?.facts ?? draft.facts), sealed };
    const record = known ?? newRecord(file, { id, sequence: this.#journal.nextSequence(), facts });
    await draft.close();
    this.#records.disown(id);
    this.#add(id, { ...record, facts, state: 'set aside', reason });
  }

  #add(id: string, record: DraftRecord): void {
    this.#ids.add(id);
    this.#resting.add(id, { kind: 'draft', record });
  }
}
