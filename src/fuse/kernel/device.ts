/** How does one process talk to the kernel over /dev/fuse, and notice that the kernel has let go? */
import { closeSync, writeSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { isToBeTriedAgain, type DeviceCalls, type InputWatch } from './device-calls.ts';
import { LargeAnswers } from './large-answers.ts';
import { Notifier } from './notifier.ts';
import { refusalInstead } from './replies.ts';
import type { RequestMemory } from './request-memory.ts';

/**
 * A program's next request mostly follows its last answer within this. To wait for it right here, while the event loop stands
 * still, is quicker than a turn of the event loop.
 */
const PATIENCE_MS = 0.1;
/**
 * A look takes about a microsecond. A processor that sleeps is slow to wake, on a virtual machine by tens of microseconds,
 * which a program that waits for each answer would pay for each; to look for longer would take the processor from others.
 */
const LOOKS_BEFORE_SLEEP = 40;
/** So that a burst of requests leaves turns of the event loop to everything else. */
const TAKEN_PER_TURN = 32;
/** An answer that needs nobody else comes within so many; a turn of the event loop would take longer than the answer. */
const MICROTASKS_OF_AN_ANSWER = 8;

/** Nobody waits for an answer: the request was given up (ENOENT), or the mount is gone. */
const UNWANTED: ReadonlySet<string> = new Set(['ENOENT', 'ENODEV', 'ECONNABORTED', 'ENOTCONN']);

export interface RequestHandler {
  /** Begins a request whose bytes are valid only during the call. Never throws. */
  readonly begin: (request: Buffer) => void;
  /** Memory that requests in progress take. */
  readonly bytesInFlight: number;
  /** Answers what is in progress, in one go. Never throws. */
  abandon(): void;
  /** Resolves when some of it is given back. */
  answered(): Promise<void>;
}

/** Requests wait at the device, which costs nothing, while those in progress take this much. */
const MAX_BYTES_IN_FLIGHT = 256 * 1024 * 1024;

export interface DeviceParts {
  readonly calls: DeviceCalls;
  readonly requests: Pick<RequestMemory, 'room'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

export class Device {
  /** Resolves when the kernel has let go, and every request it had sent was begun. */
  readonly closed: Promise<void>;
  readonly descriptor: number;

  readonly #calls: DeviceCalls;
  readonly #log: Log;
  readonly #notifier: Notifier;
  readonly #large: LargeAnswers;
  readonly #requests: Pick<RequestMemory, 'room'>;
  /** Where there is one processor, the program cannot go on while we look. */
  readonly #looks = availableParallelism() > 1 ? LOOKS_BEFORE_SLEEP : 0;

  #handler: RequestHandler | undefined;
  #watch: InputWatch | undefined;
  #mostInFlight = MAX_BYTES_IN_FLIGHT;
  #isPausing = false;
  /** Nothing is read any more. */
  #isOver = false;
  #isClosed = false;
  #close: () => void = () => undefined;

  /** Takes over a descriptor on which something is mounted. */
  constructor(descriptor: number, { calls, requests, clock, log }: DeviceParts) {
    this.descriptor = descriptor;
    this.#calls = calls;
    this.#requests = requests;
    this.#log = log;
    this.#notifier = new Notifier(descriptor, log);
    this.#large = new LargeAnswers(descriptor, clock);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  /** Begins to take requests. */
  start(handler: RequestHandler): void {
    this.#handler = handler;
    this.#calls.setNonBlocking(this.descriptor);
    this.#watch = this.#calls.watch(this.descriptor, this.#turn);
  }

  /** Hands an answer to the kernel. False when it does not want it any more. */
  readonly deliver = (reply: Buffer): boolean => {
    if (this.#isClosed) return false;
    try {
      writeSync(this.descriptor, reply);
      return true;
    } catch (error) {
      return this.#undelivered(reply, error);
    }
  };

  /** As `deliver`, of a `reply` that `data` follows from where it lies: the kernel takes it as one answer only in one call. */
  readonly deliverTogether = (reply: Buffer, data: readonly Uint8Array[]): boolean | Promise<boolean> => {
    if (this.#isClosed) return false;
    try {
      const written = this.#large.write([reply, ...data]);
      if (typeof written === 'number') return this.#requireWhole(reply, written);
      return written
        .then((bytes) => this.#requireWhole(reply, bytes))
        .catch((error: unknown) => this.#undelivered(reply, error));
    } catch (error) {
      return this.#undelivered(reply, error);
    }
  };

  /** Tells the kernel something unasked, at some time. */
  readonly notify = (notification: Buffer): void => {
    this.#notifier.send(notification);
  };

  /** Resolves when the kernel has taken what it was told until now, or takes nothing any more. */
  notified(): Promise<void> {
    return this.#notifier.written();
  }

  /** From now on requests are taken however much memory those in progress take: the programs that unmount ask something, too. */
  takeAll(): void {
    this.#mostInFlight = Infinity;
    this.#goOn();
  }

  /** Only when the process exits: no thread of ours need wait for the kernel from now on. */
  readonly abandon = (): void => {
    // The one that notifies may wait for locks of programs that wait for us.
    this.#handler?.abandon();
    // While it ends, Node lets its event loop turn, which must not call us any more.
    this.#isOver = true;
    this.#watch?.close();
  };

  /** Whether the kernel has not let go, as far as it tells before the last request is read. */
  readonly isConnected = (): boolean => !this.#isClosed && this.#calls.isConnected(this.descriptor);

  /**
   * Nobody takes requests any more, whatever ended it: programs had better hear that at once. Resolves when the descriptor is given
   * up, by which the kernel lets go of what is still mounted on it.
   */
  async end(): Promise<void> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#watch?.close();
      await this.#closeDown();
    }
    await this.closed;
  }

  readonly #turn = (): void => {
    const handler = this.#handler;
    if (handler === undefined || this.#isOver) return;
    this.#serve(handler).catch((error: unknown) => {
      this.#log.error('requests can no longer be taken', { reason: describeError(error), cause: error });
      void this.end();
    });
  };

  /** Takes what is there; the watch tells of more. */
  async #serve(handler: RequestHandler): Promise<void> {
    for (let taken = 0; taken < TAKEN_PER_TURN; taken += 1) {
      if (handler.bytesInFlight > this.#mostInFlight) {
        this.#goOnAfter(handler.answered());
        return;
      }
      // While something is in progress, the event loop has more to do than to wait for the kernel.
      if (handler.bytesInFlight === 0) this.#awaitNext();
      const { room } = this.#requests;
      const length = this.#calls.read(this.descriptor, room);
      if (length <= 0) {
        if (!isToBeTriedAgain(-length)) this.#noteEnd(-length);
        return;
      }
      await this.#begin(handler, room.subarray(0, length));
      if (this.#isOver) return;
    }
  }

  #goOnAfter(answered: Promise<void>): void {
    this.#isPausing = true;
    this.#watch?.pause();
    void answered.then(this.#goOn);
  }

  readonly #goOn = (): void => {
    if (!this.#isPausing) return;
    this.#isPausing = false;
    this.#watch?.resume();
  };

  /** Until there is a request, for a moment. */
  #awaitNext(): void {
    for (let look = 0; look < this.#looks; look += 1) {
      if (this.#calls.waitForInput(this.descriptor, 0)) return;
    }
    this.#calls.waitForInput(this.descriptor, PATIENCE_MS);
  }

  /** Resolves when the answer is given, or will take some time. */
  async #begin(handler: RequestHandler, request: Buffer): Promise<void> {
    const before = handler.bytesInFlight;
    handler.begin(request);
    for (let count = 0; handler.bytesInFlight > before && count < MICROTASKS_OF_AN_ANSWER; count += 1) {
      await Promise.resolve();
    }
  }

  /** Throws when it is not. */
  #requireWhole(reply: Buffer, written: number): true {
    if (written === reply.readUInt32LE(0)) return true;
    throw new Error(`it took only ${written} bytes`);
  }

  #undelivered(reply: Buffer, error: unknown): false {
    // Its number may be another file's by now.
    if (!this.#isClosed && !UNWANTED.has(systemErrorCode(error) ?? '')) this.#answerInstead(reply, error);
    return false;
  }

  /** Whoever waits must not wait for ever because of a fault of ours. */
  #answerInstead(reply: Buffer, error: unknown): void {
    this.#log.error('the kernel refused an answer', { reason: describeError(error), bytes: reply.length });
    try {
      writeSync(this.descriptor, refusalInstead(reply));
    } catch (second) {
      this.#log.error('the kernel refused a refusal', { reason: describeError(second) });
    }
  }

  #noteEnd(errno: number): void {
    if (errno !== constants.errno.ENODEV) this.#log.error('the kernel stopped sending requests', { errno });
    void this.end();
  }

  async #closeDown(): Promise<void> {
    // Its number must not go to another file while a thread may still write there.
    await this.#notifier.close();
    this.#isClosed = true;
    await this.#large.ended();
    closeSync(this.descriptor);
    this.#close();
  }
}
