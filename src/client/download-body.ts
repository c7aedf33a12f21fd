/** Are these all the bytes that the headers announced? The body of a `Download`. (§4.8) */
import { Refusal } from '../service/refusal.ts';
import type { ServiceAnswer } from './service-answer.ts';

/**
 * Exactly `length` bytes, for one reader. Rejects with `unavailable` when fewer come, with `malformed` when more do, with
 * `timeout` when they stall and with `aborted` when the caller's signal says so.
 */
export class DownloadBody implements AsyncIterableIterator<Uint8Array> {
  readonly #answer: ServiceAnswer;
  readonly #length: number;
  #received = 0;
  #ended = false;

  constructor(answer: ServiceAnswer, length: number) {
    this.#answer = answer;
    this.#length = length;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      const piece = await this.#answer.body.next();
      this.#account(piece);
      return piece;
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#ended = true;
    await this.#answer.body.return();
    this.#answer.watch.close();
    return { done: true, value: undefined };
  }

  #account(piece: IteratorResult<Uint8Array, undefined>): void {
    if (piece.done !== true) this.#received += piece.value.byteLength;
    const { details } = this.#answer;
    const found = `${this.#received} of ${this.#length} bytes`;
    if (this.#received > this.#length) throw new Refusal('malformed', `too long a body: ${found}`, details);
    if (piece.done !== true) return;
    if (this.#received < this.#length) throw new Refusal('unavailable', `cut short: ${found}`, details);
    this.#ended = true;
    this.#answer.watch.close();
  }
}
