/** Programs that write on a mount until it is dead, in a process of their own that no kill reaches. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { WritingOrder } from './writing-child.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
const PROGRAM = new URL('./writing-child.ts', import.meta.url);
/** Each call on a mount takes one while it waits. */
const THREADS = '16';

/** Ended by itself at the end of the test. */
export class Programs {
  readonly #process: ChildProcess;

  constructor() {
    const child = fork(PROGRAM, {
      execArgv: ['--import', LOADER],
      env: { ...process.env, UV_THREADPOOL_SIZE: THREADS },
    });
    this.#process = child;
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
  }

  /** Resolves when all have stopped, each at the first call that failed. */
  async write(order: WritingOrder): Promise<void> {
    const stopped = once(this.#process, 'message');
    this.#process.send(order);
    await stopped;
  }
}
