/**
 * When does a call give up?
 *
 * One watch lives as long as one call of the port, retries and the body of a download included. Three things end it: the
 * caller's signal, the deadline of the whole call, and the step under way (waiting for headers, for the next bytes, for
 * progress of an upload). Whatever ends it, `refusal` is what to reject with. Only time in which the process could run counts.
 */
import type { RunningClock } from '../base/running-clock.ts';
import { Refusal } from '../service/refusal.ts';
import type { RefusalDetails } from '../service/refusal.ts';

/** What a call waits for, and until when, running milliseconds. */
interface Step {
  readonly what: string;
  readonly milliseconds: number;
  readonly endsAt: number;
  readonly isSpared: ((refusal: Refusal) => boolean) | undefined;
}

/** The deadlines of one call. To be closed when the call is over. */
export class Watch {
  readonly #clock: RunningClock;
  readonly #details: RefusalDetails;
  readonly #callerSignal: AbortSignal | undefined;

  /** Who is to hear of it. */
  readonly #listeners = new Set<(refusal: Refusal) => void>();
  readonly #onCallerAbort = (): void => {
    const cause: unknown = this.#callerSignal?.reason;
    this.#giveUp(new Refusal('aborted', 'given up by the caller', { ...this.#details, cause }));
  };

  #refusal: Refusal | null = null;
  /** Milliseconds that the whole call was given. */
  #total = Number.POSITIVE_INFINITY;
  #endsAt = Number.POSITIVE_INFINITY;
  #cancelTotal: () => void = doNothing;
  /** What is awaited now. */
  #step: Step | null = null;
  /** When somebody looks next whether it is late: a body has thousands of steps, and a timer for each would take longer than its bytes. */
  #looksAt = Number.POSITIVE_INFINITY;
  #cancelLook: () => void = doNothing;
  #closed = false;

  constructor(clock: RunningClock, details: RefusalDetails, callerSignal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#details = details;
    this.#callerSignal = callerSignal;
    if (callerSignal?.aborted === true) this.#onCallerAbort();
    else callerSignal?.addEventListener('abort', this.#onCallerAbort, { once: true });
  }

  /** Why the call was given up; null while it goes on. */
  get refusal(): Refusal | null {
    return this.#refusal;
  }

  /** A new one, for those who take nothing else; its reason is the refusal. */
  signal(): AbortSignal {
    const controller = new AbortController();
    this.onceGivenUp((refusal) => {
      controller.abort(refusal);
    });
    return controller.signal;
  }

  /** Calls `listener` once, when the call is given up, or at once if it was. Ends with the call, or by what it returns. */
  onceGivenUp(listener: (refusal: Refusal) => void): () => void {
    if (this.#refusal !== null) listener(this.#refusal);
    else this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Gives the whole call up after `milliseconds`. */
  limitTotal(milliseconds: number): void {
    this.#total = milliseconds;
    this.#endIn(milliseconds);
  }

  /** The deadline of the whole call no longer counts. */
  liftTotal(): void {
    this.#endsAt = Number.POSITIVE_INFINITY;
    this.#cancelTotal();
  }

  /** The deadline of the whole call waits until what this returns is called. */
  standStill(): () => void {
    const left = this.left();
    this.liftTotal();
    return () => {
      if (left < Number.POSITIVE_INFINITY) this.#endIn(left);
    };
  }

  /** Milliseconds until the deadline of the whole call; Infinity without one. */
  left(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  /** Gives up unless another step begins, or `rest` is called, within `milliseconds`; or unless `isSpared` says that the call goes on without this step. */
  expect(what: string, milliseconds: number, isSpared?: (refusal: Refusal) => boolean): void {
    if (this.#closed) return;
    const endsAt = this.#clock.monotonic() + milliseconds;
    this.#step = { what, milliseconds, endsAt, isSpared };
    if (endsAt < this.#looksAt) this.#lookIn(milliseconds, endsAt);
  }

  /** Nothing is awaited from the service now. */
  rest(): void {
    this.#step = null;
  }

  /** Settles as `promise` does, but rejects as soon as the call is given up. */
  race<Result>(promise: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const forget = this.onceGivenUp(reject);
      promise.then(resolve, reject).finally(forget);
    });
  }

  /** The call is over: no timer and no listener is left behind. */
  close(): void {
    this.#closed = true;
    this.liftTotal();
    this.rest();
    this.#cancelLook();
    this.#listeners.clear();
    this.#callerSignal?.removeEventListener('abort', this.#onCallerAbort);
  }

  #endIn(milliseconds: number): void {
    this.#endsAt = this.#clock.monotonic() + milliseconds;
    this.#cancelTotal = this.#clock.after(milliseconds, () => {
      this.#giveUp(this.#late(`no complete answer within ${seconds(this.#total)}`));
    });
  }

  #lookIn(milliseconds: number, at: number): void {
    this.#cancelLook();
    this.#looksAt = at;
    this.#cancelLook = this.#clock.after(milliseconds, () => {
      this.#looksAt = Number.POSITIVE_INFINITY;
      this.#look();
    });
  }

  #look(): void {
    if (this.#step === null) return;
    const { what, milliseconds, endsAt, isSpared } = this.#step;
    const left = endsAt - this.#clock.monotonic();
    if (left > 0) {
      this.#lookIn(left, endsAt);
      return;
    }
    this.#step = null;
    const refusal = this.#late(`no ${what} within ${seconds(milliseconds)}`);
    if (isSpared?.(refusal) !== true) this.#giveUp(refusal);
  }

  #late(reason: string): Refusal {
    return new Refusal('timeout', reason, this.#details);
  }

  #giveUp(refusal: Refusal): void {
    if (this.#closed || this.#refusal !== null) return;
    this.#refusal = refusal;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener(refusal);
  }
}

function doNothing(): void {
  // Stands for "no timer runs".
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}
