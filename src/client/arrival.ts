/**
 * How does an answer come from undici to whoever waits for it? By a handler of our own: what undici's `request` puts between, a stream for each
 * answer, takes as long as the rest of a short request.
 */
import type { Dispatcher } from 'undici';
import type { AnswerHeaders } from './object-headers.ts';

/** The first lines of an answer. */
export interface Beginning {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

/** Whoever waits: for the beginning, or for bytes. */
interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/**
 * When so many bytes wait for the reader, the connection pauses until all of them are read. It must be at least what one look at a socket
 * brings (socket-buffers.ts). For undici takes all that lies at the socket each time it resumes, and puts back what it may not hand over. With
 * a lower limit more would come than is handed over: what is put back would grow, until all of the file is in memory and is copied each time.
 */
const MOST_UNREAD = 128 * 1024;
/** Those before the answer proper: nobody asked for them. */
const FIRST_FINAL_STATUS = 200;

/** One answer, for one reader. */
export class Arrival implements Dispatcher.DispatchHandler {
  /** Rejects with undici's error, or with the reason it was stopped for. */
  readonly beginning: Promise<Beginning>;

  #begins: Waiting<Beginning> | null = null;
  #reads: Waiting<Uint8Array | null> | null = null;
  /** The one that came first first. */
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #controller: Dispatcher.DispatchController | null = null;
  #hasEnded = false;
  #error: Error | null = null;
  #isStopped = false;
  #mayBeSent = false;

  constructor() {
    this.beginning = new Promise((resolve, reject) => {
      this.#begins = { resolve, reject };
    });
    // Whoever waits hears of it; where nobody does yet, it must not end the process.
    this.beginning.catch(() => undefined);
  }

  /** Whether the request may be on its way. Not while it waits for a connection, or when there was none. */
  get mayBeSent(): boolean {
    return this.#mayBeSent;
  }

  /** The next bytes; null at the end. Rejects as `beginning`. One call at a time. */
  next(): Promise<Uint8Array | null> {
    const piece = this.#unread.shift();
    if (piece !== undefined) {
      this.#unreadBytes -= piece.byteLength;
      // Last of all: undici may hand over further bytes before it returns.
      if (this.#controller?.paused === true && this.#unread.length === 0) this.#controller.resume();
      return Promise.resolve(piece);
    }
    if (this.#error !== null) return Promise.reject(this.#error);
    if (this.#hasEnded) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#reads = { resolve, reject };
    });
  }

  /** No more is wanted; whoever waits hears `reason`. An answer that is not here to its end costs the connection. */
  stop(reason: Error): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#fail(reason);
    if (!this.#hasEnded) this.#controller?.abort(reason);
  }

  /** Also when undici begins again, because a connection ended before it had taken the request. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isStopped && this.#error !== null) controller.abort(this.#error);
    else this.#mayBeSent = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < FIRST_FINAL_STATUS) return;
    this.#begins?.resolve({ status, headers });
    this.#begins = null;
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    if (this.#reads !== null) {
      this.#reads.resolve(piece);
      this.#reads = null;
      return;
    }
    if (this.#isStopped) return;
    this.#unread.push(piece);
    this.#unreadBytes += piece.byteLength;
    if (this.#unreadBytes >= MOST_UNREAD) controller.pause();
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    this.#reads?.resolve(null);
    this.#reads = null;
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /** The first error stays. */
  #fail(error: Error): void {
    this.#error ??= error;
    this.#begins?.reject(this.#error);
    this.#begins = null;
    this.#reads?.reject(this.#error);
    this.#reads = null;
  }
}
