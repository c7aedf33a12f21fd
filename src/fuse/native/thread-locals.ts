/**
 * What is to know about libfuse's threads?
 *
 * Each has a record in memory that the addon asks us for. The record holds what the addon forgets to pass on (the mtime of
 * utimens), and it is never given back, though libfuse ends and starts threads with every burst of requests; after
 * some ten thousand the process only walks dead records. So past a limit no new threads may start.
 */
import type { Log } from '../../base/log.ts';

/** The record's size and places on 64-bit Linux, where the times are known to be; elsewhere the addon's word is taken. */
const KNOWN_SIZE = 360;
const ATIME_PLACE = 104;
const MTIME_PLACE = 112;

/** As many requests in flight as one burst needs, long before the dead records cost anything. */
const THREAD_LIMIT = 256;
/** A stack size that no thread can have: libfuse reads it at each start, fails, and carries on with the threads there are. */
const BRAKE_VARIABLE = 'FUSE_THREAD_STACK';
const BRAKE_VALUE = '-2147483648';

export class ThreadLocals {
  readonly #log: Log;
  readonly #limit: number;

  #count = 0;
  #size = 0;

  constructor(log: Log, limit: number = THREAD_LIMIT) {
    this.#log = log;
    this.#limit = limit;
  }

  /** For the addon: memory for one more thread. The addon itself keeps it from being collected. */
  readonly allocate = (size: number): Buffer => {
    this.#count += 1;
    this.#size = size;
    if (this.#count === this.#limit) this.#brake();
    return Buffer.alloc(size);
  };

  /**
   * The parameters of utimens with both times in milliseconds, the mtime as the program gave it, neither before 1970.
   * `raw` is path, atime low and high, and atime again where mtime was meant.
   */
  withTrueTimes(locals: Buffer, raw: readonly unknown[]): readonly unknown[] {
    const [path, low, high] = raw;
    const given = (BigInt(Number(high)) << 32n) | BigInt(Number(low));
    const isKnown = this.#size === KNOWN_SIZE && locals.readBigUInt64LE(ATIME_PLACE) === given;
    const mtime = isKnown ? locals.readBigUInt64LE(MTIME_PLACE) : given;
    return [path, clampTime(given), clampTime(mtime)];
  }

  #brake(): void {
    process.env[BRAKE_VARIABLE] = BRAKE_VALUE;
    this.#log.warn('no more threads for requests: bursts wait from here on until the next mount', {
      threads: this.#count,
    });
  }
}

/** The addon's milliseconds are unsigned: a time before 1970 looks like one in half a billion years. */
function clampTime(milliseconds: bigint): number {
  return Math.max(0, Number(BigInt.asIntN(64, milliseconds)));
}
