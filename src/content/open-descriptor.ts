/**
 * How is an open file of the local disk asked for something, where each call is made in the quickest place (disk-calls.ts)? Node's
 * own FileHandle makes all of them in another thread; a bare number is another file's as soon as it is closed.
 */
import {
  close,
  closeSync,
  fstat,
  fstatSync,
  fsync,
  ftruncate,
  futimes,
  futimesSync,
  open,
  openSync,
  read,
  readSync,
  write,
  writeSync,
  writev,
  type Stats,
} from 'node:fs';
import { promisify } from 'node:util';
import type { DiskCalls } from './disk-calls.ts';

/** Bytes of a read or a write that is short. */
const SHORT = 64 * 1024;
/** Bytes of what fstat(2) calls a block. */
const STATUS_BLOCK = 512;

const elsewhere = {
  open: promisify(open),
  read: promisify(read),
  write: promisify(write),
  writeTogether: promisify(writev),
  status: promisify(fstat),
  touch: promisify(futimes),
  truncate: promisify(ftruncate),
  sync: promisify(fsync),
  close: promisify(close),
};

/** Every method rejects with a Node system error (`code`), with EBADF once it is closed. */
export class OpenDescriptor {
  readonly #calls: DiskCalls;
  readonly #number: number;
  /** Calls in other threads that have not returned. */
  readonly #running = new Set<Promise<unknown>>();
  #closed: Promise<void> | null = null;

  private constructor(calls: DiskCalls, number: number) {
    this.#calls = calls;
    this.#number = number;
  }

  /** As open(2) does. */
  static async open(
    calls: DiskCalls,
    path: string,
    flags: string | number,
    mode?: number,
  ): Promise<OpenDescriptor> {
    const number = await calls.make(
      () => openSync(path, flags, mode),
      () => elsewhere.open(path, flags, mode),
    );
    return new OpenDescriptor(calls, number);
  }

  /** This very file, whatever its name leads to by now, opened with other flags. Linux alone: by /proc. */
  openedAgain(flags: number): Promise<OpenDescriptor> {
    this.#refuseIfClosed();
    return OpenDescriptor.open(this.#calls, `/proc/self/fd/${this.#number}`, flags);
  }

  /** How many bytes were read. */
  read(into: Uint8Array, position: number): Promise<number> {
    const inThread = async (): Promise<number> =>
      (await elsewhere.read(this.#number, into, 0, into.length, position)).bytesRead;
    const here = (): number => readSync(this.#number, into, 0, into.length, position);
    return this.#transfer(into.length, here, inThread);
  }

  /** How many bytes were written. */
  write(data: Uint8Array, position: number): Promise<number> {
    const inThread = async (): Promise<number> =>
      (await elsewhere.write(this.#number, data, 0, data.length, position)).bytesWritten;
    const here = (): number => writeSync(this.#number, data, 0, data.length, position);
    return this.#transfer(data.length, here, inThread);
  }

  /** As `write`, of what lies apart in memory. */
  async writeTogether(data: readonly Uint8Array[], position: number): Promise<number> {
    const { bytesWritten } = await this.#inThread(() =>
      elsewhere.writeTogether(this.#number, data, position),
    );
    return bytesWritten;
  }

  /** Bytes that it takes, as du(1) counts: what is missing in the middle takes no room. */
  async bytesOnDisk(): Promise<number> {
    const { blocks } = await this.#status();
    return blocks * STATUS_BLOCK;
  }

  /** Whether anybody but who has it open can find it: else it takes room until it is closed. */
  async hasName(): Promise<boolean> {
    const { nlink } = await this.#status();
    return nlink > 0;
  }

  /** Sets both of its times. */
  async touch(at: Date): Promise<void> {
    this.#refuseIfClosed();
    await this.#calls.make(
      () => {
        futimesSync(this.#number, at, at);
      },
      () => this.#inThread(() => elsewhere.touch(this.#number, at, at)),
    );
  }

  truncate(size: number): Promise<void> {
    return this.#inThread(() => elsewhere.truncate(this.#number, size));
  }

  sync(): Promise<void> {
    return this.#inThread(() => elsewhere.sync(this.#number));
  }

  /**
   * After the calls that are in progress. Where the file has no name any more its bytes are freed now: even for a few that took 0.4 ms, in a
   * profile, while other threads synced, and all programs would stand still.
   */
  close(): Promise<void> {
    return this.#close(() => elsewhere.close(this.#number));
  }

  /** The same, of what keeps its name. */
  closeFreeingNothing(): Promise<void> {
    return this.#close(() =>
      this.#calls.make(
        () => {
          closeSync(this.#number);
        },
        () => elsewhere.close(this.#number),
      ),
    );
  }

  #status(): Promise<Stats> {
    this.#refuseIfClosed();
    return this.#calls.make(
      () => fstatSync(this.#number),
      () => this.#inThread(() => elsewhere.status(this.#number)),
    );
  }

  async #transfer(length: number, here: () => number, inThread: () => Promise<number>): Promise<number> {
    if (length > SHORT) return this.#inThread(inThread);
    this.#refuseIfClosed();
    return this.#calls.make(here, () => this.#inThread(inThread));
  }

  async #inThread<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#refuseIfClosed();
    const running = call();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #close(close: () => Promise<void>): Promise<void> {
    // Each caller hears how its call ended.
    this.#closed ??= Promise.allSettled(this.#running).then(close);
    return this.#closed;
  }

  #refuseIfClosed(): void {
    if (this.#closed !== null) throw Object.assign(new Error('the file is closed'), { code: 'EBADF' });
  }
}
