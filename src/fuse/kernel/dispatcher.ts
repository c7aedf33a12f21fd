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
import { Call } from './call.ts';
import { attributeOperations, xattrOperations } from './attribute-operations.ts';
import { fileOperations } from './file-operations.ts';
import { folderOperations } from './folder-operations.ts';
import type { KernelContext } from './kernel-context.ts';
import { changeOperations, lookOperations, refusedOperations } from './name-operations.ts';
import { negotiate, PROTOCOL_MAJOR, trustOf } from './negotiation.ts';
import { operationNamed, type OperationName } from './opcodes.ts';
import { emptyReply, initReply, sealReply } from './replies.ts';
import {
  MAX_TRANSFER_BYTES,
  readHeader,
  readInit,
  readInterrupt,
  READ_SIZE_END,
  REQUEST_HEADER_BYTES,
} from './requests.ts';
import { MalformedRequest, WireReader } from './wire-reader.ts';

/** Hands answers to the kernel. False when nobody waits for one any more. */
export interface Delivery {
  readonly deliver: (reply: Buffer) => boolean;
  /** One that lies in pieces, which stay as they are until it is known. Never rejects. */
  readonly deliverTogether: (reply: Buffer, data: readonly Uint8Array[]) => boolean | Promise<boolean>;
}

/** Hears that the kernel speaks this driver's protocol, or why it cannot be served. */
export interface Greeting {
  agreed(): void;
  refused(reason: string): void;
}

/** Programs that use timers are interrupted all the time, and few expect EINTR of a file: only what stalls is given up. */
const INTERRUPT_PATIENCE_MS = 500;
/** What a request costs besides its bytes, roughly. */
const REQUEST_COST_BYTES = 2048;
/**
 * An interrupt of a request that is not here: it was answered, or it comes later. The kernel knows which, and sends the interrupt
 * again if need be; asked at once, it would send nothing else.
 */
const INTERRUPT_AGAIN_MS = 20;

export class Dispatcher {
  readonly #context: KernelContext;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #delivery: Delivery;
  readonly #operations: Operations<OperationName>;

  readonly #pending = new Map<bigint, Call>();
  readonly #unknownOpcodes = new Set<number>();
  #inProgress = 0;
  #bytesInFlight = 0;
  #onAnswered: () => void = () => undefined;

