/**
 * With `--write-back` a close promises other bytes than the close before it, whose upload may just begin: which of the two does the
 * next mount find, and what must it know of the other?
 *
 * Only the later one. An upload of the earlier one may take the file's link away meanwhile, so its PUT waits until the record of the
 * later one says so; and also until that promises no link any more that somebody else has taken away.
 */
import type { Clock } from '../../base/clock.ts';
import type { Draft } from '../../content/draft.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { factsOf } from '../../content/version-facts.ts';
import type { Visibility } from '../../service/records.ts';
import type { Version } from '../../store/version.ts';
import { attemptOf, doubtsOf, storedRecord } from '../drafts/draft-records.ts';
import type { OpenFile } from '../open-file.ts';
import type { RecordedDrafts, Unsent } from '../drafts/recorded-drafts.ts';

/** What of the record of a draft, `known` before, is to be another; null: nothing. */
export type ChangeOfRecord = (known: DraftRecord | undefined) => Unsent | null | Promise<Unsent | null>;

/**
 * A program waits for the end of its upload, or a person for that of the mount, while what is kept is recorded: to read as many bytes takes
 * a moment, to read all of a large draft minutes.
 */
export const MOST_READ_TO_KEEP = 64 * 1024 * 1024;

/** Of more bytes the disk takes so long to sync that a record of its own hardly counts; the next mount would read them before it begins. */
const MOST_BEHIND_RECORD = 1024 * 1024;

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

  /**
   * Records what `change` makes of the record of `draft`, and returns true; unless nobody is to find it any more. What `isSo` whether the
   * disk takes it or not is given it again.
   */
  async keep(file: OpenFile, draft: Draft, change: ChangeOfRecord, isSo = false): Promise<boolean> {
    return this.#records.inTurn([draft], async () => {
      if (!this.#isMeant(file, draft)) return false;
      const changed = await change(this.#records.get(draft.id));
      if (changed === null) return true;
      const record = await this.#records.durable(file, draft, changed, MOST_READ_TO_KEEP);
      // Once more: that has taken its time.
      if (!this.#isMeant(file, draft)) return false;
      await (isSo ? this.#records.done([record], []) : this.#records.putAll([record]));
      return true;
    });
  }

  /**
   * A PUT of `draft`, which may end as `attempt`, is about to take the place of what is as visible as `visibilityBefore`: so says then
   * what the next mount finds.
   */
  async replaces(
    file: OpenFile,
    draft: Draft,
    attempt: Version,
    visibilityBefore: Visibility,
  ): Promise<void> {
    const unconfirmed = [...doubtsOf(file).unconfirmed, factsOf(attempt)];
    let told: Draft | null = null;
    while (!file.detached && !this.#records.isClosed) {
      const latest = await this.#inPlaceOf(draft);
      // Closes that come from now on find it in the record before theirs.
      if (latest === told) return;
      const isTold: boolean =
        latest === draft
          ? await this.keep(file, draft, () => ({ state: 'uploading', unconfirmed, visibilityBefore }))
          : await this.#tell(file, latest, visibilityBefore);
      told = isTold ? latest : null;
    }
  }

  /** Whether what the next mount finds of `draft`, or in its place, says that its file is to be public again. */
  async promiseLink(draft: Draft): Promise<boolean> {
    const isOwed = ({ id }: Draft): boolean => this.#records.get(id)?.visibilityBefore === 'public';
    return isOwed(draft) || isOwed(await this.#inPlaceOf(draft));
  }

  /** Records what is promised in place of `draft`, if anything is, as `file` is now. */
  async redescribeLater(file: OpenFile, draft: Draft): Promise<void> {
    const later = await this.#inPlaceOf(draft);
    if (later === draft) return;
    await this.#records.inTurn([later], async () => {
      if (!this.#isMeant(file, later) || !this.#records.isUnsent(later.id)) return;
      const record = await this.#records.described(file, later);
      if (record !== undefined) await this.#records.putAll([record]);
    });
  }

  /** The draft that is promised in the end in place of `draft`, or `draft`. */
  async #inPlaceOf(draft: Draft): Promise<Draft> {
    const later = await this.#superseded.get(draft)?.catch(() => draft);
    return later === undefined || later === draft ? draft : this.#inPlaceOf(later);
  }

  #tell(file: OpenFile, draft: Draft, visibilityBefore: Visibility): Promise<boolean> {
    return this.#records.inTurn([draft], async () => {
      if (!this.#isMeant(file, draft)) return false;
      const record = this.#records.get(draft.id);
      if (record !== undefined && record.state !== 'stored')
        await this.#records.putAll([{ ...record, visibilityBefore }]);
      return true;
    });
  }

  #isMeant(file: OpenFile, draft: Draft): boolean {
    return !this.#records.isClosed && !file.detached && !this.#superseded.has(draft);
  }

  async #promiseAnew(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    for (let path: string | null = null; path !== file.path;) {
      // A rename may come between.
      path = file.path;
      const drafts = before === null ? [draft] : [draft, before];
      await this.#records.inTurn(drafts, () => this.#promise(file, draft, before));
    }
  }

  async #promise(file: OpenFile, draft: Draft, before: Draft | null): Promise<void> {
    // An upload may be under way, of those bytes or of others before them; one of those may begin before anybody knows of these.
    const mayArrive = [...new Set([file.goingUp ?? before, before])].filter((each) => each !== null);
    const attempts = mayArrive.map((each) => attemptOf(each, this.#clock.now()));
    const unconfirmed = [...doubtsOf(file).unconfirmed, ...(await Promise.all(attempts))];
    const change = { state: 'queued', attempts: 0, lastFailure: null, unconfirmed } as const;
    // Nothing that was promised before depends on it.
    const isFirst = before === null && this.#records.get(draft.id) === undefined;
    if (isFirst && draft.size <= MOST_BEHIND_RECORD) return this.#records.putFirst(file, draft, change);
    const durable = await this.#records.durable(file, draft, change);
    const replaced = before === null ? undefined : this.#records.get(before.id);
    // An upload under way may have taken the link away.
    const visibilityBefore = durable.visibilityBefore ?? replaced?.visibilityBefore ?? null;
    const gone = replaced === undefined ? [] : [storedRecord(replaced)];
    // What has taken its name meanwhile has taken down what was promised.
    if (file.detached) return;
    await this.#records.putAll([{ ...durable, visibilityBefore }, ...gone]);
  }
}
