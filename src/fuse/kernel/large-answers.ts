/**
 * By whom is a large answer handed to the kernel? The kernel copies it into its own cache, whose memory the machine may have to find first:
 * that can take longer than all else of a read, so another thread waits for it, while ours goes on with what comes off the line.
 */
import { writev, writevSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../../base/clock.ts';

const elsewhere = promisify(writev);

/** Bytes whose copy takes longer than the way to another thread and back. */
const LARGE = 256 * 1024;
/** Node has four threads, which the local disk's calls need, too. */
const MOST_ELSEWHERE = 2;
/** Milliseconds: no copy takes that long, even on a busy machine. Then all threads wait for the local disk, and programs must not wait with them. */
const SLOW_MS = 1000;
/** Milliseconds without them after that; twice as long each time that they are no faster. */
const REST_MS = 5000;
const MOST_REST_MS = 320_000;

export class LargeAnswers {
  readonly #descriptor: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Answers that other threads write. None of them rejects. */
  readonly #running = new Set<Promise<unknown>>();
  #rest = REST_MS;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(descriptor: number, clock: Pick<Clock, 'monotonic'>) {
    this.#descriptor = descriptor;
    this.#clock = clock;
  }

  /** In one call, as the kernel wants it: throws, or rejects, as writev(2) does. Bytes that it took; nobody may change them before. */
  write(pieces: readonly Uint8Array[]): number | Promise<number> {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const isHere =
      bytes < LARGE || this.#running.size >= MOST_ELSEWHERE || this.#clock.monotonic() < this.#restsUntil;
    return isHere ? writevSync(this.#descriptor, pieces) : this.#writeElsewhere(pieces);
  }

  /** Resolves once no thread uses the descriptor. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #writeElsewhere(pieces: readonly Uint8Array[]): Promise<number> {
    const from = this.#clock.monotonic();
    const writing = elsewhere(this.#descriptor, pieces);
    const running = writing
      .catch(() => undefined)
      .finally(() => {
        this.#running.delete(running);
        this.#took(this.#clock.monotonic() - from);
      });
    this.#running.add(running);
    return (await writing).bytesWritten;
  }

  #took(milliseconds: number): void {
    const now = this.#clock.monotonic();
    // Two that were held up together are one time.
    if (now < this.#restsUntil) return;
    if (milliseconds <= SLOW_MS) {
      this.#rest = REST_MS;
      return;
    }
    this.#restsUntil = now + this.#rest;
    this.#rest = Math.min(this.#rest * 2, MOST_REST_MS);
  }
}
