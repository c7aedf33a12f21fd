/** What is on the local disk after a mount that ended in peace, and which row of the journal says why? */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { DraftFolder, type FoundDraft } from '../../src/content/draft-folder.ts';
import { Journal } from '../../src/content/journal/journal.ts';
import type { JournalContents } from '../../src/content/journal/journal-contents.ts';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import { ManualClock } from '../support/manual-clock.ts';

export interface LeftBehind {
  /** Drafts that a person must look after. */
  readonly setAside: number;
  /** A line for each thing that should not be there. */
  readonly unexplained: readonly string[];
}

/** Looks at all state directories below `stateHome`, which nobody uses. */
export async function leftBehind(stateHome: string): Promise<LeftBehind> {
  const unexplained: string[] = [];
  let setAside = 0;
  for (const bucket of await readdir(stateHome)) {
    const numbers = (await readdir(join(stateHome, bucket))).filter((name) => /^\d+$/.test(name));
    for (const number of numbers) {
      const directory = join(stateHome, bucket, number);
      const journal = await Journal.open({ directory, clock: new ManualClock(), log: silentLog });
      await journal.close();
      const files = await new DraftFolder(join(directory, 'drafts'), nodeLocalFiles).list();
      unexplained.push(...strange(journal.contents, files));
      for (const name of await namesIn(join(directory, 'spool'))) unexplained.push(`in the spool: ${name}`);
      setAside += journal.contents.drafts.length;
    }
  }
  return { setAside, unexplained };
}

function strange(contents: JournalContents, files: readonly FoundDraft[]): string[] {
  const { drafts, renames, deletions, shelved, damaged } = contents;
  const found = new Set(files.map(({ id }) => id));
  const known = new Set([...drafts, ...shelved].map(({ id }) => id));
  return [
    ...files
      .filter(({ id }) => !known.has(id))
      .map(({ size, header }) => `a draft without a row, ${size} bytes: ${JSON.stringify(header)}`),
    ...drafts.filter(({ id }) => !found.has(id)).map(({ facts }) => `a row without a draft: ${facts.key}`),
    ...drafts
      .filter(({ state }) => state !== 'set aside')
      .map(({ state, facts }) => `still ${state}: ${facts.key}`),
    ...renames.map(({ rename }) => `a rename: ${rename.from} to ${rename.to}`),
    ...deletions.map(({ key, state }) => `a deletion, ${state}: ${key}`),
    // A row alone means nothing: the next start removes it.
    ...shelved.filter(({ id }) => found.has(id)).map(({ path }) => `on the shelf: ${path}`),
    ...damaged.map(({ name, reason }) => `a damaged row: ${name}, ${reason}`),
  ];
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
}
