/** How does one process talk to the kernel over /dev/fuse, and notice that the kernel has let go? */
import { closeSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { DeviceReaderData } from './device-reader.ts';
import { Notifier } from './notifier.ts';
import { refusalInstead } from './replies.ts';
import { allocateRing, RingReader } from './request-ring.ts';

/**
 * A program's next request mostly follows its last answer within this. To wait for it right here seems a little quicker than to be
 * woken through the event loop, which meanwhile stands still; to look for it again and again would take the processor from
 * the program that is to send it.
 */
const PATIENCE_MS = 0.1;
/** So that a burst of requests leaves turns of the event loop to their answers. */
const TAKEN_PER_TURN = 8;

/** Nobody waits for an answer: the request was given up (ENOENT), or the mount is gone. */
const UNWANTED: ReadonlySet<string> = new Set(['ENOENT', 'ENODEV', 'ECONNABORTED', 'ENOTCONN']);

export interface RequestHandler {
  /** Begins a request whose bytes are valid only during the call. Never throws. */
  readonly begin: (request: Buffer) => void;
  /** Memory that requests in progress take. */
  readonly bytesInFlight: number;
  /** Resolves when some of it is given back. */
  answered(): Promise<void>;
}

/** Requests wait at the device, which costs nothing, while those in progress take this much. */
const MAX_BYTES_IN_FLIGHT = 256 * 1024 * 1024;

export class Device {
  /** Resolves when the kernel has let go, and every request it had sent was begun. */
  readonly closed: Promise<void>;
  readonly descriptor: number;

  readonly #log: Log;
  readonly #notifier: Notifier;
  readonly #ring: RingReader;
  readonly #memory: SharedArrayBuffer;

  #handler: RequestHandler | undefined;
  #isClosed = false;
  #close: () => void = () => undefined;

  /** Takes over a descriptor on which something is mounted. */
  constructor(descriptor: number, log: Log) {
    this.descriptor = descriptor;
    this.#log = log;
    this.#notifier = new Notifier(descriptor, log);
    this.#memory = allocateRing();
    this.#ring = new RingReader(this.#memory);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  /** Begins to take requests. */
  start(handler: RequestHandler): void {
    this.#handler = handler;
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const program = fileURLToPath(new URL(`./device-reader.${extension}`, import.meta.url));
    const workerData: DeviceReaderData = { descriptor: this.descriptor, ring: this.#memory };
    const worker = new Worker(program, { workerData });
    worker.once('error', (error) => {
      this.#log.error('the thread that waits for requests failed', { reason: describeError(error) });
    });
    // Whatever made it end: nobody takes requests any more, so programs had better hear that at once.
    worker.once('exit', () => {
      void this.#drainAndClose();
    });
    this.#ring.sleep(this.#turn);
  }

  /** Hands an answer to the kernel. False when it does not want it any more. */
  readonly deliver = (reply: Buffer): boolean => {
    if (this.#isClosed) return false;
    try {
      writeSync(this.descriptor, reply);
      return true;
    } catch (error) {
      const code = systemErrorCode(error) ?? '';
      if (!UNWANTED.has(code)) this.#answerInstead(reply, error);
      return false;
    }
  };

  /** Tells the kernel something unasked, at some time. */
  readonly notify = (notification: Buffer): void => {
    this.#notifier.send(notification);
  };

  /** Gives the descriptor up; only when nothing is mounted on it, or never was. */
  release(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.descriptor);
  }

  readonly #turn = (): void => {
    const handler = this.#handler;
    if (handler === undefined || this.#isClosed) return;
    if (handler.bytesInFlight > MAX_BYTES_IN_FLIGHT) {
      void handler.answered().then(this.#turn);
      return;
    }
    // While something is in progress, the event loop has more to do than to wait for the kernel.
    if (handler.bytesInFlight === 0) this.#ring.waitBriefly(PATIENCE_MS);
    const isBusy = this.#take(handler);
    const errno = this.#ring.ended;
    if (errno !== undefined) {
      this.#noteEnd(errno);
      return;
    }
    if (isBusy) setImmediate(this.#turn);
    else this.#ring.sleep(this.#turn);
  };

  /** Whoever waits must not wait for ever because of a fault of ours. */
  #answerInstead(reply: Buffer, error: unknown): void {
    this.#log.error('the kernel refused an answer', { reason: describeError(error), bytes: reply.length });
    try {
      writeSync(this.descriptor, refusalInstead(reply));
    } catch (second) {
      this.#log.error('the kernel refused a refusal', { reason: describeError(second) });
    }
  }

  #take(handler: RequestHandler): boolean {
    let count = 0;
    while (count < TAKEN_PER_TURN && handler.bytesInFlight <= MAX_BYTES_IN_FLIGHT) {
      if (!this.#ring.take(handler.begin)) break;
      count += 1;
    }
    return count > 0;
  }

  #noteEnd(errno: number): void {
    if (errno === constants.errno.ENODEV) return;
    this.#log.error('the kernel stopped sending requests', { errno });
  }

  async #drainAndClose(): Promise<void> {
    let isLeft = this.#handler !== undefined;
    while (isLeft) isLeft = this.#handler !== undefined && this.#ring.take(this.#handler.begin);
    // Its number must not go to another file while the thread may still write there.
    await this.#notifier.close();
    this.release();
    this.#close();
  }
}
