/** What does a person see of one change that the service does not have yet, or of bytes that are only here? */
import type { FoundDraft } from '../../content/draft-folder.ts';
import type {
  DeletionRecord,
  DraftRecord,
  RenameRecord,
  ShelvedRecord,
} from '../../content/journal/records.ts';
import { pathOfKey } from '../../store/keys.ts';
import { reasonOf, toFsError } from '../errno-of.ts';
import type { OpenFile } from '../open-file.ts';

/** `link`: the bytes are stored, and are still to be made public again. `scratch`: only for the program that made it. */
export type UnsentKind = 'upload' | 'delete' | 'link' | 'rename' | 'scratch';

/**
 * `open`: a program writes it; `queued`: nothing has been tried yet; `uploading`: a request is under way; `end unknown`: the service may
 * have it; `failed`: will be tried again; `set aside`: only if a person asks for it; `unreadable`: bytes whose name is lost;
 * `local`: meant to stay here; `going on`: step by step; `gone`: somebody has deleted the bytes from the local disk.
 */
export type UnsentState =
  | 'open'
  | 'queued'
  | 'uploading'
  | 'end unknown'
  | 'failed'
  | 'set aside'
  | 'unreadable'
  | 'local'
  | 'going on'
  | 'gone';

/** Plain data, so that it can be sent to another process. */
export interface UnsentChange {
  /** Of no other change of this state directory. */
  readonly id: string;
  readonly kind: UnsentKind;
  readonly state: UnsentState;
  /** In the mount, beginning with a slash; null when it is lost. */
  readonly path: string | null;
  /** Where a rename leads; else null. */
  readonly to: string | null;
  /** Null where there are none to speak of. */
  readonly bytes: number | null;
  /** Bytes that the upload under way has handed over. */
  readonly sent: number;
  /** Whether the bytes are those that a program left at a close: others may be half a file. */
  readonly isWhole: boolean;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** That failed. */
  readonly attempts: number;
  /** The error's name, such as EDQUOT; null: nothing went wrong. */
  readonly code: string | null;
  /** What happened, or why nothing does; null: there is nothing to say. */
  readonly reason: string | null;
  /** The local file that holds the bytes, behind a header of 64 KiB. */
  readonly file: string | null;
}

const PLAIN = {
  to: null,
  bytes: null,
  sent: 0,
  isWhole: true,
  attempts: 0,
  code: null,
  reason: null,
  file: null,
};

/** What the service does not have of `file`; `record` is what the journal has of its draft. */
export function changeOfFile(file: OpenFile, record: DraftRecord | undefined): UnsentChange | undefined {
  const { draft, failure, path } = file;
  const error = failure === null ? null : toFsError(failure.error, path);
  const common = {
    ...PLAIN,
    path,
    attempts: record?.attempts ?? 0,
    code: record?.lastFailure?.code ?? error?.code ?? null,
    reason: failure === null ? null : reasonOf(failure.error),
  };
  if (draft !== null && file.dirty) {
    return {
      ...common,
      id: draft.id,
      kind: file.shelf === null ? 'upload' : 'scratch',
      state: stateOfFile(file),
      bytes: draft.size,
      sent: file.uploading ? draft.handedOver : 0,
      isWhole: !file.hasWriters(),
      since: draft.facts.createdAt,
      file: draft.path,
    };
  }
  if (!file.publishPending) return undefined;
  const state = failure === null ? 'queued' : 'failed';
  const owedLink = file.owedLinks.at(-1);
  const since = owedLink?.facts.createdAt ?? file.version?.lastModified.getTime() ?? 0;
  return { ...common, id: owedLink?.id ?? `link-${path}`, kind: 'link', state, since };
}

/** What a close has promised of `file` that a program is writing anew: the bytes that wait for their upload. */
export function changeOfSealed(file: OpenFile, record: DraftRecord | undefined): UnsentChange | undefined {
  const { draft, sealed, failure, path } = file;
  if (sealed === null || sealed.draft === draft) return undefined;
  const isTried = failure === null ? 'queued' : 'failed';
  return {
    ...PLAIN,
    path,
    id: sealed.draft.id,
    kind: 'upload',
    state: file.uploading ? 'uploading' : file.endUnknown ? 'end unknown' : isTried,
    bytes: sealed.draft.size,
    sent: file.uploading ? sealed.draft.handedOver : 0,
    since: sealed.draft.facts.createdAt,
    attempts: record?.attempts ?? 0,
    code: record?.lastFailure?.code ?? null,
    reason: failure === null ? null : reasonOf(failure.error),
    file: sealed.draft.path,
  };
}

