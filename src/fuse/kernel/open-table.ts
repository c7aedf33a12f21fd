/** Which open file, or listing in progress, does a number of ours mean? */
import { FsError } from '../../filesystem/errors.ts';
import type { FileHandle } from '../../filesystem/operations.ts';
import type { Node } from './node.ts';
import type { Snapshot } from './snapshot.ts';

export interface KernelHandle {
  readonly node: Node;
  readonly handle: FileHandle;
  /** The thread that opened it, while that lives; 0 when it cannot be seen from here. */
  readonly opener: number;
  /** The threads that have changed its bytes since they last closed it; 0 for one that cannot be seen, as of mapped memory. */
  readonly writers: Set<number>;
}

/** What one opendir(3) sees. */
export interface OpenFolder {
  readonly node: Node;
  /** Whether the kernel may remember what it is given here (kept-listings.ts). */
  readonly isRemembered: boolean;
  /** Begun when the first name is asked for, unless the kernel has all of them, and anew after each rewinddir(3). */
  snapshot: Snapshot | null;
  /** The one before it: the kernel cannot tell rewinddir(3) from a seekdir(3) to the beginning, from which a program may come back. */
  before: Snapshot | null;
}

/** Numbers for things that are opened and released. Never used again. */
export class OpenTable<Open> {
  readonly #open = new Map<number, Open>();
  #lastNumber = 0;

  get size(): number {
    return this.#open.size;
  }

  add(open: Open): number {
    this.#lastNumber += 1;
    this.#open.set(this.#lastNumber, open);
    return this.#lastNumber;
  }

  /** Throws EBADF for a number that was never given out or is released. */
  get(number: number): Open {
    const open = this.#open.get(number);
    if (open === undefined)
      throw new FsError('EBADF', `handle ${number}`, 'nothing is open under this number');
    return open;
  }

  remove(number: number): void {
    this.#open.delete(number);
  }

  /** Takes out all that the kernel never released, e.g. when the mount was torn off. */
  takeAll(): readonly Open[] {
    const left = [...this.#open.values()];
    this.#open.clear();
    return left;
  }
}
