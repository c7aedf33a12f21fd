/** What does a test need to be the kernel? A dispatcher to ask, requests to ask it with, and its answers taken apart. */
import { constants } from 'node:os';
import { silentLog, type Log } from '../../../src/base/log.ts';
import type { FileSystemOperations } from '../../../src/filesystem/operations.ts';
import { Dispatcher } from '../../../src/fuse/kernel/dispatcher.ts';
import type { KernelContext } from '../../../src/fuse/kernel/kernel-context.ts';
import { KeptListings } from '../../../src/fuse/kernel/kept-listings.ts';
import { MovingFolders } from '../../../src/fuse/kernel/moving-folders.ts';
import { takeNameBack } from '../../../src/fuse/kernel/discoveries.ts';
import { NodeTable } from '../../../src/fuse/kernel/node-table.ts';
import { opcodes, type OperationName } from '../../../src/fuse/kernel/opcodes.ts';
import { OpenTable } from '../../../src/fuse/kernel/open-table.ts';
import { BufferPool } from '../../../src/fuse/kernel/buffer-pool.ts';
import { RequestMemory } from '../../../src/fuse/kernel/request-memory.ts';
import { ManualClock } from '../../support/manual-clock.ts';

export interface Reply {
  /** A name of an errno; `OK` for none. */
  readonly code: string;
  readonly body: Buffer;
}

const USER_OFFSET = 24;
const THREAD_OFFSET = 32;
const HEADER_BYTES = 40;

export class KernelSide {
  readonly clock = new ManualClock();
  readonly context: KernelContext;
  readonly dispatcher: Dispatcher;
  /** What the dispatcher gave back for each unique. */
  readonly replies = new Map<bigint, Buffer[]>();
  /** What it was told unasked, in hexadecimal. */
  readonly notifications: string[] = [];
  /** Whether the kernel takes answers. */
  takesAnswers = true;
  /** How long it takes over one that lies in pieces. */
  takesLong: Promise<void> | null = null;
  greeting = 'none';
  /** Which thread sends requests. */
  thread = 0;
  /** Whose program that is. */
  user = { uid: 0, gid: 0 };
  /** Of threads that are not a process's first; undefined where nobody can tell. */
  readonly processes = new Map<number, number | undefined>();
  /** Threads of programs that a signal has ended. */
  readonly killed = new Set<number>();

  #lastUnique = 0n;
  readonly #waiting = new Map<bigint, (reply: Buffer) => void>();

  constructor(operations: FileSystemOperations, log: Log = silentLog) {
    const notify = (notification: Buffer): void => {
      this.notifications.push(notification.toString('hex'));
    };
    const nodes: NodeTable = new NodeTable((node) => {
      takeNameBack({ nodes, clock: this.clock, notify }, node);
    });
    this.context = {
      operations,
      nodes,
      files: new OpenTable(),
      folders: new OpenTable(),
      buffers: new BufferPool(this.clock),
      requests: new RequestMemory(this.clock),
      listings: new KeptListings({ nodes, clock: this.clock, notify }),
      moving: new MovingFolders(),
      clock: this.clock,
      log,
      notify,
      notified: () => Promise.resolve(),
      notifyAtOnce: notify,
      trust: { names: false, hasEpoch: false },
      hasOpen: () => Promise.resolve(false),
      processOf: (thread) =>
        Promise.resolve(this.processes.has(thread) ? this.processes.get(thread) : thread),
      isKilled: (thread) => Promise.resolve(this.killed.has(thread)),
    };
    const greeting = {
      agreed: (): void => {
        this.greeting = 'agreed';
      },
      refused: (reason: string): void => {
        this.greeting = reason;
      },
    };
    this.dispatcher = new Dispatcher(
      this.context,
      this.clock,
      {
        deliver: (reply) => this.#receive(reply),
        deliverTogether: (reply, data) => {
          const receive = (): boolean => this.#receive(Buffer.concat([reply, ...data]));
          return this.takesLong?.then(receive) ?? receive();
        },
      },
      greeting,
    );
  }

  get lastUnique(): bigint {
    return this.#lastUnique;
  }

  /** Sends a request and waits for its answer. */
  async ask(name: OperationName, node: number, ...parts: readonly (Buffer | string)[]): Promise<Reply> {
    const answered = this.expectAnswer();
    this.send(opcodes[name], node, ...parts);
    return asReply(await answered);
  }

  /** As `ask`, for an answer that has to be a success. */
  async succeed(name: OperationName, node: number, ...parts: readonly (Buffer | string)[]): Promise<Buffer> {
    const { code, body } = await this.ask(name, node, ...parts);
    if (code !== 'OK') throw new Error(`${name} was answered ${code}`);
    return body;
  }

  /** The answer to the request that is sent next. */
  expectAnswer(): Promise<Buffer> {
    return new Promise((resolve) => {
      this.#waiting.set(this.#lastUnique + 1n, resolve);
    });
  }

  /** Text parts get their NUL. */
  send(opcode: number, node: number, ...parts: readonly (Buffer | string)[]): void {
    this.#lastUnique += 1n;
    const body = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
    );
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(HEADER_BYTES + body.length, 0);
    header.writeUInt32LE(opcode, 4);
    header.writeBigUInt64LE(this.#lastUnique, 8);
    header.writeBigUInt64LE(BigInt(node), 16);
    header.writeUInt32LE(this.user.uid, USER_OFFSET);
    header.writeUInt32LE(this.user.gid, USER_OFFSET + 4);
    header.writeUInt32LE(this.thread, THREAD_OFFSET);
    this.dispatcher.begin(Buffer.concat([header, body]));
  }

  /** Looks a name up; the number of its node. */
  async lookUp(name: string, folder = 1): Promise<number> {
    return Number((await this.succeed('lookup', folder, name)).readBigUInt64LE(0));
  }

  /** Makes an empty file and closes it; the number of its node, looked up once. */
  async make(name: string, folder = 1): Promise<number> {
    const body = await this.succeed('mknod', folder, u32(0o100644, 0, 0, 0), name);
    return Number(body.readBigUInt64LE(0));
  }

  /** Opens a node; the number of the handle. */
  async open(node: number, flags = 2): Promise<number> {
    return Number((await this.succeed('open', node, u32(flags, 0))).readBigUInt64LE(0));
  }

  #receive(reply: Buffer): boolean {
    const unique = reply.readBigUInt64LE(8);
    this.replies.set(unique, [...(this.replies.get(unique) ?? []), Buffer.from(reply)]);
    this.#waiting.get(unique)?.(Buffer.from(reply));
    return this.takesAnswers;
  }
}

export function asReply(reply: Buffer): Reply {
  const number = -reply.readInt32LE(4);
  const name = Object.entries(constants.errno).find(([, value]) => value === number)?.[0];
  return { code: number === 0 ? 'OK' : (name ?? String(number)), body: reply.subarray(16) };
}

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, index * 4);
  return bytes;
}

export function u64(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries())
    bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), index * 8);
  return bytes;
}

/** `fuse_read_in`, also of readdir. */
export function readRequest(fh: number, offset: number, size: number): Buffer {
  return Buffer.concat([u64(fh, offset), u32(size, 0), u64(0), u32(0, 0)]);
}

/** `fuse_write_in` with its bytes. */
export function writeRequest(fh: number, offset: number, data: string, flags = 0): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([u64(fh, offset), u32(bytes.length, flags), u64(0), u32(0, 0), bytes]);
}
