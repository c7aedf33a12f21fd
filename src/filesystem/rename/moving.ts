/**
 * How is a file renamed on a service that cannot? Stored under the new key, looked at, then deleted under the old one: at no
 * moment is there less than one whole copy. Before the DELETE the old key must still hold the version that was copied.
 */
import type { Draft } from '../../content/draft.ts';
import type { Visibility } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { keyOfPath } from '../../store/keys.ts';
import type { LocalAttributes, Version } from '../../store/version.ts';
import { arrive, localOf, tellOfTheirs } from './arriving.ts';
import { contentTypeAt, CopyReplaced, type CopyAnnouncement, type Copying } from './copying.ts';
import { visibilityAfter, visibilityOf } from '../attributes/carried-visibility.ts';
import { lookAtReplaced } from '../left-behind/first-look.ts';
import { removeLeftCopy } from './left-copy.ts';
import type { MountState } from '../mount-state.ts';
import { leaveName, MovingDrafts, type MovingDraftsParts } from './moving-drafts.ts';
import type { OpenFile } from '../open-file.ts';
import type { Whole } from './rename-sources.ts';
import type { Deletions } from '../write-back/deletions.ts';

/** A version that we stored less than this ago, and of which nobody has told us since, is deleted without another look, milliseconds. */
const JUST_STORED = 1000;
const NEVER = Number.NEGATIVE_INFINITY;

export interface MovingParts extends MovingDraftsParts {
  readonly copying: Copying;
  readonly deletions: Deletions;
}

/** Where a file goes. */
export interface Destination {
  readonly to: string;
  /** The file that is to be replaced, if any. */
  readonly target: OpenFile | null;
  readonly announce: CopyAnnouncement;
}

/** An earlier process has stored `copied`, of the bytes of `draft`, or of the stored ones, under the name `to`. */
export interface StoredCopy {
  readonly to: string;
  readonly copied: Version;
  readonly draft: Draft | null;
  /** Whether the draft still holds those bytes, asked while nobody writes; when absent: nobody can have changed it. */
  readonly isCopied?: () => Promise<boolean>;
}

/** A copy is stored under the new name, which leads to nothing else here. */
interface Placed extends Pick<Destination, 'to' | 'target'> {
  readonly copied: Version;
  /** What has lost the name besides the target. */
  readonly lost: OpenFile | null;
  /** When we stored what was copied, if nothing was told of it since (monotonic milliseconds); else `NEVER`. */
  readonly storedAt: number;
}

/**
 * Moves single files, for callers who hold the claims of both paths. Rejects with an `FsError`, with a refusal, or with the local
 * disk's error; one whole copy is left then.
 */
export class Moving {
  /** What the service has not. */
  readonly drafts: MovingDrafts;
  readonly #mount: MountState;
  readonly #parts: MovingParts;

  constructor(mount: MountState, parts: MovingParts) {
    this.#mount = mount;
    this.#parts = parts;
    this.drafts = new MovingDrafts(mount, parts);
  }

