/**
 * Where do bytes lie between a connection and whoever reads an answer? In buffers that are used again: Node would make a new one for each
 * look at a socket, and a fast line leaves the engine more garbage of that kind in a second than everything else does in an hour.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { IdleWatch } from '../base/idle-watch.ts';

/** What one look at a socket may bring. */
const BUFFER_BYTES = 128 * 1024;
/** Fewer bytes are copied: they may be kept by somebody for long, as those of headers are. */
const LEAST_LENT = 32 * 1024;
/** What a few busy connections use. */
const MOST_SPARE = 32;
const IDLE_MS = 10_000;

/** For the connections of one pool: as `onread` of net.connect(). */
export interface ReadInto {
  readonly buffer: () => Uint8Array;
  /** Called on the socket. False: it is to wait until somebody has read. */
  readonly callback: (this: Pick<Readable, 'push'>, bytes: number, buffer: Uint8Array) => boolean;
}

/** Of one client. What is never given back is only forgotten. */
export class SocketBuffers {
  readonly options: ReadInto;
  readonly #idle: IdleWatch;
  readonly #spare: Uint8Array[] = [];
  /** How far each that is lent is filled. */
  readonly #lent = new WeakMap<ArrayBufferLike, { readonly whole: Uint8Array; readonly end: number }>();
  /** Node asks for the next buffer at once after it has handed one over. */
  #next: Uint8Array | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#idle = new IdleWatch(clock, IDLE_MS, () => {
      this.#spare.length = 0;
      this.#next = undefined;
    });
    const take = (): Uint8Array => this.#take();
    const lend = (bytes: number, buffer: Uint8Array): Uint8Array => this.#lend(bytes, buffer);
    const reuse = (buffer: Uint8Array): void => void (this.#next = buffer);
    this.options = {
      buffer: take,
      callback(bytes, buffer) {
        if (bytes >= LEAST_LENT) return this.push(lend(bytes, buffer));
        const wantsMore = this.push(Buffer.from(buffer.subarray(0, bytes)));
        // Last of all: whatever the bytes set off, this buffer is the socket's own.
        reuse(buffer);
        return wantsMore;
      },
    };
  }

  /**
   * `piece` of an answer is read, and those before it: nobody looks at their bytes any more. Does nothing for bytes that lie elsewhere, or
   * behind which there are more in the same buffer.
   */
  giveBack(piece: Uint8Array): void {
    const lent = this.#lent.get(piece.buffer);
    if (lent?.end !== piece.byteOffset + piece.byteLength) return;
    this.#lent.delete(piece.buffer);
    if (this.#spare.length < MOST_SPARE) this.#spare.push(lent.whole);
    this.#idle.used();
  }

  #take(): Uint8Array {
    const buffer = this.#next ?? this.#spare.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#next = undefined;
    return buffer;
  }

  #lend(bytes: number, buffer: Uint8Array): Uint8Array {
    this.#lent.set(buffer.buffer, { whole: buffer, end: buffer.byteOffset + bytes });
    return buffer.subarray(0, bytes);
  }
}
