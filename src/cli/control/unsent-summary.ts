/** How much is not stored yet, and what of it is worth a line in `pailfs status`? */
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { UnsentSummary } from './control-documents.ts';

/** Of a kind. */
export const MOST_SHOWN = 20;

export function summaryOf(changes: readonly UnsentChange[]): UnsentSummary {
  const count = (isMeant: (change: UnsentChange) => boolean): number => changes.filter(isMeant).length;
  return {
    uploads: count(isOnItsWay),
    bytesLeft: changes.filter(isOnItsWay).reduce((sum, { bytes, sent }) => sum + (bytes ?? 0) - sent, 0),
    uploading: count(({ state }) => state === 'uploading'),
    failed: count(({ state }) => state === 'failed' || state === 'end unknown'),
    setAside: count(rests),
    deletes: count((change) => change.kind === 'delete' && !rests(change)),
    links: count(({ kind }) => kind === 'link'),
    renames: count(({ kind }) => kind === 'rename'),
    scratch: count(({ kind }) => kind === 'scratch'),
  };
}

/** Bytes that go up without anybody's asking. */
function isOnItsWay(change: UnsentChange): boolean {
  return change.kind === 'upload' && !rests(change);
}

/** Only a person's word changes anything about it. */
export function rests({ state }: UnsentChange): boolean {
  return state === 'set aside' || state === 'unreadable';
}

/** What goes up just now, what went wrong, and what is only here. */
export function noteworthy(changes: readonly UnsentChange[]): readonly UnsentChange[] {
  const shown = new Map<UnsentChange['state'] | 'scratch', number>();
  return changes.filter(({ state, kind }) => {
    if (state === 'queued' || state === 'open') return false;
    const key = kind === 'scratch' ? 'scratch' : state;
    shown.set(key, (shown.get(key) ?? 0) + 1);
    return (shown.get(key) ?? 0) <= MOST_SHOWN;
  });
}
