/**
 * What is in a state directory that no mount has open, or whose mount does not answer? Read without changing anything there: the
 * journal is a database that would tidy up when it is opened, so a copy of it is.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { describeError, systemErrorCode, systemWords } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { DraftFolder, type FoundDraft } from './draft-folder.ts';
import { Journal } from './journal/journal.ts';
import type { JournalContents } from './journal/journal-contents.ts';
import { DatabaseTooNew } from './journal/open-or-move-aside.ts';
import { recover, type Recovery } from './journal/recovery.ts';
import type { LocalFiles } from './local-files.ts';

const DRAFTS = 'drafts';
const JOURNAL = 'journal';
/** What only who writes is told. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

export interface LeftBehind {
  readonly recovery: Recovery;
  readonly contents: JournalContents;
  /** Identifier of the journal: another one may say that all of this is in it by now. */
  readonly journal: string;
  readonly found: readonly FoundDraft[];
}

/** Nothing is wrong with what was to be read: the disk that takes the copy of a journal is full, or is not there. */
export class CopyNotMade extends Error {
  override readonly name = 'CopyNotMade';

  /** Of the system error. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(`no copy of its journal can be made in ${tmpdir()}: ${systemWords(cause) ?? describeError(cause)}`);
    this.code = systemErrorCode(cause);
  }
}

/** Rejects with the disk's error, as `Journal.open`, or with `CopyNotMade`. */
export async function readLeftBehind(
  directory: string,
  parts: { readonly files: LocalFiles; readonly clock: Clock },
): Promise<LeftBehind> {
  const found = await draftsIn(directory, parts.files).list().catch(nothingIfMissing);
  const copy = await mkdtemp(join(tmpdir(), 'pailfs-look-')).catch((error: unknown) => {
    throw new CopyNotMade(error);
  });
  try {
    await cp(join(directory, JOURNAL), join(copy, JOURNAL), { recursive: true }).catch(nothingIfMissing);
    const journal = await Journal.open({ directory: copy, clock: parts.clock, log: silentLog });
    const { contents } = journal;
    await journal.close();
    return { recovery: recover(contents, found, () => 0), contents, journal: journal.id, found };
  } catch (error) {
    // Not of the copy, which nobody knows.
    if (error instanceof DatabaseTooNew) throw new DatabaseTooNew(directory);
    throw FULL.has(systemErrorCode(error) ?? '') ? new CopyNotMade(error) : error;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

export function draftsIn(directory: string, files: LocalFiles): DraftFolder {
  return new DraftFolder(join(directory, DRAFTS), files);
}

/** A mount that ends meanwhile takes it away. */
function nothingIfMissing(error: unknown): [] {
  if (systemErrorCode(error) === 'ENOENT') return [];
  throw error;
}
