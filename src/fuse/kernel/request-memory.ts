/**
 * Where do the bytes of requests lie: of one until it is begun, of a large write until they are on the disk? In memory that is used
 * again, where the bytes of a write begin where a page does: a disk takes those without a copy of its own.
 */
import { alignedMemory, ALIGNMENT } from '../../base/aligned-memory.ts';
import { BlockMemory } from '../../base/block-memory.ts';
import type { Clock } from '../../base/clock.ts';
import { IdleWatch } from '../../base/idle-watch.ts';
import type { HeldBytes } from '../../base/read-into.ts';
import { MAX_TRANSFER_BYTES, WRITE_DATA_START } from './requests.ts';

/** The kernel wants room for its largest write and the structures before it. */
const REQUEST_BYTES = MAX_TRANSFER_BYTES + ALIGNMENT;
/** Where a request begins in its block. */
const START = ALIGNMENT - WRITE_DATA_START;
/** To copy so few bytes is quicker than to find another block for the next request. */
const SHORT = 64 * 1024;
/** Those of the writes that one busy program has in flight. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024;
const IDLE_MS = 10_000;

export class RequestMemory {
  readonly #memory = new BlockMemory(REQUEST_BYTES + ALIGNMENT, alignedMemory);
  readonly #idle: IdleWatch;
  #block = this.#memory.take(this.#memory.blockSize);
  #room = roomIn(this.#block);

  constructor(clock: Pick<Clock, 'after'>) {
    this.#idle = new IdleWatch(clock, IDLE_MS, () => {
      this.#memory.trimTo(0);
    });
  }

  /** For the next request. What was there before may be overwritten, but for what is held. */
  get room(): Buffer {
    return this.#room;
  }

  /** Bytes of the request that was read last. */
  hold(data: Uint8Array): HeldBytes {
    if (data.length <= SHORT || data.buffer !== this.#block.buffer)
      return { bytes: Buffer.from(data), free: () => undefined };
    const block = this.#block;
    this.#block = this.#memory.take(this.#memory.blockSize);
    this.#room = roomIn(this.#block);
    const free = (): void => {
      this.#memory.letGo(block);
      this.#memory.trimTo(MOST_KEPT_BYTES);
      this.#idle.used();
    };
    return { bytes: data, free };
  }
}

function roomIn({ buffer, byteOffset }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset + START, REQUEST_BYTES);
}
