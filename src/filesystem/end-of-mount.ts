/** How does a mount end without losing anything? One try for what waits, then the local disk keeps it for the next mount. */
import pLimit from 'p-limit';
import { systemClock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { RunningClock } from '../base/running-clock.ts';
import type { DeletionRecord } from '../content/journal/records.ts';
import type { OpenFile } from './open-file.ts';
import { unsentFiles, type FileSystemParts } from './pail-file-system.ts';
import type { Resuming } from './rename/resuming.ts';
import type { SiblingReads } from './read/sibling-reads.ts';
import type { Uploading } from './write/uploading.ts';
import type { MountState } from './mount-state.ts';
import type { Deletions } from './write-back/deletions.ts';
import type { Sealing } from './write-back/sealing.ts';
import { reasonOf } from './errno-of.ts';

/** Files stored at once at the end: more than uploads at once (gates.ts), since each waits for the local disk, too. */
const FILES_AT_ONCE = 16;
const NO_TIME = 'there was no time left';
/** A rename that a crash had cut is finished beside programs, and the end does not wait for it. */
const UNDER_WAY = 'the next mount goes on with it';
const HALF = 'a program was still writing it';
/** What could not be stored, deleted, renamed, or made public again. */
export interface UnsentDraft {
  readonly path: string;
  /** The local file that holds its bytes; empty where only a deletion, a rename or a link is left to do. */
  readonly file: string;
  readonly bytes: number;
  readonly reason: string;
}

/** For how long the end of a mount may take. */
export interface EndOfMount {
  /** It gives up when for so many milliseconds nothing went up. */
  readonly patience: number;
  /** It gives up when this is aborted. */
  readonly giveUp?: AbortSignal | undefined;
  /** Grows while anything goes up; when absent: only what this file system sends counts. */
  readonly progress?: (() => number) | undefined;
}

/** What has to come to an end. */
export interface EndingParts extends FileSystemParts {
  readonly deletions: Deletions;
  readonly sealing: Sealing;
  readonly resuming: Resuming;
  readonly siblings: SiblingReads;
}

/** What they had not stored. */
export interface EarlierMounts {
  /** Ends when it has been tried. */
  readonly sending: Promise<void>;
  /** Identifiers of its drafts. */
  readonly left: ReadonlySet<string>;
}

/**
 * Call after the kernel has let go. Returns what could not be stored, deleted or renamed.
 */
export async function endFileSystem(
  parts: EndingParts,
  end: EndOfMount,
  { sending, left }: EarlierMounts,
): Promise<UnsentDraft[]> {
  const { mount, folders, deletions, resuming, shelf, siblings } = parts;
  folders.stop();
  shelf.clear(mount.table.all());
  const done = new AbortController();
  await Promise.race([Promise.all([drain(parts), sending]), untilGivenUp(parts, end, done.signal)]);
  done.abort();
  folders.stop();
  siblings.stop();
  mount.content.close();
  await Promise.all(mount.table.all().map((file) => leaveOrDrop(parts, file)));
  await Promise.all(mount.table.all().map((file) => letGo(mount, file)));
  const undeleted = [
    ...deletions.waiting.map((record) => undeletedOf(record, 'not deleted yet')),
    // Their programs were told that they are done.
    ...deletions.droppedHere.map((record) => undeletedOf(record, 'not deleted')),
  ];
  const unsent = await Promise.all(unsentFiles(mount).map((file) => asItIs(mount, file)));
  const cut = resuming.left
    // What waits for the rename says so itself.
    .filter(({ from }) => !unsent.some(({ path }) => path === from))
    .map(({ from, reason = UNDER_WAY }) => {
      return { path: from, file: '', bytes: 0, reason: `not renamed yet: ${reason}` };
    });
  return [...unsent, ...(await setAside(mount, left)), ...undeleted, ...cut];
}

function undeletedOf({ key, lastFailure }: DeletionRecord, how: string): UnsentDraft {
  return { path: `/${key}`, file: '', bytes: 0, reason: `${how}: ${lastFailure?.message ?? NO_TIME}` };
}

/** What was refused behind the backs of the programs that had closed it: elsewhere their close has told them, unless it was in an earlier mount. Never rejects. */
async function setAside(
  { kept, settings, log }: MountState,
  left: ReadonlySet<string>,
): Promise<UnsentDraft[]> {
  try {
    const untold = (await kept.aside.list()).filter(({ id }) => settings.writeBack || left.has(id));
    return untold.map(({ path, file, bytes, reason }) => ({
      path: path ?? '',
      file: file ?? '',
      bytes: bytes ?? 0,
      reason: reason ?? 'set aside',
    }));
  } catch (error) {
    log.error('what was set aside could not be listed', { cause: describeError(error) });
    return [];
  }
}

/** One try for everything that waits. Never rejects. */
async function drain({ mount, uploading, deletions, folders, resuming }: EndingParts): Promise<void> {
  const ended = [uploading.stop(), deletions.stop(), resuming.stop()];
  await Promise.all([
    ...ended,
    pLimit(FILES_AT_ONCE).map(unsentFiles(mount), (file) => storeOrLog(mount, uploading, file)),
    // A folder that the last deletion empties is to stay.
    deletions.finishAll().then(() => folders.makeAllReal(true)),
  ]);
}

/** Grows while the end gets anywhere. */
export function progressOf({ mount, deletions }: EndingParts): number {
  return mount.content.bytesSent + deletions.sent;
}

/** A program that has the file open beyond our end shall leave no copy of it on the disk, but what is not stored stays. */
async function leaveOrDrop(parts: EndingParts, file: OpenFile): Promise<void> {
  const { mount, shelf } = parts;
  const { kept, log, settings } = mount;
  const { draft } = file;
  if (draft === null) return;
  if (file.shelf !== null) {
    await shelf.record(file).catch((error: unknown) => {
      log.error('a scratch file could not be kept', { path: file.path, cause: describeError(error) });
    });
    return;
  }
  if (file.dirty) {
    if (draft.poisoned !== null) return;
    // The next mount shall find it as after a crash.
    if (file.isHalf) return;
    // In place of what was promised before, also by an earlier mount; not where an upload that does not end holds the gate.
    const isPromised = (settings.writeBack || file.sealed !== null) && !file.gate.isClosed;
    if (!isPromised || !(await isSealed(parts, file))) await kept.uploads.left(file, draft);
    return;
  }
  file.draft = null;
  await kept.drop(draft).catch((error: unknown) => {
    log.error('the local copy of a stored file could not be deleted', {
      path: file.path,
      cause: describeError(error),
    });
  });
}

/** Somebody may have deleted the state directory: nobody shall go on in the belief that the next mount stores it. */
async function asItIs({ resting, log }: MountState, file: OpenFile): Promise<UnsentDraft> {
  const unsent = unsentOf(file);
  if (unsent.file === '' || file.draft === null) return unsent;
  try {
    // Or an upload that goes on has stored it meanwhile.
    if ((await resting.find(file.draft.id)) !== undefined || !file.dirty) return unsent;
  } catch (error) {
    log.error('the bytes of an unsent file could not be looked for', {
      path: file.path,
      cause: describeError(error),
    });
    return unsent;
  }
  const reason = `lost: its bytes were deleted from ${unsent.file} before they could be stored (${unsent.reason})`;
  return { ...unsent, file: '', reason };
}

function unsentOf(file: OpenFile): UnsentDraft {
  const { path, draft, dirty } = file;
  const reason = reasonUnsent(file);
  // Its bytes are stored: the file here, if there is one, goes.
  if (!dirty) return { path, file: '', bytes: 0, reason: `not public again yet: ${reason}` };
  return { path, file: draft?.path ?? '', bytes: draft?.size ?? 0, reason };
}

function reasonUnsent(file: OpenFile): string {
  if (file.isHalf) return HALF;
  return file.failure === null ? NO_TIME : reasonOf(file.failure.error);
}

/** What stays on the disk is not ours any more. An upload that goes on beyond the end still reads its draft. */
async function letGo({ log }: MountState, { path, draft, sealed, uploading }: OpenFile): Promise<void> {
  if (uploading) return;
  for (const left of new Set([draft, sealed?.draft ?? null])) {
    await left?.close().catch((error: unknown) => {
      log.warn('a draft could not be closed', { path, cause: describeError(error) });
    });
  }
}

async function isSealed({ mount, sealing }: EndingParts, file: OpenFile): Promise<boolean> {
  try {
    // While this waits until nobody writes, a program may begin to write it anew.
    await sealing.seal(file, () => !file.isHalf);
    return true;
  } catch (error) {
    const cause = describeError(error);
    mount.log.debug('what is not stored could not be promised', { path: file.path, cause });
    return false;
  }
}

/** A large file on a slow line may take hours, as long as it moves: only standing still is the end. */
async function untilGivenUp(
  parts: EndingParts,
  { patience, giveUp, progress = () => progressOf(parts) }: EndOfMount,
  done: AbortSignal,
): Promise<void> {
  const signal = giveUp === undefined ? done : AbortSignal.any([done, giveUp]);
  for (let before = -1; before !== progress() && !signal.aborted;) {
    before = progress();
    await ofRunning(patience, signal);
  }
}

/** Resolves after `milliseconds`, or with `signal`. The clock of the machine, not the injected one: this bounds how long a person waits. */
async function ofRunning(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      cancel();
      resolve();
    };
    const cancel = RunningClock.of(systemClock).after(milliseconds, end);
    signal.addEventListener('abort', end);
  });
}

async function storeOrLog(mount: MountState, uploading: Uploading, file: OpenFile): Promise<void> {
  try {
    await uploading.storeWhole(file);
  } catch (error) {
    mount.log.error('a file could not be stored before the end', {
      path: file.path,
      cause: describeError(error),
    });
  }
}