  /**
   * Moves `source`; that of a file which the service does not have is free, and its bytes go up later (`drafts`). But what has
   * waited on the shelf for its true name goes up here. Returns what has lost the name besides the target, for the caller to end
   * (`MovingDrafts.lost`).
   */
  async move(source: OpenFile, destination: Destination): Promise<OpenFile | null> {
    const { to, target } = destination;
    await removeLeftCopy(this.#mount, this.#parts.deletions, source);
    const isFree = source.isUnsent && !this.#isOwed(source, destination);
    if (isFree) return this.drafts.move(source, target, to);
    // A listing may show the copy before we hear that it is stored: who opens that to write means the renamed file.
    const endWait =
      target === null && !this.#mount.table.isArriving(to) ? this.#mount.table.awaiting(to) : null;
    try {
      return await this.#moveStored(source, destination);
    } finally {
      endWait?.();
    }
  }

  /**
   * A copy of `source` was stored under its new name by an earlier process: looks at both, and deletes under the old name. Nothing
   * happens, and it returns false, when the draft was not copied, or when programs have put other files under the old name, or under
   * both, since.
   */
  finish(source: OpenFile, { to, copied, draft, isCopied }: StoredCopy): Promise<boolean> {
    return source.gate.still(async () => {
      if (isCopied !== undefined && !(await isCopied())) return false;
      const { namespace, table } = this.#mount;
      // What a program has written since this mount began.
      const stays = source.dirty && source.draft !== draft ? source.draft : null;
      const isAnother = draft === null && source.wishes.basis === 'rewrite';
      const isTaken = table.isTaken(to, source);
      // What its programs write, or are about to, would have no name.
      if (isTaken && (stays !== null || source.hasWriters())) return false;
      if (stays !== null && isAnother) return false;
      // What others of our programs will store there ends the version that its readers have.
      if (isTaken) await this.#parts.writing.keepForReaders(source);
      const local = localOf(source, draft);
      copied.local = withLater(local, copied.local);
      namespace.known.changed(to, { kind: 'file', version: copied });
      table.arrive(to, copied, source);
      try {
        await this.#parts.copying.confirm(to, copied);
        const isGone =
          source.isUnsent ||
          (await this.#parts.copying.sources.deleteOld(source, draft, 'by a process that is gone'));
        await arrive(this.#mount, this.#parts.shelf, source, {
          to,
          copied,
          local,
          isGone,
          draft,
          stays,
          yields: true,
        });
        return true;
      } finally {
        table.arrived(to);
      }
    });
  }

  /** Whether its program has closed the source, and was told nothing of the service's errors. */
  #isOwed(source: OpenFile, { to, target }: Destination): boolean {
    if (this.#mount.settings.writeBack) return false;
    return source.shelf !== null && !source.hasWriters() && !this.#parts.shelf.staysAs(source, target, to);
  }

  async #moveStored(source: OpenFile, destination: Destination): Promise<OpenFile | null> {
    const { target, to } = destination;
    // It would delete what is about to be stored there; and how visible is a file that is as good as deleted says nothing of this one.
    for (const path of [source.path, to]) await this.#parts.deletions.finishClaimed(path);
    if (target !== null) await lookAtReplaced(this.#mount, target);
    const wish = await visibilityAfter(this.#mount, source, target);
    // The link that it has to have back when the copy cannot be made public (copying.ts): afterwards nobody can tell.
    if (wish === 'public' && target?.dirty === true && this.#mount.settings.visibility === 'preserve')
      await visibilityOf(this.#mount, target);
    if (target !== null) await this.#parts.writing.keepForReaders(target);
    // Writers wait: what they wrote between the copy and the DELETE would be in neither.
    const moved = await source.gate.still(async () => {
      const whole = await this.#parts.copying.sources.wholeOf(source);
      return whole === null ? null : { lost: await this.#moveWhole(source, whole, destination, wish) };
    });
    if (moved !== null) return moved.lost;
    // Else the target's would be that of bytes which may be nobody else's business.
    if (target !== null) source.wishes.visibility ??= wish;
    return this.#moveHalf(source, destination);
  }

  /** Others have replaced or deleted what the service had of `source`: left is what a program is writing. */
  async #moveHalf(source: OpenFile, { to, target }: Destination): Promise<OpenFile | null> {
    const from = source.path;
    const { wishes, version } = source;
    if (wishes.basis === 'edit') wishes.contentType ??= contentTypeAt(from, to, version?.contentType);
    const lost = await this.drafts.move(source, target, to);
    if (this.#mount.namespace.known.recall(from)?.kind === 'file') tellOfTheirs(this.#mount, from, to);
    return lost;
  }

  /** Another file is stored in the place of `target`. */
  #leaveTarget(target: OpenFile): void {
    this.#mount.table.detach(target);
    const { version, handles } = target;
    if (version !== null && handles.size === 0) this.#mount.content.forget(version);
  }

  async #moveWhole(
    source: OpenFile,
    whole: Whole,
    destination: Destination,
    wish: Visibility,
  ): Promise<OpenFile | null> {
    const { to, target, announce } = destination;
    const { copying } = this.#parts;
    const storedAt = this.#storedAt(source);
    const { version } = source;
    let lost: OpenFile | null = null;
    let copied: Version | null = null;
    try {
      copied = await copying.copy(source, whole, to, { visibility: wish, target, announce });
      if (target !== null) this.#leaveTarget(target);
      lost = leaveName(this.#mount, source, to);
      await this.#deleteAndArrive(source, whole, { to, target, copied, lost, storedAt });
      // Its handles go on with the copy.
      if (version !== null && source.version !== version) this.#mount.content.forget(version);
      return lost;
    } catch (error) {
      // The source is where it was, and no DELETE of before may still come.
      const isKept = isRefusal(error) && !this.#mount.store.late.mayBeDeleted(keyOfPath(source.path));
      if (target?.dirty === true && isKept) target.leftCopy = copied;
      for (const file of [target, lost]) if (file?.detached === true) await this.drafts.stays(file);
      throw error;
    }
  }

  async #deleteAndArrive(source: OpenFile, whole: Whole, placed: Placed): Promise<void> {
    const { namespace, table } = this.#mount;
    const { to, target, copied, lost } = placed;
    const local = localOf(source, whole.draft);
    copied.local = local;
    namespace.known.changed(to, { kind: 'file', version: copied });
    copied.madeHereAt = source.madeHereAt(this.#mount.clock.monotonic());
    table.arrive(to, copied, source);
    try {
      // Before the only copy may be the one there: a kill must not bring back over it what it has replaced.
      for (const file of [target, lost]) if (file !== null) await this.#mount.kept.retireAll(file);
      const isGone = source.isUnsent || (await this.#deleteOld(source, whole.draft, placed));
      await arrive(this.#mount, this.#parts.shelf, source, {
        to,
        copied,
        local,
        isGone,
        ...whole,
        yields: false,
      });
    } finally {
      table.arrived(to);
    }
  }

  /** Also of a rename that fails there is one whole copy left; under `to`, when nothing was there, there is none then. */
  async #deleteOld(
    source: OpenFile,
    draft: Draft | null,
    { to, target, copied, storedAt }: Placed,
  ): Promise<boolean> {
    const { copying } = this.#parts;
    // As of now: others have had as long as the copy took, too.
    const justStored = this.#mount.clock.monotonic() - storedAt < JUST_STORED;
    try {
      if (!justStored) await copying.confirm(to, copied);
      return await copying.sources.deleteOld(source, draft, justStored ? 'just stored' : 'now');
    } catch (error) {
      if (target === null && !(error instanceof CopyReplaced)) await copying.undo(to, copied, error);
      throw error;
    }
  }

  /**
   * When the service took the source's version from us: for a moment nobody need look at it again. Where a listing or a look has shown it since,
   * that is as old as of any other file, and when it was stored is not known any more.
   */
  #storedAt(source: OpenFile): number {
    const entry = this.#mount.namespace.known.recall(source.path);
    if (source.dirty || entry?.kind !== 'file' || entry.version !== source.version) return NEVER;
    const isToldByUpload = entry.version.own !== null && entry.version.etag === null;
    return isToldByUpload ? entry.confirmedAt : NEVER;
  }
}

/** `local`, with what programs have set of the copy since: an earlier process had given it that. */
function withLater(local: LocalAttributes, ofCopy: LocalAttributes): LocalAttributes {
  return (ofCopy.ctime ?? 0) > (local.ctime ?? 0) ? { ...local, ...ofCopy } : local;
}
