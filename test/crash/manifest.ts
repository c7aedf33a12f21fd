/**
 * What was a mount asked for, and what did it promise? A file outside the mount: a line before each call that stores, moves or removes,
 * one after it. The process that writes it outlives the mount; another one reads it while it grows.
 */
import { appendFileSync, closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { after, type Step, type World } from './world.ts';

type Line =
  | { readonly writer: number; readonly begins: Step }
  | { readonly writer: number; readonly returned: true }
  /** `at`: nanoseconds of the machine's monotonic clock. */
  | { readonly writer: number; readonly failed: string; readonly at: number };

/** For the process that calls. */
export class ManifestLines {
  readonly #path: string;
  readonly #writer: number;

  constructor(path: string, writer: number) {
    this.#path = path;
    this.#writer = writer;
  }

  begins(step: Step): void {
    this.#add({ writer: this.#writer, begins: step });
  }

  returned(): void {
    this.#add({ writer: this.#writer, returned: true });
  }

  /** Of any call, noted or not. */
  failed(error: string): void {
    this.#add({ writer: this.#writer, failed: error, at: nanoseconds() });
  }

  #add(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }
}

/** What is known of one writer. */
export interface Account {
  /** After every call that has returned. */
  world: World;
  /** The call that has not. */
  inFlight: Step | null;
  failure: { readonly error: string; readonly at: number } | null;
}

/** For the process that judges. */
export class Manifest {
  readonly path: string;
  readonly accounts: readonly Account[];
  /** Calls that have returned. */
  returned = 0;
  /** Of the mount through which the calls went that are looked at now. */
  mount = 0;
  #offset = 0;
  #rest = '';

  /** `worlds`: what the files of each writer are at the beginning. */
  constructor(path: string, worlds: readonly World[]) {
    this.path = path;
    this.accounts = worlds.map((world) => ({ world, inFlight: null, failure: null }));
    writeFileSync(path, '');
  }

  /** The next mount has this number; what was in flight has been settled. */
  begin(mount: number): void {
    this.mount = mount;
    for (const account of this.accounts) Object.assign(account, { inFlight: null, failure: null });
  }

  /** The steps in flight, as of now. */
  inFlight(): Step[] {
    this.read();
    return this.accounts.flatMap(({ inFlight }) => (inFlight === null ? [] : [inFlight]));
  }

  /** Takes in what was written since. */
  read(): void {
    const lines = (this.#rest + this.#news()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(JSON.parse(line) as Line);
  }

  #take(line: Line): void {
    const account = this.accounts[line.writer];
    if (account === undefined) throw new Error(`there is no writer ${line.writer}`);
    if ('begins' in line) account.inFlight = line.begins;
    else if ('failed' in line) account.failure = { error: line.failed, at: line.at };
    else if (account.inFlight !== null) {
      account.world = after(account.world, account.inFlight, this.mount);
      account.inFlight = null;
      this.returned += 1;
    }
  }

  #news(): string {
    const file = openSync(this.path, 'r');
    try {
      const pieces: Buffer[] = [];
      for (;;) {
        const piece = Buffer.alloc(64 * 1024);
        const count = readSync(file, piece, 0, piece.length, this.#offset);
        if (count === 0) return Buffer.concat(pieces).toString();
        this.#offset += count;
        pieces.push(piece.subarray(0, count));
      }
    } finally {
      closeSync(file);
    }
  }
}

/** Of the machine's monotonic clock, the same in all its processes. */
export function nanoseconds(): number {
  return Number(process.hrtime.bigint());
}
