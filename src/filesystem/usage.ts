/** How full is the bucket? Asked in the background, since df must never wait for the network. */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Bucket } from '../service/records.ts';
import { isRefusal } from '../service/refusal.ts';

/** The service's own figures lag (§2.1); asking more often tells nothing new. Milliseconds. */
const REFRESH_AFTER = 60_000;

/** The bucket's figures, at most a minute old while the service answers. */
export class Usage {
  readonly #ask: () => Promise<Bucket>;
  readonly #clock: Clock;
  readonly #log: Log;
  #bucket: Bucket;
  #askedAt: number;

  constructor(bucket: Bucket, ask: () => Promise<Bucket>, clock: Clock, log: Log) {
    this.#ask = ask;
    this.#clock = clock;
    this.#log = log;
    this.#bucket = bucket;
    this.#askedAt = clock.monotonic();
  }

  /** The last figures. Asks for new ones when they are old, without waiting. */
  latest(): Bucket {
    if (this.#clock.monotonic() - this.#askedAt > REFRESH_AFTER) {
      this.#askedAt = this.#clock.monotonic();
      void this.#refresh();
    }
    return this.#bucket;
  }

  async #refresh(): Promise<void> {
    try {
      this.#bucket = await this.#ask();
    } catch (error) {
      const fields = { cause: describeError(error) };
      // The mount has ended meanwhile: nobody will ask again.
      if (isRefusal(error, 'aborted')) this.#log.debug('the usage figures were not refreshed', fields);
      else this.#log.warn('the usage figures could not be refreshed', fields);
    }
  }
}
