/**
 * How is a part of the bench run in a process of its own, so that its work does not slow the others' clocks? It answers typed
 * calls, and dies with the bench or when its time is up.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { enterUndo, requireGoingOn } from './undoing.ts';

/** What a process answers; parameters and results travel by structured clone. */
export type Answers<Names extends string = string> = Readonly<
  Record<Names, (...parameters: never[]) => Promise<unknown>>
>;

export interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

export type ReplyMessage =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly failure: string };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The id of the reply that nobody called for: it is open. */
export const OPENED_ID = 0;
const LIFETIME_MS = 8 * 3_600_000;
const LOADER = new URL('../../test/support/typescript-loader.mjs', import.meta.url);

/** A process whose module calls `serveCalls`. It ends when everything is undone. */
export class ServedProcess<Served extends Answers> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = OPENED_ID;

  private constructor(module: URL) {
    this.#child = spawn(process.execPath, ['--import', LOADER.href, fileURLToPath(module)], {
      cwd: '/',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
      timeout: LIFETIME_MS,
      killSignal: 'SIGKILL',
    });
    this.#child.on('message', (reply: ReplyMessage) => {
      this.#receive(reply);
    });
    this.#child.once('exit', (code, signal) => {
      const error = new Error(`${fileURLToPath(module)} ended with ${code ?? signal ?? 'nothing'}`);
      for (const waiting of this.#waiting.values()) waiting.reject(error);
      this.#waiting.clear();
    });
  }

  /** Rejects when the module does. */
  static async start<Served extends Answers>(module: URL): Promise<ServedProcess<Served>> {
    requireGoingOn();
    const served = new ServedProcess<Served>(module);
    enterUndo(() => served.#end());
    await new Promise((resolve, reject) => {
      served.#waiting.set(OPENED_ID, { resolve, reject });
    });
    return served;
  }

  /** Rejects with the message of what was thrown there, or when the process ended. */
  call<Name extends keyof Served & string>(
    name: Name,
    ...parameters: Parameters<Served[Name]>
  ): ReturnType<Served[Name]> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise((resolve, reject) => {
      if (!this.#child.connected) {
        reject(new Error('the process has ended'));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, name, parameters } satisfies CallMessage);
    });
    return answer as ReturnType<Served[Name]>;
  }

  async #end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  #receive(reply: ReplyMessage): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('failure' in reply) waiting?.reject(new Error(reply.failure));
    else waiting?.resolve(reply.value);
  }
}
