/**
 * What is believed of a name when the answer of its own request comes, which may have left before that of a listing that is known by now?
 * Whoever was asked last is right.
 */
import type { Entry, FolderEntryKnown } from './entries.ts';
import type { KnownFolder } from './known-folder.ts';
import { entryOf, type FileTold } from './told.ts';

/**
 * Takes in what was told of the file `name`, or null for a 404, which says nothing about a folder: only a file that was known is known
 * to be gone. Returns what the answer says, also where that is not believed: who asked about the file itself may have to know what was there.
 */
export function takeInFile(
  folder: KnownFolder,
  name: string,
  told: FileTold | null,
  askedAt: number,
): Entry | undefined {
  const known = folder.recall(name);
  const answer =
    told === null
      ? goneOf(known, askedAt)
      : entryOf(name, told, { before: known, at: askedAt, kept: told.kept });
  if (answer === undefined) return known;
  if (known === undefined || known.confirmedAt <= answer.confirmedAt) folder.names.set(name, answer);
  // The listing may be late, unless its file is the newer one: the next look asks for the file itself.
  else if (told !== null && known.kind === 'file' && !known.version.replaced(told)) folder.doubt(name);
  return answer;
}

/** As `takeInFile`, of a folder. A file of its name does not contradict it, nor does a HEAD's 404; a listing that shows none does. */
export function takeInFolder(folder: KnownFolder, name: string, told: FolderEntryKnown): void {
  const known = folder.glance(name);
  const missingSince = folder.names.has(name) ? folder.listedSince : known?.confirmedAt;
  const isGone = known?.kind !== 'folder' && (missingSince ?? Number.NEGATIVE_INFINITY) > told.confirmedAt;
  if (!isGone) folder.names.set(name, told);
}

function goneOf(known: Entry | undefined, at: number): Entry | undefined {
  return known?.kind === 'file' ? { kind: 'missing', confirmedAt: at, fileAt: known.confirmedAt } : undefined;
}
