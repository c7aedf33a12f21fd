/**
 * How does a test get a real mount? In a process of its own: one that looks at its own mount waits for itself for ever. The
 * process dies when its time is up, and what it mounted is cleared away however the test ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { findMount } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { passOnComplaints } from './complaints.ts';
import { DEFAULT_DRIVER, type DriverName } from './drivers.ts';

/** What the module of a test's file system exports; it is imported by the child. */
export interface MountedModule {
  openFileSystem(options: unknown): Promise<FileSystemOperations>;
  /** Answers `MountedDirectory.call`. */
  answer?(message: unknown): Promise<unknown>;
}

export interface MountRequest {
  /** URL of a TypeScript module that exports what `MountedModule` says. */
  readonly module: URL;
  /** Handed to `openFileSystem`; JSON. */
  readonly options?: unknown;
  /** When absent, the default one of this machine. */
  readonly driver?: DriverName;
  readonly source?: string;
  readonly readOnly?: boolean;
  readonly allowOther?: boolean;
  /** An existing directory; else a new one, removed in the end. */
  readonly mountpoint?: string;
  /** Milliseconds after which the child kills itself. */
  readonly lifetime?: number;
  /**
   * By how much the driver's clock is slower than that of the machine: what depends on what comes first within some milliseconds then
   * also does on a machine that stands still for a while.
   */
  readonly slowness?: number;
  /** What the child writes to stderr is thrown away. */
  readonly isMute?: boolean;
}

/** A line that the driver or the file system logged. */
export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly fields: string;
}

export interface MountedDirectory {
  readonly path: string;
  /** Of the process that serves. */
  readonly pid: number;
  readonly log: readonly LoggedLine[];
  /** Resolves when the driver's `closed` did. */
  readonly closed: Promise<void>;
  /** Resolves with the exit code, or the signal's name, of the process that serves. */
  readonly ended: Promise<number | string>;
  /** Asks the module's `answer`; both ways as JSON. Rejects with what it threw. */
  call(message: unknown): Promise<unknown>;
  /** How many files and folders the kernel has not let go of, as the kernel driver counts them; undefined of the native one. */
  nodeCount(): Promise<unknown>;
  /** Asks the driver to unmount. Rejects with `{ kind, message }` of its `MountError` in an error. */
  unmount(options?: { readonly lazy: boolean }): Promise<void>;
  /** After an unmount: lets go of the process, which then has nothing left to do; wait for `ended`. */
  leave(): void;
  /** Ends everything, by force when need be: nothing is left mounted or running. Never rejects because of a busy mount. */
  dispose(): Promise<void>;
  /** Kills the process that serves with SIGKILL, and waits for its end; the dead mount is left. */
  kill(): Promise<void>;
}

/** What the child was told, or a call, refused. */
export class ChildRefusal extends Error {
  override readonly name = 'ChildRefusal';
  readonly kind: string | undefined;

  constructor(message: string, kind: string | undefined) {
    super(message);
    this.kind = kind;
  }
}

/** The first message to the child. */
export interface MountOrder {
  readonly module: string;
  readonly options: unknown;
  readonly driver: DriverName;
  readonly source: string;
  readonly readOnly: boolean;
  readonly allowOther: boolean;
  readonly path: string;
  readonly slowness: number;
  readonly lifetime: number;
}

export type ChildRequest =
  | { readonly type: 'call'; readonly id: number; readonly message: unknown }
  | { readonly type: 'count-nodes'; readonly id: number }
  | { readonly type: 'unmount'; readonly id: number; readonly lazy: boolean };

export type ChildReply =
  | { readonly type: 'ready' }
  | { readonly type: 'closed' }
  | ({ readonly type: 'log' } & LoggedLine)
  | { readonly type: 'failed'; readonly message: string; readonly kind: string | undefined }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | {
      readonly type: 'refusal';
      readonly id: number;
      readonly message: string;
      readonly kind: string | undefined;
    };

type OtherReply = Exclude<ChildReply, { readonly type: 'closed' }>;

/** Longer than the limit of any test: a mount that hangs ends with its process, however many wait for it. */
const DEFAULT_LIFETIME_MS = 1_800_000;
const LOADER = new URL('./typescript-loader.mjs', import.meta.url);
const CHILD = new URL('./mount-child.ts', import.meta.url);

