/** How often would one wait for a far service? All listings that are under way at once are answered together, when nothing else happens any more. */
import { onTestFinished } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { InterceptedService } from './intercepted-service.ts';

/** Turns of the event loop in which nothing new is asked: then everybody waits. */
const QUIET_TURNS = 5;

/** Ends with the test that makes it. */
export class RoundTrips extends InterceptedService {
  /** So far. */
  count = 0;
  /** Listings under way at once, at most. */
  widest = 0;
  /** Called before each trip's answers. */
  atEach: () => void = () => undefined;
  #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(inner: ObjectService) {
    super(inner, async (call, proceed) => {
      if (call.operation === 'listObjects' && !this.#isOver)
        await new Promise<void>((go) => this.#waiting.push(go));
      return proceed();
    });
    void this.#run();
    onTestFinished(() => {
      this.#isOver = true;
      this.#answer();
    });
  }

  async #run(): Promise<void> {
    for (let quiet = 0, before = 0; !this.#isOver; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#waiting.length !== before) quiet = 0;
      before = this.#waiting.length;
      if (quiet < QUIET_TURNS || before === 0) continue;
      this.count += 1;
      this.widest = Math.max(this.widest, before);
      this.atEach();
      this.#answer();
    }
  }

  #answer(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}
