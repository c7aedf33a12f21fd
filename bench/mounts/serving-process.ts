/** The process of a program that serves a mount: what does it say, and has it ended? It dies with the bench or when its time is up. */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const LIFETIME_MS = 3_600_000;
/** What is not on the store by then was never going to be measured. */
const END_LIMIT_MS = 60_000;
/** Of what it says the end is kept. */
const MOST_SAID = 10_000;

export class ServingProcess {
  readonly #child: ChildProcess;
  readonly #end: Promise<void>;
  #hasEnded = false;
  #errors = '';

  constructor(program: string, parameters: readonly string[], environment: NodeJS.ProcessEnv) {
    // setpriv becomes the program, so the process is the one that serves.
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...parameters], {
      cwd: '/',
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: LIFETIME_MS,
      killSignal: 'SIGKILL',
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-MOST_SAID);
    });
    this.#end = new Promise((resolve) => {
      const ended = (): void => {
        this.#hasEnded = true;
        resolve();
      };
      this.#child.once('exit', ended).once('error', ended);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** What it has written to stderr. */
  get errors(): string {
    return this.#errors.trim();
  }

  /** Resolves when it has ended by itself, or was killed after a while. */
  async ended(): Promise<void> {
    // Who waits for nothing but this limit has ended: it would keep the bench alive after its last line.
    await Promise.race([this.#end, sleep(END_LIMIT_MS, undefined, { ref: false })]);
    this.kill();
    await this.#end;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
