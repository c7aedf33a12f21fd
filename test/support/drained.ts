/** When has everything that a close or an unlink promised (`--write-back`) reached the service? */
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { UnsentChange } from '../../src/filesystem/unsent/unsent-change.ts';

const IDLE: ReadonlySet<UnsentChange['state']> = new Set(['open', 'local', 'set aside', 'unreadable']);

/** Rejects with why something cannot be stored now. */
export async function drained({ unsent }: MountedFileSystem): Promise<void> {
  for (;;) {
    const waiting = (await unsent.list()).filter(({ kind, state }) => kind !== 'rename' && !IDLE.has(state));
    if (waiting.length === 0) return;
    const outcomes = await unsent.retry(waiting.map(({ id }) => id));
    // Stored by itself since it was listed.
    const failed = outcomes.find(({ isDone, reason }) => !isDone && reason !== 'it is not there any more');
    if (failed !== undefined) throw new Error(`${failed.path ?? ''}: ${failed.reason ?? ''}`);
  }
}
