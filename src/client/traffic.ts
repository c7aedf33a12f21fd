/** How much goes to the service and comes from it, and does it answer? Counted for a person who looks at a mount. */
import type { Clock } from '../base/clock.ts';
import { RecentRate } from '../base/recent-rate.ts';
import type { Refusal } from '../service/refusal.ts';

export interface TrafficFacts {
  /** Tries, repeated ones included. */
  readonly requests: number;
  /** Of these, without an answer, or with a refusal other than that something is missing. */
  readonly failed: number;
  readonly bytesReceived: number;
  /** Of uploads. */
  readonly bytesSent: number;
  /** Lately (recent-rate.ts). */
  readonly perSecond: {
    readonly requests: number;
    readonly bytesReceived: number;
    readonly bytesSent: number;
  };
  /** When the first of the last tries left that all came to nothing; null while the service answers. */
  readonly offlineSince: Date | null;
  /**
   * When anything last came or went while requests wait for an answer; null while none does. By the clock as it is now: that it was set
   * meanwhile is no silence.
   */
  readonly silentSince: Date | null;
}

export class Traffic {
  readonly #clock: Clock;
  readonly #rates: {
    readonly requests: RecentRate;
    readonly received: RecentRate;
    readonly sent: RecentRate;
  };
  #requests = 0;
  #failed = 0;
  #received = 0;
  #sent = 0;
  #offlineSince: Date | null = null;
  /** Requests without an answer so far. */
  #waiting = 0;
  /** Monotonic milliseconds: the last sign of life, or when the first of those that wait left. */
  #heardAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#rates = {
      requests: new RecentRate(clock),
      received: new RecentRate(clock),
      sent: new RecentRate(clock),
    };
  }

  /** A request leaves. */
  asked(): void {
    this.#requests += 1;
    this.#rates.requests.add(1);
    if (this.#waiting === 0) this.#hear();
    this.#waiting += 1;
  }

  /** One that left waits no more, whatever came of it. */
  waited(): void {
    this.#waiting -= 1;
  }

  /** An answer has begun, whatever it says. */
  answered(): void {
    this.#offlineSince = null;
    this.#hear();
  }

  /** A try came to nothing. `isAnswered`: the service has said so. */
  failed(refusal: Refusal, isAnswered: boolean): void {
    if (refusal.kind === 'missing' || refusal.kind === 'aborted') return;
    this.#failed += 1;
    if (!isAnswered) this.#offlineSince ??= new Date(this.#clock.now());
  }

  received(bytes: number): void {
    this.#received += bytes;
    this.#rates.received.add(bytes);
    this.#hear();
  }

  sent(bytes: number): void {
    this.#sent += bytes;
    this.#rates.sent.add(bytes);
    this.#hear();
  }

  facts(): TrafficFacts {
    const { requests, received, sent } = this.#rates;
    return {
      requests: this.#requests,
      failed: this.#failed,
      bytesReceived: this.#received,
      bytesSent: this.#sent,
      perSecond: {
        requests: requests.perSecond(),
        bytesReceived: received.perSecond(),
        bytesSent: sent.perSecond(),
      },
      offlineSince: this.#offlineSince,
      // `now` tells no part of a millisecond, `monotonic` does: rounded down, the difference could be before the request.
      silentSince: this.#waiting === 0 ? null : new Date(Math.ceil(this.#clock.now() - this.#silence())),
    };
  }

  #hear(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  /** Milliseconds. */
  #silence(): number {
    return this.#clock.monotonic() - this.#heardAt;
  }
}
