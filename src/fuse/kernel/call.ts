/** What is known of a request of the kernel while it lasts, by whoever answers it and by the operation that it asks for? */
import { setMaxListeners } from 'node:events';
import type { Waiter } from '../../base/waiter.ts';
import type { Owner } from '../../filesystem/operations.ts';
import type { OperationName } from './opcodes.ts';
import type { RequestHeader } from './requests.ts';

/** These change nothing, so that a program may be told EINTR whatever becomes of them. */
const INTERRUPTIBLE: ReadonlySet<OperationName> = new Set([
  'lookup',
  'getattr',
  'open',
  'read',
  'readdir',
  'readdirplus',
  'getxattr',
  'listxattr',
]);
/**
 * These store bytes that are safe here: a program that a signal has killed cannot go before they are answered, and hears nothing; what it waits for goes on
 * without it. Not so what changes names, which the kernel knows as they are only by the answer.
 */
const OUTLIVING: ReadonlySet<OperationName> = new Set(['flush', 'fsync']);
/** The kernel never waits for an answer to these. */
const UNANSWERED: ReadonlySet<OperationName> = new Set(['forget', 'batchForget', 'interrupt']);

/** One request in progress. As a waiter it leaves when it is given up. */
export class Call implements Waiter {
  readonly name: OperationName;
  /** Names the request in its reply. */
  readonly unique: bigint;
  /** The thread that asks; 0 when it cannot be seen from here. */
  readonly thread: number;
  /** Whose program asks. */
  readonly user: Owner;
  /** What the request keeps in memory while it lasts. */
  readonly bytes: number;

  answered: boolean;
  /** What was planned for when the patience of its program ends does not come. */
  stopPatience: () => void = () => undefined;

  #abort: AbortController | undefined;
  #isGivenUp = false;
  #isInterruptible: boolean;

  constructor(
    name: OperationName,
    { unique, user, thread }: Pick<RequestHeader, 'unique' | 'user' | 'thread'>,
    bytes: number,
  ) {
    this.name = name;
    this.unique = unique;
    this.user = user;
    this.thread = thread;
    this.bytes = bytes;
    this.answered = UNANSWERED.has(name);
    this.#isInterruptible = INTERRUPTIBLE.has(name);
  }

  /** Whether it goes on when its program has been killed, and need not be waited for. */
  get outlivesProgram(): boolean {
    return this.thread !== 0 && OUTLIVING.has(this.name);
  }

  get isInterruptible(): boolean {
    return this.#isInterruptible;
  }

  /** Made when it is first asked for: most requests are answered from memory, and never look at it. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // A read waits for each of its blocks.
      setMaxListeners(0, this.#abort.signal);
      if (this.#isGivenUp) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** It turns out to change something: from now on it is not interrupted. */
  finishAnyway(): void {
    this.#isInterruptible = false;
  }

  /** Nobody waits for the answer any more. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#abort?.abort();
  }
}
