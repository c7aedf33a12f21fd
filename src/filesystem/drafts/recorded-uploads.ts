/**
 * An upload begins, fails, is left, or has stored its bytes: what must the next mount find of that?
 */
import type { Clock } from '../../base/clock.ts';
import type { Draft } from '../../content/draft.ts';
import { put, remove } from '../../content/journal/journal.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { factsOf } from '../../content/version-facts.ts';
import type { Version } from '../../store/version.ts';
import { attemptOf, doubtsOf, storedRecord } from './draft-records.ts';
import { reasonOf, toFsError } from '../errno-of.ts';
import type { OpenFile } from '../open-file.ts';
import type { OwedLinks } from '../attributes/owed-links.ts';
import type { RecordedDrafts } from './recorded-drafts.ts';
import { MOST_READ_TO_KEEP, type PromisedDrafts } from '../write-back/promised-drafts.ts';

export interface RecordedUploadsParts {
  readonly records: RecordedDrafts;
  readonly promised: PromisedDrafts;
  readonly links: OwedLinks;
  readonly clock: Clock;
}

/** Of bytes that have not changed since, and will be sent by the next mount. */
const TOLD: ReadonlySet<DraftRecord['state']> = new Set(['queued', 'failed', 'end unknown']);

export class RecordedUploads {
  readonly #records: RecordedDrafts;
  readonly #promised: PromisedDrafts;
  readonly #links: OwedLinks;
  readonly #clock: Clock;

  constructor({ records, promised, links, clock }: RecordedUploadsParts) {
    this.#records = records;
    this.#promised = promised;
    this.#links = links;
    this.#clock = clock;
  }

  /**
   * Call before a PUT of `draft` that makes a public file private; it may end as `attempt`. Whether the disk takes the record or
   * not, the upload goes on: it is what makes room.
   */
  async takingLink(file: OpenFile, draft: Draft, attempt: Version): Promise<void> {
    await this.#records.orLog(file.path, () => this.#promised.replaces(file, draft, attempt, 'public'));
  }

  /**
   * Call before a PUT of `draft` that is to be private and may end as `attempt`. What is recorded may promise a link that somebody
   * else has taken away since. Rejects with the disk's error: it must not begin, then, or the next mount could publish it.
   */
  async stayingPrivate(file: OpenFile, draft: Draft, attempt: () => Promise<Version>): Promise<void> {
    if (await this.#promised.promiseLink(draft))
      await this.#promised.replaces(file, draft, await attempt(), 'private');
    const { owedLinks } = file;
    if (owedLinks.length === 0) return;
    await this.#records.commit(owedLinks.map((record) => remove('draft', record)));
    file.owedLinks = [];
  }

  /** An upload of `draft` has failed, and will be tried again. */
  async failed(file: OpenFile, draft: Draft, error: unknown): Promise<void> {
    const { code } = toFsError(error, file.path);
    const lastFailure = { at: this.#clock.now(), code, message: reasonOf(error) };
    const state = file.endUnknown ? 'end unknown' : 'failed';
    await this.#records.orLog(file.path, async () => {
      const change = (known: DraftRecord | undefined) => {
        return { state, attempts: (known?.attempts ?? 0) + 1, lastFailure } as const;
      };
      await this.#promised.keep(file, draft, change, true);
    });
  }

  /** The mount ends, and the bytes were not stored. */
  async left(file: OpenFile, draft: Draft): Promise<void> {
    await this.#records.orLog(file.path, async () => {
      await this.#promised.keep(file, draft, async (known) => {
        if (!file.uploading) return known !== undefined && TOLD.has(known.state) ? null : { state: 'queued' };
        const goingUp = file.goingUp ?? draft;
        const doubts = doubtsOf(file);
        // Of one whose bytes have not all left, the service has stored nothing.
        const hasLeft = (await goingUp.md5Within(MOST_READ_TO_KEEP)) !== null;
        const attempts = hasLeft ? [await attemptOf(goingUp, this.#clock.now())] : [];
        const unconfirmed = [...doubts.unconfirmed, ...attempts];
        // The upload may have taken the link away, which only the record before says.
        const visibilityBefore = known?.visibilityBefore ?? doubts.visibilityBefore;
        return { state: 'end unknown', unconfirmed, visibilityBefore };
      });
    });
  }

  /**
   * The service has the bytes; the file's link is still owed when `owed` is its version. Call as soon as programs may change the draft;
   * what comes before its record has to be on the disk when `before` ends, which never rejects.
   */
  async stored(file: OpenFile, draft: Draft, owed: Version | null, before?: Promise<void>): Promise<void> {
    await this.#records.orLog(file.path, () =>
      this.#records.inTurn([draft], async () => {
        await before;
        if (this.#records.isClosed) return;
        const changes = this.#links.settle(file);
        if (owed !== null) {
          const link = this.#links.recordOf(file, draft, factsOf(owed));
          file.owedLinks = [link];
          changes.push(put('draft', link));
        }
        const known = this.#records.get(draft.id);
        const isTold = known === undefined || known.state === 'stored';
        await this.#records.done(isTold ? [] : [storedRecord(known)], changes);
      }),
    );
  }

  /**
   * The upload of `draft` has ended, and `file` says how. What a close has promised in its place meanwhile was recorded as if nobody knew: it
   * is recorded anew.
   */
  async ended(file: OpenFile, draft: Draft): Promise<void> {
    await this.#records.orLog(file.path, () => this.#promised.redescribeLater(file, draft));
  }
}
