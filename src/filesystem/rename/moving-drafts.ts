/**
 * How does a file that the service does not have take another name? For free: its draft goes along, and its upload replaces then what the
 * new name holds. The difficulty is what a close has promised there: it holds until the new file is whole.
 */
import { isPassing } from '../errno-of.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile, Sealed } from '../open-file.ts';
import type { Shelf } from '../shelf/shelf.ts';
import type { Uploading } from '../write/uploading.ts';
import type { Writing } from '../write/writing.ts';
import type { Sealing } from '../write-back/sealing.ts';

export interface MovingDraftsParts {
  readonly uploading: Uploading;
  readonly shelf: Shelf;
  readonly sealing: Sealing;
  readonly writing: Writing;
}

/** For callers who hold the claims of both paths. Rejects as `Moving`. */
export class MovingDrafts {
  readonly #mount: MountState;
  readonly #parts: MovingDraftsParts;

  constructor(mount: MountState, parts: MovingDraftsParts) {
    this.#mount = mount;
    this.#parts = parts;
  }

  /** `source`, of which the service has nothing, goes along when its folder is renamed. Returns as `Moving.move`. */
  carry(source: OpenFile, to: string): Promise<OpenFile | null> {
    return this.#move(source, null, { to, staysShelved: () => true });
  }

