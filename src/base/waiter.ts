/**
 * Who waits for an answer, and what if they stop waiting?
 *
 * A program that is interrupted leaves at once. What it waited for goes on while others wait for it, too.
 */

/** One who waits. */
export interface Waiter {
  /**
   * Aborted when they leave; without one they stay to the end. May be made only when it is looked at, so look only when there
   * is something to wait for.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Waits whatever happens: for changes, whose end must be known. */
export const STAYING: Waiter = {};

/**
 * Milliseconds for which work without a waiter goes on after the last one left: a program that handles its signal often asks
 * again at once, and would never get anywhere if each time everything began anew.
 */
export const RETURN_TIME = 1000;

/** The one who waited has left. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor() {
    super('nobody waits for the answer any more');
  }
}

/** Throws `Interrupted` for one who has left. */
export function checkWaiting({ signal }: Waiter): void {
  if (signal?.aborted === true) throw new Interrupted();
}

/** Settles as `answer` does, but rejects with `Interrupted` as soon as `waiter` leaves. */
export function unlessLeaving<Answer>(waiter: Waiter, answer: Promise<Answer>): Promise<Answer> {
  const { signal } = waiter;
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(new Interrupted());
    };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    void answer.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', leave);
    });
  });
}
