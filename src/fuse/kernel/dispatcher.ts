/**
 * How does a request become an answer? Whatever an operation does, whoever sent the request waits until it is answered, beyond
 * the reach of SIGKILL: so each is answered exactly once, and no exception escapes.
 */
import { describeError } from '../../base/errors.ts';
import { FsError } from '../../filesystem/errors.ts';
import { constants } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { errnoNumber } from '../errno.ts';
import { done, type Operation, type Operations, type Outcome } from './answer.ts';
import { attributeOperations, xattrOperations } from './attribute-operations.ts';
import { fileOperations } from './file-operations.ts';
import { folderOperations } from './folder-operations.ts';
import type { KernelContext } from './kernel-context.ts';
import { changeOperations, lookOperations, refusedOperations } from './name-operations.ts';
import { canTakeNamesBack, MAX_TRANSFER_BYTES, negotiate, PROTOCOL_MAJOR } from './negotiation.ts';
import { operationNamed, type OperationName } from './opcodes.ts';
import { emptyReply, initReply, sealReply } from './replies.ts';
import {
  readHeader,
  readInit,
  readInterrupt,
  READ_SIZE_END,
  REQUEST_HEADER_BYTES,
  type RequestHeader,
} from './requests.ts';
import { MalformedRequest, WireReader } from './wire-reader.ts';

/** Hands an answer to the kernel. False when nobody waits for it any more. */
export type Deliver = (reply: Buffer) => boolean;

/** Hears that the kernel speaks this driver's protocol, or why it cannot be served. */
export interface Greeting {
  agreed(): void;
  refused(reason: string): void;
}

interface Pending {
  readonly name: OperationName;
  /** What the request keeps in memory while it lasts. */
  readonly bytes: number;
  answered: boolean;
  stopPatience: () => void;
}

/** These change nothing, so that a program may be told EINTR although the work goes on. */
const INTERRUPTIBLE: ReadonlySet<OperationName> = new Set([
  'lookup',
  'getattr',
  'read',
  'readdir',
  'readdirplus',
  'getxattr',
  'listxattr',
]);
/** Programs that use timers are interrupted all the time, and few expect EINTR of a file: only what stalls is given up. */
const INTERRUPT_PATIENCE_MS = 500;
/** What a request costs besides its bytes, roughly. */
const REQUEST_COST_BYTES = 2048;
/** The kernel never waits for an answer to these. */
const UNANSWERED: ReadonlySet<OperationName> = new Set(['forget', 'batchForget', 'interrupt']);

export class Dispatcher {
  readonly #context: KernelContext;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #deliver: Deliver;
  readonly #operations: Operations<OperationName>;

  readonly #pending = new Map<bigint, Pending>();
  readonly #unknownOpcodes = new Set<number>();
  #inProgress = 0;
  #bytesInFlight = 0;
  #onAnswered: () => void = () => undefined;

