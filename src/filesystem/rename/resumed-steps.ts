/**
 * What is left to do of a rename that the end of a process cut in two? What is owed is read in the journal, what was done is seen on the
 * service. A file is deleted under its old name only while that still shows the version that was meant and the new name shows the copy;
 * else both stay, and the log says so.
 */
import { atOnce } from '../../base/at-once.ts';
import type { RenameStepRecord } from '../../content/journal/records.ts';
import { versionOf } from '../../content/version-facts.ts';
import { keyOfPath, pathAfterRename, pathOfKey } from '../../store/keys.ts';
import { publish } from '../../store/replace.ts';
import type { Version } from '../../store/version.ts';
import type { CopyAnnouncement } from './copying.ts';
import { carry, FILES_AT_ONCE, heldAlone, removeFolders, type FolderMoveParts } from './folder-steps.ts';
import { treeNow } from './folder-tree.ts';
import type { MountState } from '../mount-state.ts';
import type { StoredCopy } from './moving.ts';
import type { OpenFile } from '../open-file.ts';
import type { FolderRecord } from './rename-journal.ts';
import { copyAt, draftIn } from './rename-steps.ts';
import type { Deletions } from '../write-back/deletions.ts';
import { ReplacedDrafts, type Without } from './replaced-drafts.ts';

const TAKEN = 'a program has a file under the new name';

/** The mount ends: what is left is for the next one. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** What the journal is told of one step. */
interface StepRecording {
  readonly announce: CopyAnnouncement;
  readonly without: Without;
}

export interface ResumedParts extends FolderMoveParts {
  readonly deletions: Deletions;
}

/** Whether a program has put it there since this mount began, in place of what was to be moved. */
function isAnother(source: OpenFile): boolean {
  return source.dirty && (source.isNew || (source.wishes.basis === 'rewrite' && !source.isLeftBehind));
}

/** For callers who hold the claims of both paths. */
export class ResumedSteps {
  readonly #mount: MountState;
  readonly #parts: ResumedParts;
  readonly #replaced: ReplacedDrafts;
  #stopped = false;

  constructor(mount: MountState, parts: ResumedParts) {
    this.#mount = mount;
    this.#parts = parts;
    this.#replaced = new ReplacedDrafts(mount, parts.uploading);
  }

  /** No step begins any more: `take` rejects with `Stopped`. */
  stop(): void {
    this.#stopped = true;
  }

