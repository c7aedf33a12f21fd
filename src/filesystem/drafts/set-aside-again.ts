/**
 * A program that stores a file every night, which the service refuses for good, leaves the same bytes each time: which of those does
 * anybody need? The newest: a local disk full of copies would refuse what the service takes.
 *
 * Only what is the same byte for byte, for the same key, and was to have the same type and visibility, gives way; sizes and MD5s alone delete nothing.
 */
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { remove } from '../../content/journal/journal.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import type { RecordedDrafts } from './recorded-drafts.ts';
import type { RestingDraft, RestingDrafts } from './resting-drafts.ts';

export interface SetAsideAgainParts {
  readonly records: RecordedDrafts;
  readonly resting: RestingDrafts;
  readonly log: Log;
}

/** Of one mount. */
export class SetAsideAgain {
  readonly #records: RecordedDrafts;
  readonly #resting: RestingDrafts;
  readonly #log: Log;

  constructor({ records, resting, log }: SetAsideAgainParts) {
    this.#records = records;
    this.#resting = resting;
    this.#log = log;
  }

  /** Deletes what was set aside before the draft of `newest`, which is set aside whole, and is the same. Never rejects: without, both stay. */
  async dropEarlier(newest: DraftRecord): Promise<void> {
    const path = `/${newest.facts.key}`;
    for (const { id, record, resting } of this.#earlierThan(newest))
      try {
        if (await this.#dropIfSame(newest, record, resting))
          this.#log.info('the same bytes had been set aside before: only the newest of them are kept', {
            path,
            draft: id,
          });
      } catch (error) {
        // Not where a person has discarded it meanwhile.
        if (this.#resting.get(id) !== resting) continue;
        const cause = describeError(error);
        this.#log.warn('whether the same bytes had been set aside before is not known: all of them stay', {
          path,
          draft: id,
          cause,
        });
      }
  }

  #earlierThan(newest: DraftRecord): { id: string; record: DraftRecord; resting: RestingDraft }[] {
    return this.#resting
      .all()
      .flatMap(([id, resting]) =>
        resting.kind === 'draft' && isEarlier(resting.record, newest)
          ? [{ id, record: resting.record, resting }]
          : [],
      );
  }

  async #dropIfSame(newest: DraftRecord, record: DraftRecord, resting: RestingDraft): Promise<boolean> {
    const { id } = record;
    if (!(await this.#resting.areSame(newest.id, id))) return false;
    // That took a while: a person may have asked for it, or discarded it. Who asks for the newest waits until that is set aside.
    if (this.#records.isClosed || this.#resting.get(id) !== resting) return false;
    // At once: nobody is to store or export meanwhile what goes.
    this.#resting.remove(id);
    try {
      await this.#records.commit([remove('draft', record)]);
      await this.#resting.delete(id);
    } catch (error) {
      this.#resting.add(id, resting);
      throw error;
    }
    return true;
  }
}

/** Whether `earlier` may hold no more than `newest` does. */
function isEarlier(earlier: DraftRecord, newest: DraftRecord): boolean {
  const [before, now] = [earlier.facts, newest.facts];
  if (earlier.sequence >= newest.sequence || earlier.state !== 'set aside') return false;
  if (before.key !== now.key || before.sealed === null || before.sealed.size !== now.sealed?.size)
    return false;
  const isAnother =
    before.sealed.md5 !== null && now.sealed.md5 !== null && before.sealed.md5 !== now.sealed.md5;
  if (isAnother || before.contentType !== now.contentType || before.visibility !== now.visibility)
    return false;
  // What its uploads may have done to the link, or have left on the service, only its own record says.
  const { visibilityBefore, unconfirmed, leftCopy } = earlier;
  const isLinkKnown = visibilityBefore === null || visibilityBefore === newest.visibilityBefore;
  return isLinkKnown && unconfirmed.length === 0 && leftCopy === undefined;
}
