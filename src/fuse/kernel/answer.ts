/** What does an operation give back? */
import type { ErrnoName } from '../../filesystem/errors.ts';
import { emptyReply } from './replies.ts';
import type { Call } from './call.ts';
import type { OperationName } from './opcodes.ts';
import type { WireReader } from './wire-reader.ts';

export interface Answer {
  /** Room for the header, then what linux/fuse.h says. */
  readonly reply: Buffer;
  /** What follows `reply`, from where it lies until `finished`. */
  readonly data?: readonly Uint8Array[];
  /** A refusal, for what programs ask so often that an `Error` and its stack would cost more than all the rest. */
  readonly refusal?: ErrnoName;
  /** Called when the kernel did not get it: takes back what it would have been told of. */
  readonly undelivered?: () => void;
  /** Called in the end, delivered or not: `reply` and `data` are needed no more. */
  readonly finished?: () => void;
}

/** `null`: the kernel expects no answer. */
export type Outcome = Answer | null;

/**
 * Answers one request of `node`. Reads all of `body` before it first waits. Throws or rejects to refuse. `call` is the one who
 * waits for the answer.
 */
export type Operation = (node: number, body: WireReader, call: Call) => Outcome | Promise<Outcome>;

export type Operations<Name extends OperationName> = Readonly<Record<Name, Operation>>;

/** Done, nothing to hand back. */
export function done(): Answer {
  return { reply: emptyReply() };
}
