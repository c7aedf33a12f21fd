/**
 * Where do bytes lie between a connection and whoever reads an answer? In buffers that are used again: Node would make a new one for each
 * look at a socket, and a fast line leaves the engine more garbage of that kind in a second than everything else does in an hour.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { IdleWatch } from '../base/idle-watch.ts';

/** What one look at a socket may bring. */
const BUFFER_BYTES = 128 * 1024;
/** Fewer bytes are copied: they may be kept by somebody for long, as those of headers are. TLS brings 16 KiB at a look, or a little less. */
const LEAST_LENT = 8 * 1024;
/** Room that is worth another look. */
const LEAST_ROOM = 32 * 1024;
/** What a few busy connections use. */
const MOST_SPARE = 32;
const IDLE_MS = 10_000;

/** For the connections of one pool: as `onread` of net.connect(). */
export interface OnRead {
  readonly buffer: () => Uint8Array;
  /** Called on the socket. False: it is to wait until somebody has read. */
  readonly callback: (this: Pick<Readable, 'push'>, bytes: number, buffer: Uint8Array) => boolean;
}

/** A buffer whose bytes somebody reads: those of several looks, maybe of several answers. */
interface Lent {
  readonly whole: Uint8Array;
  /** Where the bytes of each look end that are not read. */
  readonly unread: Set<number>;
  /** Whether the socket puts further bytes behind them. */
  isOpen: boolean;
}

/** Of one client. What is never given back is only forgotten. */
export class SocketBuffers {
  readonly options: OnRead;
  readonly #idle: IdleWatch;
  readonly #spare: Uint8Array[] = [];
  readonly #lent = new WeakMap<ArrayBufferLike, Lent>();
  /** Node asks for the next buffer at once after it has handed one over. */
  #next: Uint8Array | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#idle = new IdleWatch(clock, IDLE_MS, () => {
      this.#spare.length = 0;
      this.#next = undefined;
    });
    const take = (): Uint8Array => this.#take();
    const lend = (bytes: number, buffer: Uint8Array): Uint8Array => this.#lend(bytes, buffer);
    const goOn = (bytes: number, buffer: Uint8Array): void => {
      this.#goOn(bytes, buffer);
    };
    this.options = {
      buffer: take,
      callback(bytes, buffer) {
        const piece = bytes >= LEAST_LENT ? lend(bytes, buffer) : Buffer.from(buffer.subarray(0, bytes));
        const wantsMore = this.push(piece);
        // Last of all: whatever the bytes set off, what is left of this buffer is the socket's own.
        goOn(bytes, buffer);
        return wantsMore;
      },
    };
  }

  /**
   * `piece` of an answer is read, and those before it: nobody looks at their bytes any more. Does nothing for bytes that lie elsewhere, or
   * behind which there are more of the same look.
   */
  giveBack(piece: Uint8Array): void {
    const lent = this.#lent.get(piece.buffer);
    if (lent?.unread.delete(piece.byteOffset + piece.byteLength) !== true) return;
    this.#spareIfRead(lent);
    this.#idle.used();
  }

  #take(): Uint8Array {
    const buffer = this.#next ?? this.#spare.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#next = undefined;
    return buffer;
  }

  #lend(bytes: number, buffer: Uint8Array): Uint8Array {
    const lent = this.#lent.get(buffer.buffer) ?? { whole: buffer, unread: new Set(), isOpen: true };
    lent.unread.add(buffer.byteOffset + bytes);
    this.#lent.set(buffer.buffer, lent);
    return buffer.subarray(0, bytes);
  }

  /** `bytes` of what the socket looked into are handed over. */
  #goOn(bytes: number, buffer: Uint8Array): void {
    const isLent = bytes >= LEAST_LENT;
    const room = isLent ? buffer.subarray(bytes) : buffer;
    const lent = this.#lent.get(buffer.buffer);
    if (!isLent || room.length >= LEAST_ROOM) this.#next = room;
    else if (lent !== undefined) {
      lent.isOpen = false;
      this.#spareIfRead(lent);
    }
  }

  #spareIfRead({ whole, unread, isOpen }: Lent): void {
    if (isOpen || unread.size > 0) return;
    this.#lent.delete(whole.buffer);
    if (this.#spare.length < MOST_SPARE) this.#spare.push(whole);
  }
}
