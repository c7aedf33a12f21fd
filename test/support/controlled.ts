/** What a serving process answers over its control socket, without a mount behind it. */
import type { Controlled } from '../../src/cli/control/control-documents.ts';
import { summaryOf } from '../../src/cli/control/unsent-summary.ts';
import { quietMount } from './quiet-mount.ts';
import { unsentChangeOf } from './unsent-change.ts';

export const CHANGES = [
  unsentChangeOf({ path: '/a' }),
  unsentChangeOf({ id: 'other', path: null, state: 'unreadable' }),
];

export const STATUS = {
  phase: 'serving',
  stateDirectories: ['/state'],
  inactive: [],
  options: { metadata_ttl: 10 },
  bytesSent: 5,
  ...quietMount,
  waiting: summaryOf(CHANGES),
  changes: CHANGES,
} as const;

export const LINK = { visibility: 'public', url: 'https://links/public/a', expiresAt: null } as const;

export function controlled(changes: Partial<Controlled> = {}): Controlled {
  const outcome = { kind: 'upload', path: '/a', isDone: true, storedAs: null, reason: null } as const;
  return {
    status: () => Promise.resolve(STATUS),
    uploads: () => Promise.resolve(CHANGES),
    retry: (ids) => Promise.resolve((ids ?? ['all']).map((id) => ({ ...outcome, id }))),
    discard: (ids) => Promise.resolve(ids.map((id) => ({ ...outcome, id }))),
    giveUp: () => ({ isEnding: true }),
    link: () => Promise.resolve(LINK),
    hidden: () => Promise.resolve(0),
    setVisibility: (_path, visibility) => Promise.resolve({ ...LINK, visibility }),
    refresh: () => Promise.resolve(),
    ...changes,
  };
}
