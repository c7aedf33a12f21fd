/** How does something happen at a chosen request of a rename? */
import { FaultPlan } from '../../src/server/faults.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { faultyService } from '../support/faulty-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';

export class Disturber {
  readonly faults = new FaultPlan();
  #toSkip = 0;
  #act: (() => Promise<void>) | null = null;

  /** Stands between the mount and `service`. */
  between(service: ObjectService): ObjectService {
    const inner = new InterceptedService(service, async (_call, proceed) => {
      await this.#beforeRequest();
      return proceed();
    });
    return faultyService(inner, this.faults);
  }

  /** `act` runs before the request after the next `skip`. */
  before(skip: number, act: () => Promise<void>): void {
    this.#toSkip = skip;
    this.#act = act;
  }

  /** From now on nothing happens. */
  end(): void {
    this.faults.clear();
    this.#act = null;
  }

  async #beforeRequest(): Promise<void> {
    const act = this.#act;
    if (act === null) return;
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return;
    }
    this.#act = null;
    await act();
  }
}
