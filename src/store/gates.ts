/**
 * How many requests of a kind may be under way?
 *
 * Each kind has a gate of its own, and the connection pool has a connection for the sum of them: a name is never stuck behind
 * a transfer.
 */
import pLimit from 'p-limit';

export type Gate = <Result>(task: () => Promise<Result>) => Promise<Result>;

export interface Gates {
  readonly metadata: Gate;
  readonly reads: Gate;
  readonly uploads: Gate;
}

const METADATA_AT_ONCE = 16;
const READS_AT_ONCE = 16;
const UPLOADS_AT_ONCE = 8;

/** How many connections a pool needs so that no gate waits for another. */
export const CONNECTIONS_FOR_ALL_GATES = METADATA_AT_ONCE + READS_AT_ONCE + UPLOADS_AT_ONCE;

/** Gates for one mount; their tasks never wait for each other's kind. */
export function createGates(): Gates {
  return {
    metadata: pLimit(METADATA_AT_ONCE),
    reads: pLimit(READS_AT_ONCE),
    uploads: pLimit(UPLOADS_AT_ONCE),
  };
}
