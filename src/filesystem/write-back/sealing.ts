/**
 * With `--write-back` a close promises bytes that are only here. How do they outlive this process, and whoever writes to the file
 * next? On the disk, with a record, before the close returns; and nobody changes them any more: a program that writes gets a copy.
 */
import type { Draft } from '../../content/draft.ts';
import { refuseDamaged } from '../drafts/draft-damaged.ts';
import { cutBy } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import { draftFactsOf } from '../drafts/draft-records.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile, Sealed } from '../open-file.ts';

/** Bytes copied at once. */
const PIECE = 512 * 1024;

export class Sealing {
  readonly #mount: MountState;

  constructor(mount: MountState) {
    this.#mount = mount;
  }

  /**
   * Promises the bytes that `file` has now, in place of those promised before. Returns whether there was anything new. Rejects
   * with the disk's error, also when it has cut them before: nothing is promised then; nor when they are not `isMeant` any more once
   * nobody writes.
   */
  async seal(file: OpenFile, isMeant: () => boolean = () => true): Promise<boolean> {
    // Nobody writes meanwhile. Uploads are of sealed bytes, and need no gate.
    return file.gate.still(async () => {
      if (!isMeant()) return false;
      const { draft, sealed: before } = file;
      if (draft === null || !file.dirty || file.detached || before?.draft === draft) return false;
      if (draft.poisoned !== null) throw cutBy(draft.poisoned, file.path);
      const { kept } = this.#mount;
      await kept.seal(file, draft, before?.draft ?? null);
      const isStored = before !== null && file.sealed !== before;
      const isOver = before !== null && !isStored && file.isOverSealed && file.isAddedTo(before.draft.size);
      const over = isOver ? (file.goingUp === before.draft ? before.draft : before.over) : null;
      file.seal(draft, over);
      draft.setLeaving(!file.detached);
      file.isOverSealed = false;
      file.failure = null;
      // One that is going up is let go of by its upload.
      if (before !== null && !isStored && file.goingUp !== before.draft) await kept.drop(before.draft);
      return true;
    });
  }

  /**
   * A draft of `file` into which a program may write: the first `keep` bytes of the one that is promised, which stays as it is.
   * For callers inside the file's gate. Rejects with the disk's error.
   */
  async unsealed(file: OpenFile, keep: number): Promise<Draft | null> {
    while (file.draft !== null && file.sealed?.draft === file.draft) {
      // Of several writers who come together one makes it for all.
      file.drafting ??= this.#goOver(file, file.sealed, keep).finally(() => {
        file.drafting = null;
      });
      await file.drafting;
    }
    return file.draft;
  }

  async #goOver(file: OpenFile, promised: Sealed, keep: number): Promise<Draft> {
    // Nobody could tell the copy's bytes from what a program has written.
    if (keep > 0) await refuseDamaged(this.#mount, file, promised.draft);
    const copy = await this.#copy(file, promised.draft, keep);
    if (file.sealed !== promised || file.draft !== promised.draft) {
      // Its upload has ended meanwhile: what is stored needs no copy.
      await copy.remove();
      return promised.draft;
    }
    file.isOverSealed = keep > 0;
    file.writeOver(copy);
    // Whoever has taken its name meanwhile knows only of what it had before.
    if (file.detached) await this.#mount.kept.hide(copy, file.path);
    return copy;
  }

  async #copy(file: OpenFile, from: Draft, keep: number): Promise<Draft> {
    const facts = draftFactsOf(file, { createdAt: this.#mount.clock.now(), sealed: null });
    const copy = await this.#mount.content.createDraft(facts);
    try {
      const end = Math.min(keep, from.size);
      await copy.reserve(Math.min(end, from.spent));
      for (let position = 0; position < end;) {
        const piece = Buffer.alloc(Math.min(PIECE, end - position));
        const count = await from.read(piece, position);
        if (count === 0)
          throw new FsError('EIO', file.path, 'its draft is shorter than what was written to it');
        // A hole stays one: a disk image may be a thousand times what it takes.
        const bytes = piece.subarray(0, count);
        if (!isHole(bytes)) await copy.write(bytes, position);
        position += count;
      }
      if (copy.size < end) await copy.truncate(end);
      return copy;
    } catch (error) {
      await copy.remove();
      throw error;
    }
  }
}

function isHole(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}
