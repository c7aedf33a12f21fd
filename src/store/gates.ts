/**
 * How many requests of a kind may be under way?
 *
 * Each kind has a gate of its own, and the connection pool has a connection for the sum of them: a name is never stuck behind
 * a transfer. Between two tries nothing is under way: while the service asks to be left alone with some, others go on.
 */
import { systemClock, type Clock } from '../base/clock.ts';
import { RunningClock } from '../base/running-clock.ts';
import type { Pausing } from '../service/object-service.ts';

/**
 * Runs `task` when there is a place for it. `hasWaited`: whether there was none at once. A task that waits between two of its requests has to do
 * so by `pausing`, which gives its place to others meanwhile; one wait at a time.
 */
export type Gate = <Result>(
  task: (pausing?: Pausing, hasWaited?: boolean) => Promise<Result>,
) => Promise<Result>;

export interface Gates {
  readonly metadata: Gate;
  readonly reads: Gate;
  readonly uploads: Gate;
  /** By which those who are let in have their deadlines. */
  readonly clock: RunningClock;
  /** Whether what somebody has seen of the service may be from before the process, or its machine, slept: it may be hours old. */
  hasJustWoken(): boolean;
}

const METADATA_AT_ONCE = 16;
const READS_AT_ONCE = 16;
const UPLOADS_AT_ONCE = 8;
/** For so long after a sleep an answer may still be on its way that was given before it, milliseconds: longer than a call may take. */
const WAKING_MS = 60_000;

/** How many connections a pool needs so that no gate waits for another. */
export const CONNECTIONS_FOR_ALL_GATES = METADATA_AT_ONCE + READS_AT_ONCE + UPLOADS_AT_ONCE;

/** Gates for one mount; their tasks never wait for each other's kind. Without a `clock`, which has to be the client's, nobody hears of a sleep. */
export function createGates(clock?: Clock): Gates {
  const running = RunningClock.of(clock ?? systemClock);
  return {
    metadata: gateOf(METADATA_AT_ONCE),
    reads: gateOf(READS_AT_ONCE),
    uploads: gateOf(UPLOADS_AT_ONCE),
    clock: running,
    hasJustWoken: () => clock !== undefined && running.hasWokenWithin(WAKING_MS),
  };
}

function gateOf(count: number): Gate {
  const places = new Places(count);
  return async (task) => {
    const hasWaited = await places.take('new');
    const place = { isHeld: true };
    let isOver = false;
    const pausing: Pausing = async (pause) => {
      place.isHeld = false;
      places.giveBack();
      // Who is given up meanwhile needs no place any more.
      await pause();
      await places.take('returning');
      if (isOver) places.giveBack();
      else place.isHeld = true;
    };
    try {
      return await task(pausing, hasWaited);
    } finally {
      isOver = true;
      if (place.isHeld) places.giveBack();
    }
  };
}

/** Those of one gate, in the order in which they are asked for; who had one before comes before those who have not begun. */
class Places {
  readonly #waiting: Readonly<Record<'new' | 'returning', (() => void)[]>> = { new: [], returning: [] };
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with whether there was none at once. */
  async take(who: 'new' | 'returning'): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return false;
    }
    await new Promise<void>((resolve) => this.#waiting[who].push(resolve));
    return true;
  }

  giveBack(): void {
    const next = this.#waiting.returning.shift() ?? this.#waiting.new.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
