/**
 * How does memory leave the process that nobody uses any more? The engine looks for garbage only when it is in need of memory, which a
 * mount that does nothing never is; and the C library keeps what the engine has found.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { loadMemoryCalls, type MemoryCalls } from '../../fuse/memory-calls.ts';

/** What caches, connections and the kernel's requests are made of. */
const LARGE_BYTES = 128 * 1024;
/**
 * Of the memory that was in use when garbage was last looked for, percent: so much more may be taken before it is looked for again. By
 * itself the engine takes up to three times as much, which with a folder of a million names is 80 MiB.
 */
const MOST_GARBAGE = 60;
/** A WeakRef that was asked in this turn of the event loop keeps its object until the turn ends; block-memory.ts asks those of what it gives up. */
const NEXT_TURN_MS = 1;
/** The engine lets go of what it has found in threads of its own. */
const SWEEPING_MS = 1000;

/**
 * From now on large pieces of memory leave as soon as they are let go of. The function that is returned has everything leave that can,
 * which stops the process for some hundredths of a second. Never rejects: where the C library cannot be asked, the engine does its part.
 */
export async function openMemoryReturn(clock: Pick<Clock, 'after'>, log: Log): Promise<() => void> {
  const calls = await loadMemoryCalls().catch((error: unknown): MemoryCalls | null => {
    log.debug('memory is given back when the C library likes', { reason: describeError(error) });
    return null;
  });
  calls?.giveBackFrom(LARGE_BYTES);
  keepGarbageLow();
  const collect = collector();
  return () => {
    clock.after(NEXT_TURN_MS, () => {
      collect?.();
      if (calls === null) return;
      clock.after(SWEEPING_MS, () => {
        calls.trim();
      });
    });
  };
}

/** From now on the engine looks for garbage before there is much of it. */
export function keepGarbageLow(): void {
  setFlagsFromString(`--heap-growing-percent=${MOST_GARBAGE}`);
}

/** Undefined where the engine does not hand it out. Only one context has it: nobody else shall find it by chance. */
function collector(): (() => void) | undefined {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as (() => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
