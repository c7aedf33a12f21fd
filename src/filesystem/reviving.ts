/**
 * A person asks that a draft which waits, failed or was set aside be stored after all: under which name? Under its own, if that shows
 * nothing by now, or still what the draft was made from. What somebody has stored there since is never replaced unasked, nor is anything
 * by half a file: it gets a name beside, as an edit in conflict does.
 */
import type { FoundDraft } from '../content/draft-folder.ts';
import type { DraftRecord } from '../content/journal/records.ts';
import type { Conflicts } from './conflicts.ts';
import { draftsOf } from './draft-records.ts';
import { FsError } from './errors.ts';
import { lookAhead, versionsOf } from './first-look.ts';
import { draftOnDisk } from './leftovers.ts';
import type { MountState } from './mount-state.ts';
import type { OpenFile } from './open-file.ts';
import type { RenameHolds } from './rename-holds.ts';
import { isWholeDraft } from './unsent-change.ts';

export interface RevivingParts {
  readonly conflicts: Conflicts;
  readonly holds: RenameHolds;
}

/** Rejects with an `FsError`, a refusal, or the local disk's error: the draft is then as before. */
export class Reviving {
  readonly #mount: MountState;
  readonly #conflicts: Conflicts;
  readonly #holds: RenameHolds;

  constructor(mount: MountState, { conflicts, holds }: RevivingParts) {
    this.#mount = mount;
    this.#conflicts = conflicts;
    this.#holds = holds;
  }

  /** The file, at its path in the mount, still to be stored. */
  async revive(record: DraftRecord, found: FoundDraft): Promise<OpenFile> {
    const { content, kept, resting } = this.#mount;
    // At once: two who ask for the same must not both get it.
    resting.remove(record.id);
    try {
      const draft = await content.openDraft(record.id, found.size);
      const file = draftOnDisk(this.#mount, record, draft, false);
      try {
        file.local = await kept.adopt(record);
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
    const { path } = file;
    const isTheirs = await claims.run([path], () => this.#isReplaced(file, path));
    return (isTheirs ? await this.#conflicts.moveAside(file, path) : null) ?? file;
  }

  async #isReplaced(file: OpenFile, path: string): Promise<boolean> {
    const drafts = [...draftsOf(file)];
    const isHeld = drafts.some((draft) => this.#holds.has(draft));
    if (file.path !== path || file.detached || !file.dirty || isHeld) return false;
    // As an edit, also when it is tried again later; what a program is writing anew is meant to replace whatever is there by then.
    if (!file.isHalf) file.basis = 'edit';
    if (file.sealed?.wishes != null) file.sealed.wishes = { ...file.sealed.wishes, basis: 'edit' };
    await lookAhead(this.#mount, file);
    if (file.isLeftBehind || (file.isHalf && file.sealed === null)) return false;
    const ours = versionsOf(file);
    const there = await this.#mount.namespace.confirmFile(path, ours);
    return there?.kind === 'file' && !ours.some((one) => one.isSame(there.version));
  }

  async #place(file: OpenFile, isWhole: boolean): Promise<void> {
    const { claims, table } = this.#mount;
    const { path } = file;
    // As an edit: what others store there later, while its upload is tried again and again, is not replaced either.
    file.basis = 'edit';
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
    const ours = versionsOf(file);
    const there = await namespace.confirmFile(path, ours);
    if (there?.kind !== 'file') return true;
    return isWhole && ours.some((one) => one.isSame(there.version));
  }
}
