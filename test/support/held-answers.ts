/** How does a test let an answer be old when it arrives? It is made at once, and comes when the test lets it. */
import type { ObjectService } from '../../src/service/object-service.ts';
import { InterceptedService } from './intercepted-service.ts';
import { signal } from './signal.ts';

export interface HeldAnswer {
  readonly made: Promise<void>;
  /** It arrives. */
  readonly letGo: () => void;
}

export class HeldAnswers {
  #next: { readonly operation: string; readonly made: () => void; readonly arrival: Promise<void> } | null =
    null;

  /** Stands between the mount and its service. */
  readonly between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async ({ operation }, proceed) => {
      const next = this.#next?.operation === operation ? this.#next : null;
      if (next !== null) this.#next = null;
      try {
        return await proceed();
      } finally {
        next?.made();
        await next?.arrival;
      }
    });

  /** The next answer to `operation`. */
  hold(operation: 'listObjects' | 'headObject' | 'listBuckets' | 'deleteObject'): HeldAnswer {
    const [made, arrival] = [signal(), signal()];
    this.#next = { operation, made: made.give, arrival: arrival.given };
    return { made: made.given, letGo: arrival.give };
  }
}
