/**
 * When does a call give up?
 *
 * One watch lives as long as one call of the port, retries and the body of a download included. Three things end it: the
 * caller's signal, the deadline of the whole call, and the step under way (waiting for headers, for the next bytes, for
 * progress of an upload). Whatever ends it, `signal.reason` is the `Refusal` to reject with.
 */
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../service/refusal.ts';
import type { RefusalDetails } from '../service/refusal.ts';

/** The deadlines and the abort signal of one call. To be closed when the call is over. */
export class Watch {
  readonly #clock: Clock;
  readonly #details: RefusalDetails;
  readonly #callerSignal: AbortSignal | undefined;

  readonly #controller = new AbortController();
  readonly #onCallerAbort = (): void => {
    const cause: unknown = this.#callerSignal?.reason;
    this.#giveUp(new Refusal('aborted', 'given up by the caller', { ...this.#details, cause }));
  };

  #endsAt = Number.POSITIVE_INFINITY;
  #cancelTotal: () => void = doNothing;
  #cancelStep: () => void = doNothing;
  #closed = false;

  constructor(clock: Clock, details: RefusalDetails, callerSignal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#details = details;
    this.#callerSignal = callerSignal;
    if (callerSignal?.aborted === true) this.#onCallerAbort();
    else callerSignal?.addEventListener('abort', this.#onCallerAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Gives the whole call up after `milliseconds`. */
  limitTotal(milliseconds: number): void {
    this.#endsAt = this.#clock.monotonic() + milliseconds;
    this.#cancelTotal = this.#clock.after(milliseconds, () => {
      this.#timeOut(`no complete answer within ${seconds(milliseconds)}`);
    });
  }

  /** The deadline of the whole call no longer counts. */
  liftTotal(): void {
    this.#endsAt = Number.POSITIVE_INFINITY;
    this.#cancelTotal();
  }

  /** Milliseconds until the deadline of the whole call; Infinity without one. */
  left(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  /** Gives up unless another step begins, or `rest` is called, within `milliseconds`. */
  expect(what: string, milliseconds: number): void {
    this.#cancelStep();
    if (this.#closed) return;
    this.#cancelStep = this.#clock.after(milliseconds, () => {
      this.#timeOut(`no ${what} within ${seconds(milliseconds)}`);
    });
  }

  /** Nothing is awaited from the service now. */
  rest(): void {
    this.#cancelStep();
    this.#cancelStep = doNothing;
  }

  /** Settles as `promise` does, but rejects as soon as the call is given up. */
  race<Result>(promise: Promise<Result>): Promise<Result> {
    const { signal } = this.#controller;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        reject(signal.reason as Refusal);
      };
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      void promise.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', onAbort);
      });
    });
  }

  /** The call is over: no timer and no listener is left behind. */
  close(): void {
    this.#closed = true;
    this.liftTotal();
    this.rest();
    this.#callerSignal?.removeEventListener('abort', this.#onCallerAbort);
  }

  #timeOut(reason: string): void {
    this.#giveUp(new Refusal('timeout', reason, this.#details));
  }

  #giveUp(refusal: Refusal): void {
    if (!this.#closed) this.#controller.abort(refusal);
  }
}

function doNothing(): void {
  // Stands for "no timer runs".
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}
