/**
 * How is the kernel told something unasked, without waiting for it? It may let the message wait for locks that programs hold
 * while they wait for our answers: so it is written by a thread that does nothing else, and nobody waits for that thread.
 */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { NotificationWriterData, WriterNews } from './notification-writer.ts';

export class Notifier {
  readonly #descriptor: number;
  readonly #log: Log;

  #worker: Worker | undefined;
  /** Who waits for what was sent before, in this order. */
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(descriptor: number, log: Log) {
    this.#descriptor = descriptor;
    this.#log = log;
  }

  /** Hands over a message of notifications.ts. They are written one after the other, whenever the kernel takes them. */
  readonly send = (notification: Buffer): void => {
    if (this.#isClosed) return;
    // Most mounts never meet anybody else's changes.
    this.#worker ??= this.#start();
    this.#worker.postMessage(notification);
  };

  /** Resolves when what was sent until now is written, or never will be. */
  written(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      worker.postMessage('written?');
    });
  }

  /** Resolves when the descriptor is not used any more: at the latest when the kernel has ended the connection. */
  close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      worker.once('exit', () => {
        resolve();
      });
      worker.postMessage(null);
    });
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const program = fileURLToPath(new URL(`./notification-writer.${extension}`, import.meta.url));
    const workerData: NotificationWriterData = { descriptor: this.#descriptor };
    const worker = new Worker(program, { workerData });
    worker.on('message', (news: WriterNews) => {
      if (news === 'written') this.#waiting.shift()?.();
      else this.#log.error('the kernel could not be told of a change', { reason: news.failure });
    });
    worker.once('error', (error) => {
      this.#log.error('the thread that tells the kernel of changes failed', { reason: describeError(error) });
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const tell of this.#waiting.splice(0)) tell();
    });
    return worker;
  }
}
