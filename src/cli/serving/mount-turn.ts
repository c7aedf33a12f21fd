/**
 * What when two begin to mount at one place at once? Each would find it free, and the later one would hide the other, which nobody could unmount
 * before it. So those of one user take turns, and the second finds the first.
 */
import { once } from 'node:events';
import type { Log } from '../../base/log.ts';
import { hashOf, recordDirectory } from '../found-mounts/record-directories.ts';
import { ClaimSockets, type Claim } from '../state/claim-sockets.ts';

/** Of the place in the name of its turn. That of a turn which is over stays: so there are a few for all places. */
const LETTERS = 1;

interface Waiting {
  readonly log: Log;
  /** Gives the wait up. */
  readonly signal: AbortSignal;
}

/** Runs `action` while nobody else of this user mounts at `mountpoint`; also where no turns can be taken. Rejects as it, or when the wait is given up. */
export async function inTurnAt<Result>(
  mountpoint: string,
  waiting: Waiting,
  action: () => Promise<Result>,
): Promise<Result> {
  const turn = await turnAt(mountpoint, waiting);
  try {
    waiting.signal.throwIfAborted();
    return await action();
  } finally {
    await turn?.release();
  }
}

/** Undefined when the wait is given up, too. */
async function turnAt(mountpoint: string, { log, signal }: Waiting): Promise<Claim | undefined> {
  try {
    const sockets = await ClaimSockets.open(await recordDirectory(process.getuid?.() ?? 0));
    try {
      if (signal.aborted) return undefined;
      const turn = sockets.claimInTurn(`turn${hashOf(mountpoint).slice(0, LETTERS)}`);
      const givenUp = once(signal, 'abort').then(() => undefined);
      return await Promise.race([turn, givenUp]);
    } finally {
      await sockets.close();
    }
  } catch (error) {
    log.debug('whether somebody else mounts here just now is not known', { error });
    return undefined;
  }
}