  constructor(context: KernelContext, clock: Pick<Clock, 'after'>, deliver: Deliver, greeting: Greeting) {
    this.#context = context;
    this.#clock = clock;
    this.#deliver = deliver;
    this.#operations = {
      ...lookOperations(context),
      ...changeOperations(context),
      ...refusedOperations(context),
      ...attributeOperations(context),
      ...xattrOperations(context),
      ...fileOperations(context),
      ...folderOperations(context),
      init: (_node, body) => greet(body, context, greeting),
      destroy: () => done(),
      interrupt: (_node, body) => {
        this.#interrupt(readInterrupt(body));
        return null;
      },
    };
  }

  /** Roughly, how much memory the requests in progress take. */
  get bytesInFlight(): number {
    return this.#bytesInFlight;
  }

  /** Resolves once no request is in progress. */
  async settled(): Promise<void> {
    while (this.#inProgress > 0) await this.answered();
  }

  /** Resolves when the next request in progress is through. */
  answered(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#onAnswered;
      this.#onAnswered = () => {
        before();
        resolve();
      };
    });
  }

  /** Begins one request. `bytes` may be used again once this returns. Never throws. */
  readonly begin = (bytes: Buffer): void => {
    if (bytes.length < REQUEST_HEADER_BYTES) {
      this.#context.log.error('a request without a header was dropped', { bytes: bytes.length });
      return;
    }
    const body = new WireReader(bytes);
    const header = readHeader(body);
    const name = operationNamed(header.opcode);
    if (name === undefined) {
      this.#noteUnknown(header.opcode);
      this.#send(sealReply(emptyReply(), header.unique, errnoNumber('ENOSYS')));
      return;
    }
    const pending: Pending = {
      name,
      bytes: costOf(name, bytes),
      answered: UNANSWERED.has(name),
      stopPatience: () => undefined,
    };
    if (header.length !== bytes.length) {
      this.#refuse(header, pending, new MalformedRequest('a request is not as long as it says'));
      return;
    }
    this.#run(header, pending, () => this.#operations[name](header.node, body));
  };

  /** Some the kernel asks for again and again, e.g. ioctl. */
  #noteUnknown(opcode: number): void {
    if (this.#unknownOpcodes.has(opcode)) return;
    this.#unknownOpcodes.add(opcode);
    this.#context.log.debug('an operation is not offered', { opcode });
  }

  #run(header: RequestHeader, pending: Pending, start: () => ReturnType<Operation>): void {
    let outcome: ReturnType<Operation>;
    try {
      outcome = start();
    } catch (error) {
      this.#refuse(header, pending, error);
      return;
    }
    if (!(outcome instanceof Promise)) {
      this.#answer(header, pending, outcome);
      return;
    }
    this.#pending.set(header.unique, pending);
    this.#inProgress += 1;
    this.#bytesInFlight += pending.bytes;
    outcome
      .then(
        (value) => {
          this.#answer(header, pending, value);
        },
        (error: unknown) => {
          this.#refuse(header, pending, error);
        },
      )
      .catch((error: unknown) => {
        this.#context.log.error('an answer could not be given', {
          reason: describeError(error),
          cause: error,
        });
      })
      .finally(() => {
        this.#end(header, pending);
      });
  }

  #end(header: RequestHeader, pending: Pending): void {
    pending.stopPatience();
    if (this.#pending.get(header.unique) === pending) this.#pending.delete(header.unique);
    this.#inProgress -= 1;
    this.#bytesInFlight -= pending.bytes;
    const tell = this.#onAnswered;
    this.#onAnswered = () => undefined;
    tell();
  }

  #answer(header: RequestHeader, pending: Pending, outcome: Outcome): void {
    if (outcome === null) return;
    const isDelivered = !pending.answered && this.#send(sealReply(outcome.reply, header.unique));
    pending.answered = true;
    if (!isDelivered) outcome.undelivered?.();
  }

  #refuse(header: RequestHeader, pending: Pending, error: unknown): void {
    const number = this.#errorNumber(pending.name, error);
    if (pending.answered) return;
    pending.answered = true;
    this.#send(sealReply(emptyReply(), header.unique, number));
  }

  #send(reply: Buffer): boolean {
    return this.#deliver(reply);
  }

  #interrupt(unique: bigint): void {
    const pending = this.#pending.get(unique);
    if (pending === undefined || !INTERRUPTIBLE.has(pending.name)) return;
    pending.stopPatience();
    pending.stopPatience = this.#clock.after(INTERRUPT_PATIENCE_MS, () => {
      if (pending.answered) return;
      pending.answered = true;
      this.#send(sealReply(emptyReply(), unique, errnoNumber('EINTR')));
    });
  }

  #errorNumber(operation: OperationName, error: unknown): number {
    if (error instanceof FsError) return errnoNumber(error.code);
    if (error instanceof UnsupportedKernel) return constants.errno.EPROTO;
    this.#context.log.error('an operation failed unexpectedly', {
      operation,
      reason: describeError(error),
      cause: error,
    });
    return errnoNumber('EIO');
  }
}

/** Its own bytes, and those of the answer to a read. */
function costOf(name: OperationName, request: Buffer): number {
  const isRead = name === 'read' && request.length >= REQUEST_HEADER_BYTES + READ_SIZE_END;
  const answer = isRead ? request.readUInt32LE(REQUEST_HEADER_BYTES + READ_SIZE_END - 4) : 0;
  return REQUEST_COST_BYTES + request.length + Math.min(answer, MAX_TRANSFER_BYTES);
}

class UnsupportedKernel extends Error {
  override readonly name = 'UnsupportedKernel';
}

function greet(body: WireReader, { trust }: KernelContext, greeting: Greeting): Outcome {
  const request = readInit(body);
  const answer = negotiate(request);
  if (answer === undefined) {
    const reason = `the kernel speaks version ${request.major}.${request.minor} of the FUSE protocol`;
    greeting.refused(reason);
    throw new UnsupportedKernel(reason);
  }
  trust.names = canTakeNamesBack(request);
  // A newer major asks again with ours.
  if (request.major === PROTOCOL_MAJOR) greeting.agreed();
  return { reply: initReply(PROTOCOL_MAJOR, answer) };
}
