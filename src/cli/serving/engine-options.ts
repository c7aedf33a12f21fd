/** How is the engine set up in a process that serves a mount? By options that it takes only when it starts. */
import { availableParallelism } from 'node:os';

/** What Node starts by itself. */
const MOST_THREADS = 4;

/** Mebibytes of the memory in which new objects are made, from the start and for good: what Node 20 lets it grow to by itself. */
const YOUNG_SPACE = 16;

/**
 * Programs wait for a mount most in its first second, when none of its code is compiled yet.
 *
 * - Threads for compiling and collecting garbage: more of them than there are processors besides ours would take those of our thread
 *   and of the programs that wait for it.
 * - The memory for new objects begins at 1 MiB, is full after each few hundred answers, and grows only as fast as what it holds survives. Node 24
 *   lets it grow further, and a mount would take that much more memory.
 * - Code is compiled, simply, when it first runs, and learns at once what it is used for: it was interpreted some hundred times.
 */
export function engineOptions(processors: number = availableParallelism()): readonly string[] {
  const threads = Math.min(Math.max(processors - 1, 1), MOST_THREADS);
  return [
    `--v8-pool-size=${threads}`,
    `--min-semi-space-size=${YOUNG_SPACE}`,
    `--max-semi-space-size=${YOUNG_SPACE}`,
    '--always-sparkplug',
    '--no-lazy-feedback-allocation',
  ];
}
