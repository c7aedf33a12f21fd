/**
 * How does a test kill a mount at a certain request? It stands between the server and what that serves, lets one request of the
 * wanted kind stand still, and says so.
 */
import type { ObjectService, UploadBody } from '../../src/service/object-service.ts';
import { isRefusal, Refusal } from '../../src/service/refusal.ts';
import { InterceptedService, InterceptedUploads, type Interceptor } from '../support/intercepted-service.ts';
import type { Step } from './world.ts';

/** Where a request can be made to stand still. */
export type Spot =
  | 'put begins'
  | 'put has half its body'
  | 'put is stored'
  | 'link is looked at'
  | 'link is asked for'
  | 'rename asks'
  | 'rename is answered';

/** A PUT of fewer bytes may be in the machine's buffers as a whole. */
const LARGE = 400 * 1024;

export class WatchedService {
  readonly service: ObjectService;
  /** Requests since the start. */
  requests = 0;
  readonly #inner: ObjectService;
  readonly #inFlight: () => readonly Step[];
  /** Keys of public files that a PUT has made private. */
  readonly #owed = new Set<string>();
  #trap: { readonly spot: Spot; skip: number; readonly spring: () => void } | null = null;
  #inProgress = 0;
  #held: ((isApplied: boolean) => void)[] = [];

  /** `inFlight`: the calls of programs that have not returned. */
  constructor(inner: ObjectService, inFlight: () => readonly Step[]) {
    this.#inner = inner;
    this.#inFlight = inFlight;
    const half = (): Promise<void> => this.#passes(['put has half its body']);
    const halves = new InterceptedUploads(inner, (_key, body) => halted(body, half));
    this.service = new InterceptedService(halves, this.#watch);
  }

  /** Resolves when a request stands still at `spot`, after `skip` others that came by. */
  trap(spot: Spot, skip: number): Promise<void> {
    return new Promise((spring) => {
      this.#trap = { spot, skip, spring };
    });
  }

  /**
   * Who asked is dead: requests that stand still before they did anything are done all the same, or given up. Resolves when
   * nothing is in progress any more.
   */
  async end(isApplied: boolean): Promise<void> {
    this.#trap = null;
    for (const release of this.#held.splice(0)) release(isApplied);
    while (this.#inProgress > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    this.#owed.clear();
  }

  readonly #watch: Interceptor = async (call, proceed) => {
    const { operation, key } = call;
    this.requests += 1;
    this.#inProgress += 1;
    try {
      const isRename = this.#isOfRename(operation, key);
      const link: Spot[] = key !== undefined && this.#owed.has(key) ? linkSpots(operation) : [];
      const begins: Spot[] = operation === 'putObject' ? ['put begins'] : [];
      await this.#passes([...begins, ...link, ...(isRename ? (['rename asks'] as const) : [])]);
      const wasPublic = operation === 'putObject' && (await this.#isPublic(call.bucket, key));
      const answer = await proceed();
      if (key !== undefined && wasPublic) this.#owed.add(key);
      if (key !== undefined && operation === 'setVisibility') this.#owed.delete(key);
      const ends: Spot[] = operation === 'putObject' ? ['put is stored'] : [];
      await this.#passes([...ends, ...(isRename ? (['rename is answered'] as const) : [])]);
      return answer;
    } finally {
      this.#inProgress -= 1;
    }
  };

  async #passes(spots: readonly Spot[]): Promise<void> {
    const trap = this.#trap;
    if (trap === null || !spots.includes(trap.spot)) return;
    trap.skip -= 1;
    if (trap.skip >= 0) return;
    this.#trap = null;
    const released = new Promise<boolean>((release) => this.#held.push(release));
    trap.spring();
    if (!(await released)) throw new Refusal('unavailable', 'who asked is dead', { operation: 'headObject' });
  }

  #isOfRename(operation: string, key: string | undefined): boolean {
    if (this.#trap?.spot.startsWith('rename') !== true || key === undefined) return false;
    if (!['putObject', 'headObject', 'deleteObject', 'setVisibility'].includes(operation)) return false;
    const isAt = (path: string): boolean => key === path || key.startsWith(`${path}/`);
    return this.#inFlight().some((step) => step.kind === 'rename' && (isAt(step.from) || isAt(step.to)));
  }

  async #isPublic(bucket = '', key = ''): Promise<boolean> {
    try {
      return (await this.#inner.getVisibility(bucket, key)).visibility === 'public';
    } catch (error) {
      if (isRefusal(error, 'missing', 'rejected')) return false;
      throw error;
    }
  }
}

function linkSpots(operation: string): Spot[] {
  if (operation === 'headObject') return ['link is looked at'];
  return operation === 'setVisibility' ? ['link is asked for'] : [];
}

/** `body`, which asks `half` in its middle if it is large. */
function halted(body: UploadBody, half: () => Promise<void>): UploadBody {
  if (body.size < LARGE) return body;
  return {
    ...body,
    open: async function* () {
      let before = body.size / 2;
      for await (const piece of body.open()) {
        if (before > 0 && before <= piece.length) await half();
        before -= piece.length;
        yield piece;
      }
    },
  };
}