function stateOfFile(file: OpenFile): UnsentState {
  if (file.sealed !== null && file.sealed.draft !== file.draft) return 'open';
  if (file.uploading) return 'uploading';
  if (file.endUnknown) return 'end unknown';
  if (file.failure !== null) return 'failed';
  if (file.hasWriters()) return 'open';
  return file.shelf === null ? 'queued' : 'local';
}

/** A draft that nobody has opened, by its record. */
export function changeOfDraft(record: DraftRecord, found: FoundDraft): UnsentChange {
  const { facts, reason, lastFailure } = record;
  const isSetAside = record.state === 'set aside';
  return {
    ...PLAIN,
    id: record.id,
    kind: 'upload',
    state: isSetAside ? 'set aside' : waitingState(record.state),
    path: `/${facts.key}`,
    bytes: found.size,
    isWhole: isWholeDraft(record, found),
    since: facts.createdAt,
    attempts: record.attempts,
    code: lastFailure?.code ?? null,
    reason: reason ?? lastFailure?.message ?? null,
    file: found.path,
  };
}

/** Whether the file holds what a program left at its last close. */
export function isWholeDraft({ facts }: DraftRecord, found: FoundDraft): boolean {
  return facts.sealed?.size === found.size;
}

function waitingState(state: DraftRecord['state']): UnsentState {
  return state === 'failed' || state === 'end unknown' ? state : 'queued';
}

/** A draft whose file is not there, though nobody has stored it. */
export function changeOfLost({ id, facts, attempts }: DraftRecord): UnsentChange {
  const known = { path: `/${facts.key}`, since: facts.createdAt, attempts };
  const reason = 'its bytes are gone from the state directory';
  return { ...PLAIN, ...known, id, kind: 'upload', state: 'gone', isWhole: false, reason };
}

/** A file that says nothing of itself. */
export function changeOfUnreadable({ id, size, changedAt, path: file, header }: FoundDraft): UnsentChange {
  const reason = 'unreadable' in header ? header.unreadable : null;
  const known = { path: null, bytes: size, isWhole: false, since: changedAt, reason, file };
  return { ...PLAIN, ...known, id, kind: 'upload', state: 'unreadable' };
}

/** A stored file whose link is down. */
export function changeOfLink({ id, facts, attempts, lastFailure }: DraftRecord): UnsentChange {
  const failure = { attempts, code: lastFailure?.code ?? null, reason: lastFailure?.message ?? null };
  return {
    ...PLAIN,
    ...failure,
    id,
    kind: 'link',
    state: 'queued',
    path: `/${facts.key}`,
    since: facts.createdAt,
  };
}

/** A scratch file that nobody has opened. */
export function changeOfShelved({ path, createdAt }: ShelvedRecord, found: FoundDraft): UnsentChange {
  const known = { path, bytes: found.size, since: createdAt, file: found.path };
  return { ...PLAIN, ...known, id: found.id, kind: 'scratch', state: 'local' };
}

/** `failure`: of the last try to finish it; undefined: it goes on. */
export function changeOfRename(
  { id, from, to, startedAt }: RenameRecord,
  failure?: { readonly error: unknown; readonly attempts: number },
): UnsentChange {
  const path = pathOfKey(from);
  const failed = failure && {
    attempts: failure.attempts,
    code: toFsError(failure.error, path).code,
    reason: reasonOf(failure.error),
  };
  return {
    ...PLAIN,
    ...failed,
    id,
    kind: 'rename',
    state: failed === undefined ? 'going on' : 'failed',
    path,
    to: pathOfKey(to),
    since: startedAt,
  };
}

export function changeOfDeletion(record: DeletionRecord): UnsentChange {
  const { sequence, key, state, requestedAt, attempts, lastFailure } = record;
  return {
    ...PLAIN,
    id: `delete-${sequence}`,
    kind: 'delete',
    state: state === 'dropped' ? 'set aside' : state,
    path: pathOfKey(key),
    since: requestedAt,
    attempts,
    code: lastFailure?.code ?? null,
    reason: lastFailure?.message ?? null,
  };
}

/** Whether a mount that may change things goes on with it by itself. */
export function isTried({ state }: UnsentChange): boolean {
  return state === 'queued' || state === 'end unknown';
}

/** Whether it is meant when everything is to be tried again. */
export function isForAll({ kind, state }: UnsentChange): boolean {
  return kind !== 'scratch' && state !== 'open' && state !== 'uploading' && state !== 'going on';
}
