/** How is the engine set up in a process that serves a mount? By options that it takes only when it starts. */
import { availableParallelism } from 'node:os';

/** What Node starts by itself. */
const MOST_THREADS = 4;

/**
 * Threads of the engine's own for compiling and collecting garbage. In a mount's first second they have much to compile: more of them than there
 * are processors besides ours would take those of our thread and of the programs that wait for it.
 */
export function engineOptions(processors: number = availableParallelism()): readonly string[] {
  const threads = Math.min(Math.max(processors - 1, 1), MOST_THREADS);
  return [`--v8-pool-size=${threads}`];
}
