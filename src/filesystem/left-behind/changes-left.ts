/** What did mounts that are gone leave in a state directory, and how is it discarded without mounting? */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Journal, remove, type JournalChange } from '../../content/journal/journal.ts';
import { draftsIn, readLeftBehind, type LeftBehind } from '../../content/left-behind.ts';
import { nodeLocalFiles } from '../../content/local-files.ts';
import {
  changeOfDeletion,
  changeOfDraft,
  changeOfLink,
  changeOfLost,
  changeOfRename,
  changeOfShelved,
  changeOfUnreadable,
  type UnsentChange,
} from '../unsent/unsent-change.ts';
import { byAge, outcomeOf, type ChangeOutcome } from '../unsent/unsent-changes.ts';

export interface LeftChanges {
  /** Those that waited longest first. */
  readonly changes: readonly UnsentChange[];
  /** Of these no record says that they were set aside: while their process lives, they are not. */
  readonly inHand: ReadonlySet<string>;
  /** Identifier of the journal there. */
  readonly journal: string;
  /** Identifiers of journals all of which is here: a process was killed, or the disk failed, before it emptied their directories. */
  readonly absorbed: ReadonlySet<string>;
}

/** Changes nothing there. Rejects with the disk's error, or as `Journal.open`. */
export async function lookIntoLeft(directory: string, clock: Clock): Promise<LeftChanges> {
  const left = await readLeftBehind(directory, { files: nodeLocalFiles, clock });
  const { contents, recovery, journal } = left;
  const recorded = new Set(contents.drafts.filter(({ state }) => state === 'set aside').map(({ id }) => id));
  const aside = recovery.drafts.filter(({ id, state }) => state === 'set aside' && !recorded.has(id));
  const inHand = new Set(aside.map(({ id }) => id));
  return { changes: changesOf(left), inHand, journal, absorbed: contents.absorbed };
}

/** As `lookIntoLeft`. */
export async function changesLeftIn(directory: string, clock: Clock): Promise<readonly UnsentChange[]> {
  return (await lookIntoLeft(directory, clock)).changes;
}

/** Deletes the bytes and records of `ids` in a directory that is claimed by this process. Rejects as `changesLeftIn`. */
export async function discardLeftIn(
  directory: string,
  ids: readonly string[],
  tools: { readonly clock: Clock; readonly log: Log },
): Promise<readonly ChangeOutcome[]> {
  const changes = (await changesLeftIn(directory, tools.clock)).filter(({ id }) => ids.includes(id));
  const journal = await Journal.open({ directory, ...tools });
  try {
    const outcomes: ChangeOutcome[] = [];
    for (const change of changes) {
      outcomes.push(
        await outcomeOf(change, async () => {
          if (change.kind === 'rename') throw new Error('the next mount finishes it');
          await journal.commit(removalsOf(journal, change.id));
          await draftsIn(directory, nodeLocalFiles).remove(change.id);
          return null;
        }),
      );
    }
    return outcomes;
  } finally {
    await journal.close();
  }
}

function changesOf({ recovery, contents, found }: LeftBehind): UnsentChange[] {
  const files = new Map(found.map((file) => [file.id, file]));
  const known = new Set(recovery.drafts.map(({ id }) => id));
  const drafts = recovery.drafts.flatMap((record) => {
    const file = files.get(record.id);
    return file === undefined ? [] : [changeOfDraft(record, file)];
  });
  const shelved = contents.shelved.flatMap((record) => {
    const file = files.get(record.id);
    return file === undefined || known.has(record.id) ? [] : [changeOfShelved(record, file)];
  });
  return [
    ...drafts,
    ...shelved,
    ...recovery.unreadable.map(changeOfUnreadable),
    ...recovery.lost.map(changeOfLost),
    ...recovery.unpublished.map(changeOfLink),
    ...contents.renames.map(({ rename }) => changeOfRename(rename)),
    ...contents.deletions.map(changeOfDeletion),
  ].sort(byAge);
}

function removalsOf({ contents }: Journal, id: string): JournalChange[] {
  const { deletions } = contents;
  return [
    ...deletions
      .filter((record) => changeOfDeletion(record).id === id)
      .map((record) => remove('deletion', record)),
    ...contents.drafts.filter((record) => record.id === id).map((record) => remove('draft', record)),
    ...contents.shelved.filter((record) => record.id === id).map((record) => remove('shelved', record)),
  ];
}