  constructor(context: KernelContext, clock: Pick<Clock, 'after'>, delivery: Delivery, greeting: Greeting) {
    this.#context = context;
    this.#clock = clock;
    this.#delivery = delivery;
    this.#operations = {
      ...lookOperations(context),
      ...changeOperations(context),
      ...refusedOperations(context),
      ...attributeOperations(context),
      ...xattrOperations(context),
      ...fileOperations(context),
      ...folderOperations(context),
      init: (_node, body) => greet(body, context, greeting),
      destroy: () => {
        this.giveUpWaiting();
        return done();
      },
      interrupt: (_node, body, { unique }) => {
        this.#interrupt(readInterrupt(body), unique);
        return null;
      },
    };
  }

  /** Roughly, how much memory the requests in progress take. */
  get bytesInFlight(): number {
    return this.#bytesInFlight;
  }

  /** Nobody waits for answers any more: gives up what changes nothing. Changes go on. */
  giveUpWaiting(): void {
    for (const call of this.#pending.values()) if (call.isInterruptible) call.giveUp();
  }

  /** No more answers will come: programs hear EIO instead, at once, and let go of what they hold in the kernel. */
  abandon(): void {
    for (const call of this.#pending.values()) {
      if (call.answered) continue;
      call.answered = true;
      this.#send(sealReply(emptyReply(), call.unique, errnoNumber('EIO')));
    }
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
    const call = new Call(name, header, costOf(name, bytes));
    if (header.length !== bytes.length) {
      this.#refuse(call, new MalformedRequest('a request is not as long as it says'));
      return;
    }
    this.#run(call, () => this.#operations[name](header.node, body, call));
  };

  /** Some the kernel asks for again and again, e.g. ioctl. */
  #noteUnknown(opcode: number): void {
    if (this.#unknownOpcodes.has(opcode)) return;
    this.#unknownOpcodes.add(opcode);
    this.#context.log.debug('an operation is not offered', { opcode });
  }

  #run(call: Call, start: () => ReturnType<Operation>): void {
    try {
      const outcome = start();
      const answered =
        outcome instanceof Promise
          ? outcome.then((value) => this.#answer(call, value))
          : this.#answer(call, outcome);
      if (answered instanceof Promise) this.#goesOn(call, answered);
    } catch (error) {
      this.#refuse(call, error);
    }
  }

  /** `call` is in progress until `answered` resolves. */
  #goesOn(call: Call, answered: Promise<void>): void {
    this.#pending.set(call.unique, call);
    this.#inProgress += 1;
    this.#bytesInFlight += call.bytes;
    if (call.outlivesProgram) this.#letGoIfKilled(call);
    answered
      .catch((error: unknown) => {
        this.#refuse(call, error);
      })
      .finally(() => {
        this.#end(call);
      });
  }

  #end(call: Call): void {
    call.stopPatience();
    if (this.#pending.get(call.unique) === call) this.#pending.delete(call.unique);
    this.#inProgress -= 1;
    this.#bytesInFlight -= call.bytes;
    const tell = this.#onAnswered;
    this.#onAnswered = () => undefined;
    tell();
  }

  /** Resolves when the kernel has it. */
  #answer(call: Call, outcome: Outcome): void | Promise<void> {
    if (outcome === null) return;
    const end = (isDelivered: boolean): void => {
      if (!isDelivered) outcome.undelivered?.();
      outcome.finished?.();
    };
    const delivered = !call.answered && this.#deliver(call, outcome);
    call.answered = true;
    if (delivered instanceof Promise) return delivered.then(end);
    end(delivered);
  }

  #deliver(call: Call, { reply, data, refusal }: NonNullable<Outcome>): boolean | Promise<boolean> {
    const errno = refusal === undefined ? 0 : errnoNumber(refusal);
    const more = data?.reduce((sum, { length }) => sum + length, 0);
    const sealed = sealReply(reply, call.unique, errno, more);
    return data === undefined ? this.#send(sealed) : this.#delivery.deliverTogether(sealed, data);
  }

  #refuse(call: Call, error: unknown): void {
    const number = this.#errorNumber(call.name, error);
    if (call.answered) return;
    call.answered = true;
    this.#send(sealReply(emptyReply(), call.unique, number));
  }

  #send(reply: Buffer): boolean {
    return this.#delivery.deliver(reply);
  }

  /** `unique` names the request to give up, `own` the interrupt itself. */
  #interrupt(unique: bigint, own: bigint): void {
    const call = this.#pending.get(unique);
    if (call === undefined) {
      this.#clock.after(INTERRUPT_AGAIN_MS, () => {
        this.#send(sealReply(emptyReply(), own, constants.errno.EAGAIN));
      });
      return;
    }
    if (!call.isInterruptible) return;
    call.stopPatience();
    call.stopPatience = this.#clock.after(INTERRUPT_PATIENCE_MS, () => {
      if (call.answered || !call.isInterruptible) return;
      // Said here, too: some operation may not heed the signal.
      this.#refuse(call, new FsError('EINTR', '', 'interrupted'));
      call.giveUp();
    });
  }

  /** Not when it is interrupted: the kernel says that of a first signal only, and not at all of a program that closes its files because it was killed. */
  #letGoIfKilled(call: Call): void {
    call.stopPatience = this.#clock.after(INTERRUPT_PATIENCE_MS, () => {
      void this.#context.isKilled(call.thread).then((isKilled) => {
        if (call.answered || this.#pending.get(call.unique) !== call) return;
        if (isKilled) this.#refuse(call, new FsError('EINTR', '', 'its program was killed'));
        else this.#letGoIfKilled(call);
      });
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
  Object.assign(trust, trustOf(request));
  // A newer major asks again with ours.
  if (request.major === PROTOCOL_MAJOR) greeting.agreed();
  return { reply: initReply(PROTOCOL_MAJOR, answer) };
}
