/** One change as a mount tells of it, for tests of those who show it. */
import type { UnsentChange } from '../../src/filesystem/unsent/unsent-change.ts';

export function unsentChangeOf(changes: Partial<UnsentChange> = {}): UnsentChange {
  return {
    id: '0123456789',
    kind: 'upload',
    state: 'failed',
    path: '/f',
    to: null,
    bytes: 4096,
    sent: 0,
    isWhole: true,
    since: Date.UTC(2026, 2, 4),
    attempts: 0,
    code: null,
    reason: null,
    file: '/state/drafts/0123456789',
    ...changes,
  };
}
