/**
 * What is in a state directory that no mount has open, or whose mount does not answer? Read without changing anything there: the
 * journal is a database that would tidy up when it is opened, so a copy of it is.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { systemErrorCode } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { DraftFolder, type FoundDraft } from './draft-folder.ts';
import { Journal } from './journal/journal.ts';
import type { JournalContents } from './journal/journal-contents.ts';
import { recover, type Recovery } from './journal/recovery.ts';
import type { LocalFiles } from './local-files.ts';

const DRAFTS = 'drafts';
const JOURNAL = 'journal';

export interface LeftBehind {
  readonly recovery: Recovery;
  readonly contents: JournalContents;
  readonly found: readonly FoundDraft[];
}

/** Rejects with the disk's error, or as `Journal.open`. */
export async function readLeftBehind(
  directory: string,
  parts: { readonly files: LocalFiles; readonly clock: Clock },
): Promise<LeftBehind> {
  const found = await draftsIn(directory, parts.files).list().catch(nothingIfMissing);
  const copy = await mkdtemp(join(tmpdir(), 'pailfs-look-'));
  try {
    await cp(join(directory, JOURNAL), join(copy, JOURNAL), { recursive: true }).catch(nothingIfMissing);
    const journal = await Journal.open({ directory: copy, clock: parts.clock, log: silentLog });
    const { contents } = journal;
    await journal.close();
    return { recovery: recover(contents, found, () => 0), contents, found };
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