  /** Takes what is here of `source` to `to`, in place of `target`; its bytes go up later. Returns as `Moving.move`. */
  move(source: OpenFile, target: OpenFile | null, to: string): Promise<OpenFile | null> {
    return this.#move(source, target, {
      to,
      staysShelved: () => this.#parts.shelf.staysAs(source, target, to),
    });
  }

  async #move(source: OpenFile, target: OpenFile | null, place: Place): Promise<OpenFile | null> {
    const { shelf } = source;
    if (target !== null) await this.#parts.writing.keepForReaders(target);
    // Not in the middle of a close of the source, which would know nothing of the promise that is left to it, and leave it behind.
    const takePlace = (): Promise<Taken | null> => Promise.resolve(this.#takePlace(source, target, place));
    let taken = await source.gate.still(takePlace);
    while (taken === null) {
      // Somebody has it open, or closes it just now.
      if (target !== null) await target.gate.write(() => this.#parts.sealing.unsealed(target, Infinity));
      taken = await source.gate.still(takePlace);
    }
    // What fsync has promised of it the shelf's record keeps until the journal has it under its true name.
    if (source.shelf !== shelf && this.#mount.settings.writeBack) {
      try {
        await this.sendOrphan(source);
      } catch (error) {
        for (const file of [target, taken.lost]) if (file?.detached === true) await this.stays(file);
        throw error;
      }
    }
    // Not between a close's description of the draft and its record.
    await source.gate.still(() => this.#mount.kept.redescribe(source, target));
    await this.#parts.shelf.moved(source);
    return taken.lost;
  }

  /** The service has nothing of `source` under its name, by now: only the name changes here, for the next mount, too. Returns as `move`. */
  async moveHeld(source: OpenFile, to: string): Promise<OpenFile | null> {
    const lost = leaveName(this.#mount, source, to);
    moveInTable(this.#mount, source, to);
    if (!source.dirty) return lost;
    // What may still arrive of it does so under the old name.
    source.doubts.settle();
    source.failure = null;
    await source.gate.still(() => this.#mount.kept.redescribe(source));
    return lost;
  }

  /** The rename has ended by which `file` lost its name: nothing of it is stored any more. */
  async lost(file: OpenFile | null): Promise<void> {
    if (file === null) return;
    file.isEnding = false;
    await this.#mount.kept.detached(file);
    await this.#parts.uploading.dropUnused(file);
  }

  /**
   * The rename has failed by which `file` lost its name: what waits of it, and what its programs write, is stored after all. Not over what
   * has the name by now, which may be the only copy of what was renamed.
   */
  async stays(file: OpenFile): Promise<void> {
    file.isEnding = false;
    if (!file.dirty && file.handles.size === 0) return;
    file.detached = false;
    for (const wishes of file.allWishes) wishes.basis = 'edit';
    const { table } = this.#mount;
    // What its programs read is what the name leads to, as before.
    if (!file.dirty && table.get(file.path) === undefined) table.add(file);
    if (!file.dirty) return;
    table.show(file);
    await this.#mount.kept.wantedAgain(file);
    if (file.sealed !== null) this.#parts.uploading.enqueue(file);
  }

  /**
   * Stores a moved draft whose last handle is gone already (an upload that failed), since nobody else will. The name has changed by
   * then: rejects only when the bytes will never be stored under it.
   */
  async sendOrphan(source: OpenFile): Promise<void> {
    const { writeBack } = this.#mount.settings;
    // What a close of theirs would store: the rename itself promises it where that costs no upload.
    if ((writeBack ? source.hasWriters() : source.handles.size > 0) || !source.dirty) return;
    // Who was at it when the rename came goes on by itself, and the kernel lets nobody into the folder until this has ended.
    if (!writeBack && source.isStopped) return;
    try {
      await this.#parts.uploading.keepClaimed(source);
    } catch (error) {
      const { draft } = source;
      // What the local disk has cut is never sent, and its program, which has closed it, hears of nothing else.
      if (draft !== null && draft.poisoned !== null) await this.#parts.uploading.giveUpCut(source, draft);
      // Whoever has opened it meanwhile to write to it hears of it at the close.
      else if (isPassing(error) || source.hasWriters()) return;
      else if (source.handles.size === 0) await this.#parts.uploading.giveUp(source);
      throw error;
    }
  }

  /** Brings `source` to `to`, in place of `target`; null: programs may write to what that has promised and leaves behind. */
  #takePlace(source: OpenFile, target: OpenFile | null, { to, staysShelved }: Place): Taken | null {
    const leaves = target !== null && leavesPromise(source, target);
    if (leaves && (isHeld(target) || target.gate.isClosed)) return null;
    const promised = leaves ? takePromise(target) : null;
    if (target !== null) this.#mount.table.detach(target);
    if (!staysShelved()) source.shelf = null;
    const lost = leaveName(this.#mount, source, to);
    moveInTable(this.#mount, source, to);
    // What the new key holds is what the upload will replace, visibility included.
    source.version = target?.version ?? null;
    const isDown = target?.publishPending === true && target.version !== null ? [target.version] : [];
    source.doubts.versions = [...isDown, ...(target?.doubts.versions ?? [])];
    if (target !== null) {
      // Half a file does not outlive a crash, and the record of its link would be lost with the target.
      source.owedLinks = [...source.owedLinks, ...target.owedLinks];
      target.owedLinks = [];
    }
    source.isLeftBehind ||= target?.isLeftBehind === true;
    source.doubts.visibilityBefore =
      target?.publishPending === true ? 'public' : (target?.doubts.visibilityBefore ?? null);
    source.wishes.visibility ??= target?.wishes.visibility ?? null;
    for (const wishes of source.allWishes) {
      wishes.basis = 'rewrite';
      wishes.visibility ??= source.wishes.visibility;
    }
    source.sealed ??= promised;
    source.written = true;
    // What may be tried again is as whole as when that was tried.
    if (source.failure !== null && !isPassing(source.failure.error)) source.failure = null;
    if (promised !== null) this.#parts.uploading.enqueue(source);
    return { lost };
  }
}

/** Where a draft goes. */
interface Place {
  readonly to: string;
  /** Whether one that waits on the shelf does so there, too. */
  readonly staysShelved: () => boolean;
}

/** A draft has its new name. */
interface Taken {
  /** As `leaveName` gives it. */
  readonly lost: OpenFile | null;
}

/**
 * Whatever has the name `to` loses it to `source`: returns what that is. Programs have it open though others had deleted it, and what they
 * write is nobody else's from now on. Call in the same turn of the event loop as `moveInTable`.
 */
export function leaveName({ table }: MountState, source: OpenFile, to: string): OpenFile | null {
  const there = table.get(to);
  if (there === undefined || there === source) return null;
  table.detach(there);
  // Until the rename has ended (`lost`, `stays`).
  there.isEnding = true;
  return there;
}

/** `source` is at `to` from now on, for everybody here; but when it `yields`, and has no more than readers, not in place of what programs write there. */
export function moveInTable(
  { table, clock }: MountState,
  source: OpenFile,
  to: string,
  yields = false,
): void {
  table.remove(source);
  source.path = to;
  if (source.dirty) source.wishes.local = { ...source.wishes.local, ctime: clock.now() };
  const isWritten = source.dirty || source.hasWriters();
  // Programs may have written there since an earlier process stored the copy: that is what the name leads to.
  if (yields && !isWritten && table.isTaken(to, source)) source.detached = true;
  else if (source.handles.size > 0 || source.dirty) table.add(source);
}

/**
 * Whether what a close has promised of `target` holds until the close of `source`, which takes its place half written: as if its program
 * had emptied the target. Who has the target open goes on with a copy.
 */
function leavesPromise(source: OpenFile, target: OpenFile): boolean {
  return source.halfWritten !== null && source.sealed === null && target.sealed !== null;
}

/** Whether programs may write to the very bytes that `file` has promised. */
function isHeld({ handles, draft, sealed }: OpenFile): boolean {
  return handles.size > 0 && sealed?.draft === draft;
}

/** What `target` has promised, which is nothing of its own any more. */
function takePromise(target: OpenFile): Sealed | null {
  if (target.sealed === null) return null;
  const { draft } = target.sealed;
  const wishes = { ...target.sealed.wishes };
  target.sealed = null;
  if (target.draft === draft) {
    target.draft = null;
    target.dirty = false;
  }
  return { draft, over: null, wishes };
}