/** Mounts. Rejects with a `ChildRefusal` that carries the `kind` of the driver's `MountError`; nothing is left then. */
export async function mountForTest(request: MountRequest): Promise<MountedDirectory> {
  const isOwn = request.mountpoint === undefined;
  const directory = request.mountpoint ?? (await mkdtemp(path.join(tmpdir(), 'pailfs-mount-')));
  const child = new MountChild(directory, isOwn, request.isMute ?? false);
  try {
    await child.start({
      module: request.module.href,
      options: request.options ?? {},
      driver: request.driver ?? DEFAULT_DRIVER,
      source: request.source ?? 'pailfs-test',
      readOnly: request.readOnly ?? false,
      allowOther: request.allowOther ?? false,
      path: directory,
      slowness: request.slowness ?? 1,
      lifetime: request.lifetime ?? DEFAULT_LIFETIME_MS,
    });
  } catch (error) {
    await child.end(false);
    throw error;
  }
  return child;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

class MountChild implements MountedDirectory {
  readonly path: string;
  readonly log: LoggedLine[] = [];
  readonly closed: Promise<void>;
  readonly ended: Promise<number | string>;

  readonly #isOwn: boolean;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #start: Waiting | undefined;
  #isKilled = false;
  #lastId = 0;

  constructor(directory: string, isOwn: boolean, isMute: boolean) {
    this.path = directory;
    this.#isOwn = isOwn;
    const program = ['--import', LOADER.href, fileURLToPath(CHILD)];
    this.#process = spawn(process.execPath, program, {
      cwd: '/',
      stdio: ['ignore', 'inherit', isMute ? 'ignore' : 'pipe', 'ipc'],
      serialization: 'json',
    });
    if (this.#process.stderr !== null) passOnComplaints(this.#process.stderr);
    this.ended = new Promise((resolve) => {
      this.#process.once('exit', (code, signal) => {
        if (code !== 0 && !this.#isKilled) {
          console.error(`the process of the mount at ${this.path} ended with ${code ?? signal ?? 'nothing'}`);
        }
        this.#abandon();
        resolve(code ?? signal ?? 'unknown');
      });
    });
    this.closed = new Promise((resolve) => {
      this.#process.on('message', (message: ChildReply) => {
        if (message.type === 'closed') resolve();
        else this.#receive(message);
      });
    });
  }

  get pid(): number {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error('the child never ran');
    return pid;
  }

  start(order: MountOrder): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#start = { resolve, reject };
      this.#process.send(order);
    });
  }

  call(message: unknown): Promise<unknown> {
    return this.#ask((id) => ({ type: 'call', id, message }));
  }

  nodeCount(): Promise<unknown> {
    return this.#ask((id) => ({ type: 'count-nodes', id }));
  }

  async unmount(options = { lazy: false }): Promise<void> {
    await this.#ask((id) => ({ type: 'unmount', id, lazy: options.lazy }));
  }

  leave(): void {
    this.#process.disconnect();
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#process.kill('SIGKILL');
    await this.ended;
  }

  dispose(): Promise<void> {
    return this.end(true);
  }

  /** `clear`: also what is mounted there by somebody else, e.g. what a killed child left. */
  async end(clear: boolean): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      if (clear && (await findMount(this.path)) !== undefined) {
        // Busy or not, the test is over.
        await unmountDirectory(this.path, { lazy: true });
      }
      await this.kill();
    }
    if (clear) {
      while ((await findMount(this.path)) !== undefined) await unmountDirectory(this.path, { lazy: true });
    }
    if (this.#isOwn) await rm(this.path, { recursive: true, force: true });
  }

  #ask(request: (id: number) => ChildRequest): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      if (!this.#process.connected) {
        reject(new ChildRefusal('the process that serves has ended', undefined));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#process.send(request(id));
    });
  }

  #receive(message: OtherReply): void {
    switch (message.type) {
      case 'ready':
        this.#start?.resolve(undefined);
        break;
      case 'failed':
        this.#start?.reject(new ChildRefusal(message.message, message.kind));
        break;
      case 'log':
        this.log.push(message);
        break;
      case 'answer':
        this.#settle(message.id)?.resolve(message.value);
        break;
      case 'refusal':
        this.#settle(message.id)?.reject(new ChildRefusal(message.message, message.kind));
        break;
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #abandon(): void {
    const error = new ChildRefusal('the process that serves has ended', undefined);
    this.#start?.reject(error);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
