/** Over which connections are requests sent? Over kept ones, but none that was kept over a sleep, or since before silence: its other end may be gone without a word. */
import { buildConnector, Pool, type Dispatcher } from 'undici';
import type { RunningClock } from '../base/running-clock.ts';
import { tellingEndLast } from './late-end.ts';
import type { OnRead } from './socket-buffers.ts';
import type { TlsTerms } from './tls-terms.ts';
import { throughProxy } from './tunnel.ts';

export interface ConnectionTerms {
  readonly origin: string;
  /** Most at once; further requests wait for one. */
  readonly most: number;
  /** For https only. */
  readonly tls: TlsTerms;
  /** Address of the proxy to go through; undefined: none. */
  readonly proxy: string | undefined;
  /** How long it may take to have one, milliseconds. */
  readonly connect: number;
  readonly onread: OnRead;
  readonly running: RunningClock;
}

/** What one request goes over. */
export interface Way {
  /** Its answer has begun. */
  answered(): void;
  /**
   * Its time is up. Returns whether that no answer has begun may be the connection's fault, since others of its age have brought some before: none
   * of these is used any more then.
   */
  isDead(): boolean;
}

/** Of one client to one service. */
export class Connections {
  readonly #terms: ConnectionTerms;
  #pool: Pool;
  /** Whether one of the pool has brought an answer. */
  #hasAnswered = false;
  /** How many sleeps there had been when the pool was made. */
  #sleeps: number;
  /** With requests that had left before a sleep: an answer may still come. */
  readonly #old = new Set<Pool>();

  constructor(terms: ConnectionTerms) {
    this.#terms = terms;
    this.#pool = poolOf(terms);
    this.#sleeps = terms.running.sleeps;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): Way {
    const { sleeps } = this.#terms.running;
    if (sleeps !== this.#sleeps) {
      this.#sleeps = sleeps;
      this.#renew();
    }
    const pool = this.#pool;
    let hasBegun = false;
    pool.dispatch(request, handler);
    return {
      answered: () => {
        hasBegun = true;
        if (pool === this.#pool) this.#hasAnswered = true;
      },
      isDead: () => {
        if (hasBegun) return false;
        if (pool === this.#pool && this.#hasAnswered) this.#renew();
        return pool !== this.#pool;
      },
    };
  }

  /** Ends all of them. Requests under way fail. */
  async close(): Promise<void> {
    await Promise.all([this.#pool, ...this.#old].map((pool) => pool.destroy()));
  }

  #renew(): void {
    const old = this.#pool;
    this.#pool = poolOf(this.#terms);
    this.#hasAnswered = false;
    this.#old.add(old);
    const forget = (): void => {
      this.#old.delete(old);
    };
    // Those without a request end at once, the others after theirs.
    old.close().then(forget, forget);
  }
}

function poolOf({ origin, most, tls, proxy, connect, onread, running }: ConnectionTerms): Pool {
  const direct = buildConnector({
    timeout: connect,
    ...tls,
    // Said aloud: NODE_TLS_REJECT_UNAUTHORIZED in some environment would turn the checks off in silence.
    rejectUnauthorized: true,
    onread,
  });
  const connector = proxy === undefined ? direct : throughProxy(proxy, direct, { within: connect, running });
  return new Pool(origin, {
    connections: most,
    connect: tellingEndLast(connector),
    // The watch of each call keeps these deadlines, by the injected clock.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
