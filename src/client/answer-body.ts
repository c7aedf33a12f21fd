/** How are the bytes of an answer read, with a limit on silence and, for documents, on size? */
import { isUtf8 } from 'node:buffer';
import { Refusal } from '../service/refusal.ts';
import type { RefusalDetails } from '../service/refusal.ts';
import type { Arrival } from './arrival.ts';
import { refusalOf } from './refusals.ts';
import type { Watch } from './watch.ts';

/** Who hears of an answer's bytes as they pass. */
export interface BodyListener {
  /** They have come. */
  received(bytes: number): void;
  /** Whoever asked for them is done with them, by his own promise; absent when he gave none. */
  readonly read?: ((piece: Uint8Array) => void) | undefined;
}

/**
 * The pieces of one answer's body, for one reader. Rejects with `timeout` when no byte comes for `idle` milliseconds while
 * somebody waits for one, and with `unavailable` when the connection is cut.
 */
export class AnswerBody implements AsyncIterableIterator<Uint8Array> {
  readonly #arrival: Arrival;
  readonly #watch: Watch;
  readonly #idle: number;
  readonly #listener: BodyListener;
  readonly #details: RefusalDetails;
  #beingRead: Uint8Array | null = null;

  constructor(
    arrival: Arrival,
    watch: Watch,
    { idle, listener }: { readonly idle: number; readonly listener: BodyListener },
    details: RefusalDetails,
  ) {
    this.#arrival = arrival;
    this.#watch = watch;
    this.#idle = idle;
    this.#listener = listener;
    this.#details = details;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#letGo();
    this.#watch.expect('further byte of the answer', this.#idle);
    try {
      const piece = await this.#arrival.next();
      if (piece === null) return { done: true, value: undefined };
      this.#listener.received(piece.byteLength);
      this.#beingRead = piece;
      return { done: false, value: piece };
    } catch (error) {
      throw refusalOf(error, this.#details);
    } finally {
      this.#watch.rest();
    }
  }

  /** No more is wanted. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#letGo();
    this.#arrival.stop(new Refusal('aborted', 'nobody wants the rest of the answer', this.#details));
    return Promise.resolve({ done: true, value: undefined });
  }

  #letGo(): void {
    if (this.#beingRead !== null) this.#listener.read?.(this.#beingRead);
    this.#beingRead = null;
  }
}

/** Reads to the end. Rejects with `malformed` when more than `limit` bytes come. */
export async function readAll(body: AnswerBody, limit: number, details: RefusalDetails): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > limit) throw new Refusal('malformed', `the answer is larger than ${limit} bytes`, details);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

/** Reads a JSON document. Rejects with `malformed` when it is none, or larger than `limit` bytes. */
export async function readJson(body: AnswerBody, limit: number, details: RefusalDetails): Promise<unknown> {
  return documentOf(await readAll(body, limit, details), details);
}

/** Throws `malformed` when `bytes` are no JSON document. */
export function documentOf(bytes: Uint8Array, details: RefusalDetails): unknown {
  try {
    return JSON.parse(textOf(bytes)) as unknown;
  } catch {
    // Without the parser's error as cause: it repeats a piece of the text, which belongs in no log.
    throw new Refusal('malformed', 'the answer is not a JSON document', details);
  }
}

/** Where bytes are not UTF-8, a lone surrogate: a replacement character could be the name of another file. */
function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  return isUtf8(bytes) ? text : text.replaceAll('\ufffd', '\ud800');
}
