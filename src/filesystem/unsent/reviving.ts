/**
 * A person asks that a draft which waits, failed or was set aside be stored after all: under which name? Under its own, if that shows
 * nothing by now, or still what the draft was made from. What somebody has stored there since is never replaced unasked, nor is anything
 * by half a file: it gets a name beside, as an edit in conflict does.
 */
import type { Draft } from '../../content/draft.ts';
import type { FoundDraft } from '../../content/draft-folder.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { BaseReplaced, isTypeAlone, type Conflicts } from '../write/conflicts.ts';
import { contentTypeFor } from '../attributes/content-type.ts';
import { draftsOf } from '../drafts/draft-records.ts';
import { FsError } from '../errors.ts';
import { lookFirst } from '../left-behind/first-look.ts';
import { draftOnDisk } from '../left-behind/leftovers.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { RenameHolds } from '../rename/rename-holds.ts';
import { isWholeDraft } from './unsent-change.ts';
import type { Deletions } from '../write-back/deletions.ts';

export interface RevivingParts {
  readonly conflicts: Conflicts;
  readonly holds: RenameHolds;
  readonly deletions: Deletions;
}

/** Rejects with an `FsError`, a refusal, or the local disk's error: the draft is then as before. */
export class Reviving {
  readonly #mount: MountState;
  readonly #conflicts: Conflicts;
  readonly #holds: RenameHolds;
  readonly #deletions: Deletions;

  constructor(mount: MountState, { conflicts, holds, deletions }: RevivingParts) {
    this.#mount = mount;
    this.#conflicts = conflicts;
    this.#holds = holds;
    this.#deletions = deletions;
  }

  /** The file, at its path in the mount, still to be stored. */
  revive(record: DraftRecord, found: FoundDraft): Promise<OpenFile> {
    return this.#mount.resting.listedWhile(record, () => this.#revive(record, found));
  }

  async #revive(record: DraftRecord, found: FoundDraft): Promise<OpenFile> {
    const { content, kept, resting } = this.#mount;
    // At once: two who ask for the same must not both get it.
    resting.remove(record.id);
    try {
      const draft = await content.openDraft(record.id, found.size);
      // Promised: who writes to it before its turn gets a copy.
      const file = draftOnDisk(this.#mount, record, draft, true);
      try {
        file.wishes.local = await kept.adopt(record);
        await this.#place(file, isWholeDraft(record, found));
        return file;
      } catch (error) {
        kept.disown(record);
        await draft.close();
        throw error;
      }
    } catch (error) {
      resting.add(record.id, { kind: 'draft', record });
      throw error;
    }
  }

  /**
   * `file` waits at its path for its upload. Where that shows what somebody else has stored since, it gets a name beside. Returns the file
   * that is to be stored: another, where a program is writing `file` anew from empty.
   */
  async giveWay(file: OpenFile): Promise<OpenFile> {
    const { claims } = this.#mount;
    for (;;) {
      const { path } = file;
      const draft = await claims.run([path], () => this.#overTheirs(file, path));
      // Of what a program has begun to write into it meanwhile, perhaps anew from empty, its close decides.
      const counts = (): boolean => draft !== null && closedOf(file) === draft && countAsEdit(file, draft);
      const promised = draft === null ? null : await this.#conflicts.moveAside(file, path, counts);
      if (promised !== null) return promised;
      // Others may have stored the new name of a rename that came first, too.
      if (file.path === path || file.detached) return file;
    }
  }

  /** What is to be stored of `file`, if it would replace somebody else's there; else null. */
  async #overTheirs(file: OpenFile, path: string): Promise<Draft | null> {
    const draft = closedOf(file);
    if (file.path !== path || file.detached || !file.dirty || draft === null) return null;
    if ([...draftsOf(file)].some((each) => this.#holds.has(each))) return null;
    const isEdit = file.wishesOf(draft).basis === 'edit';
    // Its upload looks by itself.
    if (isEdit && this.#mount.settings.conflict === 'keep-both') return null;
    // What is there may be what a program has deleted before it made this.
    await this.#deletions.finishClaimed(path);
    if (file.isLeftBehind) {
      const found = await lookFirst(this.#mount, file, draft);
      // Whoever stores it has more to look at.
      file.isLeftBehind = true;
      if (found !== null) return null;
    }
    const ours = file.possibleVersions;
    const there = await this.#mount.namespace.confirmFile(path, ours);
    if (there?.kind !== 'file' || ours.some((one) => one.isSame(there.version))) return null;
    if (isEdit && (await isTypeAlone(file, draft)))
      throw new BaseReplaced(path, { draft, revision: draft.revision }, false);
    return draft;
  }

  async #place(file: OpenFile, isWhole: boolean): Promise<void> {
    const { claims, table } = this.#mount;
    const { path } = file;
    // As an edit: what others store there later, while its upload is tried again and again, is not replaced either.
    file.wishes.basis = 'edit';
    const isPlaced = await claims.run([path], async () => {
      if (!(await this.#mayReturn(file, isWhole))) return false;
      table.add(file);
      return true;
    });
    if (!isPlaced) await this.#conflicts.moveAside(file, path);
  }

  async #mayReturn(file: OpenFile, isWhole: boolean): Promise<boolean> {
    const { namespace, table } = this.#mount;
    const { path } = file;
    const open = table.get(path);
    if (open !== undefined && (open.dirty || open.hasWriters())) return false;
    const { kind } = await namespace.lookup(path);
    if (kind === 'under-file') throw new FsError('ENOTDIR', path, 'a component of the path is a file');
    if (kind === 'folder') return false;
    const ours = file.possibleVersions;
    const there = await namespace.confirmFile(path, ours);
    if (there?.kind !== 'file') return true;
    return isWhole && ours.some((one) => one.isSame(there.version));
  }
}

/** What programs have closed of `file`; null: they are writing it still, and its next close says what becomes of it. */
function closedOf(file: OpenFile): Draft | null {
  if (file.isBeingWritten) return file.sealed?.draft ?? null;
  return file.hasWriters() ? null : file.draft;
}

/** With what a program is making of it in place. Their types are those that they would have had. Returns true. */
function countAsEdit(file: OpenFile, draft: Draft): true {
  const asEdit = (of: Draft) =>
    ({ basis: 'edit', contentType: contentTypeFor(file, file.wishesOf(of)) }) as const;
  const [promised, newest] = [asEdit(draft), asEdit(file.draft ?? draft)];
  if (draft === file.draft || file.isOverSealed) Object.assign(file.wishes, newest);
  if (file.sealed !== null) Object.assign(file.sealed.wishes, promised);
  return true;
}