  /** Rejects with an `FsError`, with a refusal, or with the local disk's error: what is left is to be taken again. */
  async take(record: FolderRecord): Promise<void> {
    const { rename } = record;
    const [from, to] = [pathOfKey(rename.from), pathOfKey(rename.to)];
    if (rename.kind === 'folder') await this.#makeFolders(from, to);
    await atOnce([...record.steps.entries()], FILES_AT_ONCE, ([index, step]) =>
      this.#step(step, rename.kind, {
        announce: record.announcement(index),
        without: (draft) => record.without(index, draft),
      }),
    );
    if (rename.kind === 'folder') await this.#endFolder(from, to);
  }

  async #makeFolders(from: string, to: string): Promise<void> {
    const { namespace } = this.#mount;
    if ((await namespace.lookup(from)).kind !== 'folder') return;
    const { folders } = await treeNow(this.#mount, from);
    for (const path of folders) {
      this.#refuseIfStopped();
      const there = pathAfterRename(path, from, to);
      if ((await namespace.lookup(there)).kind === 'missing') await this.#parts.folders.create(there);
    }
  }

  async #step(
    step: RenameStepRecord,
    kind: 'file' | 'folder',
    { announce, without }: StepRecording,
  ): Promise<void> {
    this.#refuseIfStopped();
    const { namespace, table } = this.#mount;
    const [from, to] = [pathOfKey(step.from), pathOfKey(step.to)];
    const there = table.dirty(to);
    // Still an edit of what was replaced, it is stored beside the copy.
    const isBeside = there?.wishes.basis === 'edit' && this.#replaced.has(there);
    if (there !== undefined && draftIn(there, step) === undefined && !isBeside) {
      // It would be stored over the copy, the only one when that under the old name is gone.
      this.#dropped(step, TAKEN);
      return;
    }
    if (step.source === null) {
      await this.#fromShelf(step, without);
      return;
    }
    if (await this.#finishWaiting(step, without)) return;
    // Deleted under its old name since this mount began, which the service does not know yet: what is there now was never renamed.
    if (this.#parts.deletions.has(from)) return;
    const meant = versionOf(step.source);
    const old = await namespace.confirmFile(from, [meant]);
    // Gone: by our DELETE, or by somebody else's.
    if (old?.kind !== 'file') return;
    if (!meant.isSame(old.version)) {
      this.#dropped(step, 'somebody else has replaced the file under its old name');
      return;
    }
    const copy = await copyAt(this.#mount, step);
    if (copy === 'foreign') this.#dropped(step, 'somebody else has a file under the new name');
    // A program whose rename of a file was cut before the copy was stored has seen nothing of it.
    if (copy === 'foreign' || (copy === null && kind === 'file')) return;
    const source = table.dirty(from) ?? table.entered(from, old.version);
    if (copy !== null && isAnother(source)) {
      this.#dropped(step, 'a program has put another file there since');
      return;
    }
    try {
      // Newer bytes wait here than those that were copied.
      if (copy === null || source.dirty) {
        await this.#move(source, copy, { step, announce });
      } else {
        await this.#publish(step, copy);
        await this.#finish(source, step, { to, copied: copy, draft: null });
      }
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
  }

  async #move(
    source: OpenFile,
    copy: Version | null,
    { step, announce }: { readonly step: RenameStepRecord; readonly announce: CopyAnnouncement },
  ): Promise<void> {
    const { table } = this.#mount;
    const to = pathOfKey(step.to);
    // Since the step began.
    if (table.isTaken(to, source)) {
      this.#dropped(step, TAKEN);
      return;
    }
    const { moving } = this.#parts;
    const target = copy === null ? null : table.entered(to, copy);
    await this.#alone(step, async () => {
      await moving.drafts.lost(await moving.move(source, { to, target, announce }));
    });
  }

  async #publish({ to, visibility }: RenameStepRecord, copy: Version): Promise<void> {
    if (visibility === 'public') await publish(this.#mount.store, to, copy);
  }

  /** As `Moving.finish`, and the log says so when nothing happens. */
  async #finish(source: OpenFile, step: RenameStepRecord, copy: StoredCopy): Promise<void> {
    const isMoved = await this.#alone(step, () => this.#parts.moving.finish(source, copy));
    if (!isMoved) this.#dropped(step, 'programs have written to both since, or anew what was to be moved');
  }

  /** Who opens one of the files to write waits meanwhile: the bytes would be lost to what arrives, or go where nobody has put them. */
  async #alone<Result>(step: RenameStepRecord, change: () => Promise<Result>): Promise<Result> {
    const { table } = this.#mount;
    const ends = [step.from, step.to].map((key) => table.awaiting(pathOfKey(key)));
    try {
      return await change();
    } finally {
      for (const end of ends) end();
    }
  }

  /**
   * Once the copy is stored, drafts mean nothing that wait here under one of the names since before: their bytes are in the copy, or
   * are what it has replaced. Returns whether the rename is finished with that.
   */
  async #finishWaiting(step: RenameStepRecord, without: Without): Promise<boolean> {
    const [from, to] = [pathOfKey(step.from), pathOfKey(step.to)];
    const [source, replaced] = [this.#waiting(from, step), this.#waiting(to, step)];
    if (source === undefined && replaced === undefined) return false;
    // As it was copied: whoever writes from now on does so to another.
    const draft = source === undefined ? null : (draftIn(source, step) ?? null);
    const copy = await copyAt(this.#mount, step);
    if (copy === null || copy === 'foreign') return false;
    if (replaced !== undefined && !(await this.#endReplaced(replaced, step, without))) return true;
    if (source === undefined) return false;
    try {
      await this.#publish(step, copy);
      await this.#finish(source, step, { to, copied: copy, draft });
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
    return true;
  }

  #waiting(path: string, step: RenameStepRecord): OpenFile | undefined {
    const file = this.#mount.table.dirty(path);
    return file !== undefined && draftIn(file, step) !== undefined ? file : undefined;
  }

  /** As `ReplacedDrafts.end`, and the log says so when nothing happens. */
  async #endReplaced(file: OpenFile, step: RenameStepRecord, without: Without): Promise<boolean> {
    const isEnded = await this.#replaced.end(file, step, without);
    if (!isEnded) this.#dropped(step, TAKEN);
    return isEnded;
  }

  /** The shelf may have it no more: nobody asked for it to outlive the process. Its copy may have taken a link away all the same. */
  async #fromShelf(step: RenameStepRecord, without: Without): Promise<void> {
    const [from, to] = [pathOfKey(step.from), pathOfKey(step.to)];
    const replaced = this.#waiting(to, step);
    const copy = await copyAt(this.#mount, step);
    if (copy === null || copy === 'foreign') return;
    // Else it would be stored over the copy, the only one from now on.
    if (replaced !== undefined && !(await this.#endReplaced(replaced, step, without))) return;
    await this.#publish(step, copy);
    const source = this.#mount.table.dirty(from);
    const draft = source?.draft ?? null;
    if (source?.isUnsent !== true || draft === null) return;
    // A program may have written to it, or made another of that name, since this mount began: that is nowhere else.
    const isCopied = async (): Promise<boolean> => (await draft.md5()) === step.copy?.md5;
    try {
      await this.#finish(source, step, { to, copied: copy, draft, isCopied });
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
  }

  async #endFolder(from: string, to: string): Promise<void> {
    const { namespace } = this.#mount;
    for (const file of heldAlone(this.#mount, from))
      await this.#carry(file, pathAfterRename(file.path, from, to));
    if ((await namespace.lookup(from)).kind !== 'folder') {
      // It has gone from the service with its last file, which leaves it in sight here unless it is removed.
      namespace.known.kept.dropWithin(from);
      return;
    }
    const { folders } = await treeNow(this.#mount, from);
    for (const path of folders) this.#parts.folderTimes.copy(path, pathAfterRename(path, from, to));
    await removeFolders(this.#mount, this.#parts.folders, folders, []);
  }

  /** Programs, and others, may have put something there since this mount began. */
  async #carry(file: OpenFile, to: string): Promise<void> {
    const { table, namespace } = this.#mount;
    if (table.dirty(to) === undefined && (await namespace.lookup(to)).kind === 'missing')
      await this.#parts.moving.drafts.lost(await carry(this.#parts.moving, file, to));
    else this.#dropped({ from: keyOfPath(file.path), to: keyOfPath(to) }, 'something else has the new name');
  }

  #dropped({ from, to }: Pick<RenameStepRecord, 'from' | 'to'>, reason: string): void {
    const fields = { from, to, reason };
    this.#mount.log.warn('a file of a rename that a crash had cut stays under its old name', fields);
  }

  #refuseIfStopped(): void {
    if (this.#stopped) throw new Stopped('the mount ends');
  }
}
