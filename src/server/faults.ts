/** Which requests shall go wrong, and how? Faults are asked for beforehand and used up by the requests that match. */
import type { RequestRecord } from './request-log.ts';
import type { Operation } from '../service/refusal.ts';

/** What goes wrong. */
export type Fault =
  /** Waits, then goes on as usual. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /**
   * Answers with this status and does nothing. `retryAfter`: the header, seconds or an HTTP date. `isPage`: with a web page, as what stands in the
   * place of a service that is not there does.
   */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: number | string | undefined;
      readonly isPage?: boolean | undefined;
    }
  /** The connection is reset and nothing is done: at once, or after this many bytes of the request's body (at its end if that is first). */
  | { readonly kind: 'reset'; readonly afterBytes?: number | undefined }
  /** It is done, but the connection is reset instead of an answer. */
  | { readonly kind: 'lost-answer' }
  /** The connection ends after this many bytes of the answer's body. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Nothing more comes after this many bytes of the answer's body; not even headers when absent. Nothing is closed. */
  | { readonly kind: 'stall'; readonly afterBytes?: number | undefined }
  /** A JSON answer is cut in its middle, with a fitting Content-Length. */
  | { readonly kind: 'corrupt-json' }
  /** The answer carries this ETag instead of the right one. */
  | { readonly kind: 'changed-etag'; readonly etag: string };

/** Which requests are hit, and by what. */
export interface FaultRule {
  /** Any operation when absent. */
  readonly operation?: Operation | undefined;
  /** The key, or the folder of operations on folders; any when absent. */
  readonly key?: string | RegExp | undefined;
  /** That many matching requests are spared first; none when absent. */
  readonly skip?: number | undefined;
  /** So many matching requests are hit; 1 when absent. */
  readonly times?: number | undefined;
  readonly fault: Fault;
}

interface Planned {
  readonly rule: FaultRule;
  toSkip: number;
  left: number;
}

/** The faults still to come. Rules are tried in the order in which they were added. */
export class FaultPlan {
  #planned: Planned[] = [];
  #taken = 0;

  add(rule: FaultRule): void {
    this.#planned.push({ rule, toSkip: rule.skip ?? 0, left: rule.times ?? 1 });
  }

  /** Forgets all that was asked for. */
  clear(): void {
    this.#planned = [];
  }

  /** How many faults are still to come (infinite when one has no end). */
  get left(): number {
    return this.#planned.reduce((sum, planned) => sum + planned.left, 0);
  }

  /** How many faults have hit a request so far. */
  get taken(): number {
    return this.#taken;
  }

  /** The fault for this request, used up by it: of the oldest rule that matches and has any left. */
  take(request: RequestRecord): Fault | undefined {
    for (const planned of this.#planned) {
      if (!matches(planned.rule, request) || planned.left === 0) continue;
      if (planned.toSkip > 0) {
        planned.toSkip -= 1;
        continue;
      }
      planned.left -= 1;
      this.#taken += 1;
      return planned.rule.fault;
    }
    return undefined;
  }
}

function matches(rule: FaultRule, request: RequestRecord): boolean {
  if (rule.operation !== undefined && rule.operation !== request.operation) return false;
  const subject = request.key ?? request.folder ?? '';
  if (rule.key === undefined) return true;
  return typeof rule.key === 'string' ? rule.key === subject : rule.key.test(subject);
}
