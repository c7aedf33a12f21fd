/**
 * How does the bench leave nothing behind, however it ends? Who makes what would stay (a folder, a process, a mount) enters at once how it
 * is undone; what was made last is undone first.
 */
import { describeError } from '../../src/base/errors.ts';

export type Undo = () => Promise<void>;

const entered = new Set<Undo>();
let isOver = false;

/** `undo`, which happens once, whoever asks first: who made it, or the end of its suite or of the bench. Throws as `requireGoingOn`. */
export function enterUndo(undo: Undo): Undo {
  requireGoingOn();
  let end: Promise<void> | undefined;
  const once = (): Promise<void> => {
    end ??= undo().finally(() => entered.delete(once));
    return end;
  };
  entered.add(once);
  return once;
}

/** For who is about to make what has to be undone. Throws when the bench ends: nothing is made any more. */
export function requireGoingOn(): void {
  if (isOver) throw new Error('the bench ends');
}

/** Whether `undoForGood` was called. */
export function isEnding(): boolean {
  return isOver;
}

/** Never rejects: what cannot be undone is said, and the rest goes on. */
export async function undoAll(): Promise<void> {
  for (const undo of [...entered].reverse()) {
    await undo().catch((error: unknown) => {
      console.error(`something is left behind: ${describeError(error)}`);
    });
  }
}

/** As `undoAll`, and nothing can be made any more. */
export async function undoForGood(): Promise<void> {
  isOver = true;
  await undoAll();
}
