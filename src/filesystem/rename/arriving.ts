/** The copy of a renamed file is stored under its new name: how does it become the file that programs here have open? */
import type { Draft } from '../../content/draft.ts';
import { keyOfPath } from '../../store/keys.ts';
import type { LocalAttributes, Version } from '../../store/version.ts';
import { attributesSince } from '../attributes/attributes-since.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { Shelf } from '../shelf/shelf.ts';
import { moveInTable } from './moving-drafts.ts';

/** A copy is the file from now on. */
export interface Arrival {
  readonly to: string;
  readonly copied: Version;
  /** What programs had set of the source when the copy was given it. */
  readonly local: LocalAttributes;
  /** Nothing is left under the old name; else that shows what somebody else has stored there. */
  readonly isGone: boolean;
  /** Holds what was copied; null: that is the stored version. */
  readonly draft: Draft | null;
  /** What programs are writing, or have closed since, and the copy does not hold. */
  readonly stays: Draft | null;
  /** To another file that programs have written, or are about to write, under the new name. */
  readonly yields: boolean;
}

/** `source`, whose gate the caller has closed, is the copy from now on. Rejects with the local disk's error. */
export async function arrive(
  mount: MountState,
  shelf: Shelf,
  source: OpenFile,
  arrival: Arrival,
): Promise<void> {
  const { to, copied, isGone, draft: whole, stays } = arrival;
  const { kept, namespace } = mount;
  takeAttributes(mount, source, arrival);
  const from = source.path;
  const { draft, sealed } = source;
  // Else a close has promised newer bytes since the copy.
  const isOver = stays === null || sealed?.draft === whole;
  if (isOver) source.sealed = null;
  takeVersion(source, copied, stays);
  moveInTable(mount, source, to, arrival.yields);
  if (isGone) namespace.known.changed(from, { kind: 'missing' });
  else tellOfTheirs(mount, from, to);
  if (draft !== null && stays === null) await kept.retire(draft);
  if (isOver && sealed !== null && sealed.draft !== draft) await kept.drop(sealed.draft);
  if (stays !== null) await kept.redescribe(source);
  await shelf.moved(source);
  await kept.linkSettled(source);
}

/** What programs have set of `source`, of which `draft` holds what is meant, or null: its stored version is. */
export function localOf(source: OpenFile, draft: Draft | null): LocalAttributes {
  const isNewer = source.dirty && draft !== null;
  // Its bytes are as old as they were, though they are stored anew.
  const mtime = source.version?.lastModified.getTime();
  return { mtime, ...source.version?.local, ...(isNewer ? source.wishesOf(draft).local : {}) };
}

/** `from` shows what somebody else has stored there since. */
export function tellOfTheirs({ log }: MountState, from: string, to: string): void {
  log.warn(
    'somebody else replaced a file that was changed and renamed here: theirs stays under its old name',
    { theirs: keyOfPath(from), ours: keyOfPath(to) },
  );
}

/** What programs have set of `source` while its copy was under way is the copy's. */
function takeAttributes(
  { attributes }: MountState,
  source: OpenFile,
  { to, copied, local, draft }: Arrival,
): void {
  const since = attributesSince(local, localOf(source, draft));
  if (since === null) return;
  copied.local = { ...copied.local, ...since };
  attributes.set(to, copied);
}

function takeVersion(source: OpenFile, copied: Version, stays: Draft | null): void {
  const { visibility } = source.wishes;
  source.take(copied);
  source.forgetUploads();
  source.shelf = null;
  if (stays === null) {
    source.dirty = false;
    source.wishes.basis = 'edit';
    source.wishes.contentType = null;
    return;
  }
  source.wishes.visibility = visibility;
  if (source.sealed !== null) return;
  // What is being written was made from what is stored now.
  if (source.isOverSealed) source.wishes.basis = 'edit';
  source.isOverSealed = false;
}
