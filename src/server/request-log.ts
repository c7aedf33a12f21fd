/** Which requests were made? Budgets are tested with exact counts. */
import type { Operation } from '../service/refusal.ts';

/** One request: which endpoint, and about what. */
export interface RequestRecord {
  readonly operation: Operation;
  readonly bucket?: string | undefined;
  /** Of operations on a file. */
  readonly key?: string | undefined;
  /** Of List files and Create a folder. */
  readonly folder?: string | undefined;
}

/** The requests since the start, or since `reset`; the first `most` of them. */
export class RequestLog {
  readonly #most: number;
  #records: RequestRecord[] = [];

  constructor(most = Infinity) {
    this.#most = most;
  }

  record(request: RequestRecord): void {
    if (this.#records.length < this.#most) this.#records.push(request);
  }

  /** In the order of arrival, refused and failed ones included. */
  get all(): readonly RequestRecord[] {
    return this.#records;
  }

  /** The operations alone, in the order of arrival. */
  get operations(): readonly Operation[] {
    return this.#records.map(({ operation }) => operation);
  }

  /** How many requests there were; of one operation when given. */
  count(operation?: Operation): number {
    return this.#records.filter((record) => operation === undefined || record.operation === operation).length;
  }

  reset(): void {
    this.#records = [];
  }
}
