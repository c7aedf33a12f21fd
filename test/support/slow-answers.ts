/** How does a test have requests that take their time? On a manual clock: each is done after a while, and answered after another. */
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type * as records from '../../src/service/records.ts';
import { InterceptedService } from './intercepted-service.ts';
import type { ManualClock } from './manual-clock.ts';

interface Due {
  readonly at: number;
  readonly happen: () => void;
}

export interface SlowAnswersParts {
  readonly service: ObjectService;
  /** Each is told how much time goes by: the one of who asks, and the one of the service. */
  readonly clocks: readonly [ManualClock, ...ManualClock[]];
  /** Entries of a listing at once, at most. */
  readonly pageSize: number;
  /** How long the next half of a request's way takes, milliseconds. */
  readonly delay: () => number;
}

export class SlowAnswers extends InterceptedService {
  readonly #clocks: readonly [ManualClock, ...ManualClock[]];
  readonly #pageSize: number;
  readonly #due: Due[];

  constructor({ service, clocks, pageSize, delay }: SlowAnswersParts) {
    const due: Due[] = [];
    const wait = (): Promise<void> =>
      new Promise((resolve) => due.push({ at: clocks[0].monotonic() + delay(), happen: resolve }));
    super(service, async (_call, proceed) => {
      await wait();
      const done = proceed();
      // Whoever asked hears of it later.
      await done.catch(() => undefined);
      await wait();
      return done;
    });
    this.#due = due;
    this.#clocks = clocks;
    this.#pageSize = pageSize;
  }

  override listObjects(bucket: string, query: ListObjectsQuery): Promise<records.ObjectPage> {
    return super.listObjects(bucket, { ...query, limit: this.#pageSize });
  }

  /** So much time goes by; what is due happens meanwhile, one thing after the other. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#clocks[0].monotonic() + milliseconds;
    await settled();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#due.splice(this.#due.indexOf(next), 1);
      this.#advanceTo(next.at);
      next.happen();
      await settled();
    }
    this.#advanceTo(end);
  }

  #next(end: number): Due | undefined {
    const [first] = this.#due.toSorted((one, other) => one.at - other.at);
    return first !== undefined && first.at <= end ? first : undefined;
  }

  #advanceTo(moment: number): void {
    const left = moment - this.#clocks[0].monotonic();
    if (left > 0) for (const clock of this.#clocks) clock.advance(left);
  }
}

/** What follows without a further request, or time, has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
