/** Under which access key are requests sent now, and what when the service no longer takes it? */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { isRefusal } from '../service/refusal.ts';
import { Authorization } from './credentials.ts';
import type { Credentials } from './credentials.ts';

/** Of credentials that are wrong, which §5 does not show. 403 may as well say that they may only read. */
const UNAUTHORIZED = 401;
const REFUSED: ReadonlySet<number | undefined> = new Set([UNAUTHORIZED, 403]);
/** How long the source is left alone after it was asked, in milliseconds: a key that is gone for good must not run a command for each request. */
const PAUSE_MS = 10_000;

export interface AccessParts {
  /** What to begin with. */
  readonly credentials: Credentials;
  /** Asks their source again; undefined when there is none to ask. May reject: then the old ones stay. */
  readonly reread: (() => Promise<Credentials>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The credentials that may change while the service is in use. */
export class Access {
  readonly #parts: AccessParts;
  #current: Authorization;
  /** All requests that were refused meanwhile wait for the same answer. */
  #asking: Promise<void> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** Throws as `Authorization` does. */
  constructor(parts: AccessParts) {
    this.#parts = parts;
    this.#current = new Authorization(parts.credentials);
  }

  /**
   * As `attempt` settles under the current credentials; when the service refuses them and there are others, once more under those.
   * `wait` bounds the time until these are there: its rejection is the caller's.
   */
  async use<Result>(
    attempt: (used: Authorization) => Promise<Result>,
    wait: (others: Promise<boolean>) => Promise<boolean>,
  ): Promise<Result> {
    const used = this.#current;
    try {
      return await attempt(used);
    } catch (error) {
      if (!isRefusal(error) || !REFUSED.has(error.status)) throw error;
      if (!(await wait(this.#hasOthersThan(used, error.status)))) throw error;
      return attempt(this.#current);
    }
  }

  /** Asks for others unless somebody just did. Never rejects. */
  async #hasOthersThan(refused: Authorization, status: number | undefined): Promise<boolean> {
    if (this.#current === refused) await (this.#asking ?? this.#askUnlessJustAsked(status));
    return this.#current !== refused;
  }

  async #askUnlessJustAsked(status: number | undefined): Promise<void> {
    const { reread, clock } = this.#parts;
    if (reread === undefined || clock.monotonic() - this.#askedAt < PAUSE_MS) return;
    this.#asking = this.#ask(reread, status).finally(() => {
      this.#askedAt = clock.monotonic();
      this.#asking = null;
    });
    await this.#asking;
  }

  async #ask(reread: () => Promise<Credentials>, status: number | undefined): Promise<void> {
    const { log } = this.#parts;
    try {
      const found = new Authorization(await reread());
      const isNew = found.header() !== this.#current.header();
      if (isNew) this.#current = found;
      if (isNew) log.warn('The service refused the credentials; they were read again');
      else if (status === UNAUTHORIZED)
        log.error('The service refused the credentials, and their file or command still gives the same');
    } catch (error) {
      log.error('The service refused the credentials, and they could not be read again', { error });
    }
  }
}
