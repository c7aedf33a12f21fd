/**
 * How does a mount take over what a dead one left, so that nothing is lost and nothing is there twice?
 *
 * Drafts get a second name first; then all records, and a note that they are here, become one commit of the own journal; only
 * then the other directory is emptied. Whoever finds both again after a crash sees by the note that the other is to be
 * forgotten. Drafts keep their identifiers, so doing it twice changes nothing.
 */
import { link, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { nodeLocalFiles } from '../local-files.ts';
import { put, type Journal, type JournalChange } from './journal.ts';

/** One state directory, opened. */
export interface OpenedState {
  readonly directory: string;
  /** The folder of its drafts, which exists. */
  readonly draftsPath: string;
  readonly journal: Journal;
}

/** Everything in `from` is in `into` when it resolves. Rejects with the disk's error: then it is still in `from`, too. */
export async function absorb(into: OpenedState, from: OpenedState, at: number): Promise<void> {
  for (const name of await readdir(from.draftsPath)) {
    await link(join(from.draftsPath, name), join(into.draftsPath, name)).catch(unlessCode('EEXIST'));
  }
  await nodeLocalFiles.syncDirectory(into.draftsPath);
  await into.journal.commit([
    ...changesOf(from.journal, () => into.journal.nextSequence()),
    // One that was absorbed there may still be in its place: it must not come back when what it held is done.
    ...[...from.journal.contents.absorbed, from.journal.id].map((journal) =>
      put('absorbed', { journal, at }),
    ),
  ]);
}

/**
 * Empties a directory whose journal, closed by now, was absorbed. `folders` go in their order, each in one step: half a database
 * would be taken for a damaged one. What people were told to look for in the directory stays.
 */
export async function forget(directory: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const going = join(directory, `${folder}.absorbed`);
    await rm(going, { recursive: true, force: true });
    await rename(join(directory, folder), going).catch(unlessCode('ENOENT'));
    await rm(going, { recursive: true, force: true });
  }
  await rmdir(directory).catch(unlessCode('ENOTEMPTY', 'EEXIST'));
}

/** Numbered anew, in their order: what waits here already came first. */
function changesOf(journal: Journal, nextSequence: () => number): JournalChange[] {
  const { drafts, deletions, renames, strayedSteps, shelved } = journal.contents;
  const numbered = [
    ...drafts.map((record) => ({
      of: record.sequence,
      change: (sequence: number) => put('draft', { ...record, sequence }),
    })),
    ...deletions.map((record) => ({
      of: record.sequence,
      change: (sequence: number) => put('deletion', { ...record, sequence }),
    })),
    ...renames.map(({ rename }) => ({
      of: rename.sequence,
      change: (sequence: number) => put('rename', { ...rename, sequence }),
    })),
  ].sort((a, b) => a.of - b.of);
  return [
    ...numbered.map(({ change }) => change(nextSequence())),
    ...renames.flatMap(({ steps }) => steps.map((step) => put('rename-step', step))),
    ...strayedSteps.map((step) => put('rename-step', step)),
    ...shelved.map((record) => put('shelved', record)),
  ];
}

function unlessCode(...codes: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(systemErrorCode(error) ?? '')) throw error;
  };
}
