/**
 * With `--write-back` a close promises other bytes than the close before it, whose upload may just begin: which of the two does the
 * next mount find, and what must it know of the other?
 *
 * Only the later one. An upload of the earlier one may take the file's link away meanwhile, so its PUT waits until the record of the
 * later one says so.
 */
import type { Clock } from '../../base/clock.ts';
import type { Draft } from '../../content/draft.ts';
import { factsOf } from '../../content/version-facts.ts';
import type { Version } from '../../store/version.ts';
import { attemptOf, storedRecord } from '../draft-records.ts';
import type { OpenFile } from '../open-file.ts';
import type { RecordedDrafts, Unsent } from '../recorded-drafts.ts';

/** Rejects with the disk's error. */
export class PromisedDrafts {
  readonly #records: RecordedDrafts;
  readonly #clock: Clock;
  /** In whose place a close promises others, with these: no upload of theirs that is still under way brings them back. */
  readonly #superseded = new WeakMap<Draft, Promise<Draft>>();

  constructor(records: RecordedDrafts, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  /** Promises what `draft` holds, in place of what `before` holds. When it rejects nothing has changed. */
  async promise(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    const promising = this.#promiseAnew(file, draft, before);
    if (before === null) return promising;
    const inPlace = promising.then(() => draft);
    // The program that closes hears of it below; who asks what took a draft's place goes on with that draft.
    inPlace.catch(() => undefined);
    this.#superseded.set(before, inPlace);
    try {
      await promising;
    } catch (error) {
      this.#superseded.delete(before);
      throw error;
    }
  }

  /** Records `change` of `draft`, and returns true; unless nobody is to find it any more. */
  async keep(file: OpenFile, draft: Draft, change: Unsent): Promise<boolean> {
    if (!this.#isMeant(file, draft)) return false;
    const record = await this.#records.durable(file, draft, change);
    // Once more: that has taken its time.
    if (!this.#isMeant(file, draft)) return false;
    await this.#records.put(record);
    return true;
  }

  /** A PUT of `draft` is about to take the link of `file` away, and may end as `attempt`: so says then what the next mount finds. */
  async takesLink(file: OpenFile, draft: Draft, attempt: Version): Promise<void> {
    const unconfirmed = [...file.unconfirmed, attempt].map(factsOf);
    let told: Draft | null = null;
    while (!file.detached && !this.#records.isClosed) {
      const latest = await this.#inPlaceOf(draft);
      // Closes that come from now on find it in the record before theirs.
      if (latest === told) return;
      const isTold: boolean =
        latest === draft
          ? await this.keep(file, draft, { state: 'uploading', unconfirmed, visibilityBefore: 'public' })
          : await this.#tell(file, latest);
      told = isTold ? latest : null;
    }
  }

  /** The draft that is promised in the end in place of `draft`, or `draft`. */
  async #inPlaceOf(draft: Draft): Promise<Draft> {
    const later = await this.#superseded.get(draft)?.catch(() => draft);
    return later === undefined || later === draft ? draft : this.#inPlaceOf(later);
  }

  async #tell(file: OpenFile, draft: Draft): Promise<boolean> {
    if (!this.#isMeant(file, draft)) return false;
    const record = this.#records.get(draft.id);
    if (record !== undefined && record.state !== 'stored')
      await this.#records.put({ ...record, visibilityBefore: 'public' });
    return true;
  }

  #isMeant(file: OpenFile, draft: Draft): boolean {
    return !this.#records.isClosed && !file.detached && !this.#superseded.has(draft);
  }

  async #promiseAnew(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    for (let path: string | null = null; path !== file.path;) {
      // A rename may come between.
      path = file.path;
      await this.#promise(file, draft, before);
    }
  }

  async #promise(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    // An upload may be under way, of those bytes or of others before them; one of those may begin before anybody knows of these.
    const mayArrive = [...new Set([file.goingUp ?? before, before])].filter((each) => each !== null);
    const attempts = mayArrive.map((each) => attemptOf(each, this.#clock.now()));
    const unconfirmed = [...file.unconfirmed.map(factsOf), ...(await Promise.all(attempts))];
    const change = { state: 'queued', attempts: 0, lastFailure: null, unconfirmed } as const;
    const durable = await this.#records.durable(file, draft, change);
    const replaced = before === null ? undefined : this.#records.get(before.id);
    // An upload under way may have taken the link away.
    const visibilityBefore = durable.visibilityBefore ?? replaced?.visibilityBefore ?? null;
    const gone = replaced === undefined ? [] : [storedRecord(replaced)];
    await this.#records.putAll([{ ...durable, visibilityBefore }, ...gone]);
  }
}
