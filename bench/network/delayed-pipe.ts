/** What happens to the bytes of one direction of one connection: when may they arrive, and how many may be under way? */
import type { Socket } from 'node:net';
import { nanoseconds } from './alarm.ts';
import { Line, type Pace } from './line.ts';

interface Parcel {
  /** Null: the end. */
  readonly bytes: Buffer | null;
  readonly due: bigint;
}

/** Enough that the line does not run dry while a busy machine lets us wait; more would hide from the sender that it is busy. */
const MOST_AHEAD_NS = 100_000_000n;
/** Bytes that an unlimited line holds; more than its rate times its latency. */
const MOST_WAITING = 8 * 1024 * 1024;

/** Moves bytes from one socket to another, late. */
export class DelayedPipe {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #line: Line;
  readonly #count: (bytes: number) => void;
  readonly #wakeAt: (moment: bigint) => void;
  readonly #parcels: Parcel[] = [];
  #waitingBytes = 0;

  /** `wakeAt` asks for a call of `deliver`; `count` hears of bytes as they are handed over. */
  constructor(
    ends: { readonly from: Socket; readonly to: Socket },
    pace: Pace,
    count: (bytes: number) => void,
    wakeAt: (moment: bigint) => void,
  ) {
    this.#from = ends.from;
    this.#to = ends.to;
    this.#line = new Line(pace);
    this.#count = count;
    this.#wakeAt = wakeAt;
    this.#from.on('data', (bytes: Buffer) => {
      this.#take(bytes);
    });
    this.#from.once('end', () => {
      this.#take(null);
    });
    this.#to.on('drain', () => {
      this.#resume();
    });
  }

  /** Hands over what is due. The moment of what is next; undefined when nothing waits. */
  deliver(): bigint | undefined {
    const now = nanoseconds();
    for (let [first] = this.#parcels; first !== undefined && first.due <= now; [first] = this.#parcels) {
      this.#parcels.shift();
      if (first.bytes === null) {
        this.#to.end();
      } else {
        this.#waitingBytes -= first.bytes.length;
        this.#count(first.bytes.length);
        this.#to.write(first.bytes);
      }
    }
    this.#resume();
    return this.#parcels[0]?.due;
  }

  #take(bytes: Buffer | null): void {
    const now = nanoseconds();
    const due = this.#line.send(bytes?.length ?? 0, now);
    this.#waitingBytes += bytes?.length ?? 0;
    this.#parcels.push({ bytes, due });
    if (this.#isFull()) this.#from.pause();
    if (due <= now) this.deliver();
    else this.#wakeAt(due);
  }

  #isFull(): boolean {
    const isAhead = this.#line.busyFor(nanoseconds()) > MOST_AHEAD_NS;
    return isAhead || this.#waitingBytes > MOST_WAITING || this.#to.writableNeedDrain;
  }

  #resume(): void {
    if (this.#from.isPaused() && !this.#isFull()) this.#from.resume();
  }
}
