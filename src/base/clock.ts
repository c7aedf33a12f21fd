/** What time is it, and how does one wait? Injected, so that tests decide. */

export interface Clock {
  /** Milliseconds since 1970, as the machine believes them. May jump. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never goes back: for ages and deadlines. */
  monotonic(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Runs `action` once after `milliseconds` unless the returned function is called. Does not keep the process alive. */
  after(milliseconds: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
    }),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
