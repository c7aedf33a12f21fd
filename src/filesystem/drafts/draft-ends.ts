/** What becomes of a draft that could not be stored, or that nobody needs any more? It stays, is set aside, or goes. */
import { describeError } from '../../base/errors.ts';
import type { Draft } from '../../content/draft.ts';
import { DraftDamaged } from './draft-damaged.ts';
import { isPassing, reasonOf } from '../errno-of.ts';
import type { MountState } from '../mount-state.ts';
import { OpenFile, type Sealed } from '../open-file.ts';
import type { Reading } from '../read/reading.ts';
import type { Version } from '../../store/version.ts';

/** For callers who hold the claim of the file's path. */
export class DraftEnds {
  readonly #mount: MountState;
  readonly #reading: Reading;
  /** Why newer bytes of a file were set aside after its program had closed it: told to who asks next. */
  readonly #refused = new WeakMap<Version, unknown>();

  constructor(mount: MountState, reading: Reading) {
    this.#mount = mount;
    this.#reading = reading;
  }

  /** An upload of `draft` has failed with `error`. */
  async failed(file: OpenFile, draft: Draft, error: unknown): Promise<void> {
    const repeated = file.hasTried(draft);
    file.failure = { error, draft, revision: draft.revision };
    if (file.endUnknown) this.#mount.namespace.known.changed(file.path, { kind: 'unknown' });
    const fields = { path: file.path, cause: reasonOf(error), bytes: draft.size };
    if (!file.dirty) this.#mount.log.error('a file was stored, but not made public again', fields);
    else if (repeated) this.#mount.log.warn('a file could again not be stored', fields);
    else this.#mount.log.error('a file could not be stored; its bytes are kept here', fields);
    if (file.dirty) await this.#mount.kept.uploads.failed(file, draft, error);
  }

  mayTryAgain(file: OpenFile, error: unknown): boolean {
    // Without a name nobody would find the bytes, or try again.
    return isPassing(error) && this.#mount.table.get(file.path) === file;
  }

  /** The draft that its file has now, or the one that a close has promised, is not sent any more; the name shows the service's file. */
  async setAside(file: OpenFile): Promise<void> {
    const { draft, sealed, failure } = file;
    const refused = sealed?.draft ?? draft;
    if (refused === null) return;
    const { aside } = this.#mount.kept;
    if (sealed !== null && draft !== null && refused !== draft && failure?.draft === draft)
      return aside.listedWhile(file, draft, () => this.#setNewestAside(file, draft, sealed));
    return aside.listedWhile(file, refused, () => this.#setRefusedAside(file, refused));
  }

  async #setRefusedAside(file: OpenFile, refused: Draft): Promise<void> {
    const { draft, sealed, failure } = file;
    // Nobody sends it, also where it cannot be set aside: who waits for its room would wait for ever.
    refused.setLeaving(false);
    // Taken out before anything is awaited: whoever opens the file meanwhile must not write into a draft that goes.
    file.sealed = null;
    if (refused === draft) {
      file.draft = null;
      file.dirty = false;
      file.isNew = file.version === null;
      file.loseWrites();
    }
    const isTold = sealed === null || this.#tellNext(file, failure?.error);
    if (await this.#laidAside(file, refused, failure?.error)) {
      if (!isTold) await this.#tellWhoLooks(file, failure?.error);
      return;
    }
    // The name leads to something else by now.
    if (refused !== draft || !this.#isUnused(file)) return this.#leaveAside(file, refused);
    file.draft = draft;
    file.sealed = sealed;
    file.dirty = true;
  }

  /** Why what a program had written to the stored `version` was set aside; undefined when nothing was. */
  refusalOf(version: Version): unknown {
    return this.#refused.get(version);
  }

  /** As `refusalOf`, and not again. */
  takeRefusal(version: Version): unknown {
    const refusal = this.#refused.get(version);
    this.#refused.delete(version);
    return refusal;
  }

  /** The service refused for good and no handle is open: the bytes are set aside, and the name shows the service's file. */
  async giveUp(file: OpenFile): Promise<void> {
    await this.setAside(file);
    await this.dropUnused(file);
  }

  /** Lets go of local bytes that nobody has open and that the service has. */
  async dropUnused(file: OpenFile): Promise<void> {
    if (file.handles.size > 0) return;
    if (!file.dirty || file.detached) await this.dropAll(file);
    // It waits: whoever opens it reads its draft, and what was downloaded of the stored version is in others' way.
    else this.#reading.letGo(file);
  }

  /** Lets go of what was written last; what a close has promised before is what the file holds then. */
  async dropNewest(file: OpenFile): Promise<void> {
    const { draft, sealed } = file;
    if (draft === null || sealed === null || sealed.draft === draft) return this.dropAll(file);
    this.#goBackTo(file, sealed);
    await this.#mount.kept.drop(draft);
  }

  /** The local disk has cut what was written last. What had waited in that very draft, after a fault, is nowhere else: it is set aside. */
  async dropCut(file: OpenFile): Promise<void> {
    const { draft } = file;
    const hasWaited =
      draft !== null &&
      draft !== file.sealed?.draft &&
      draft.size > 0 &&
      // A record tells nothing of the shelf before the end of the mount.
      (file.closedHere === draft || this.#mount.kept.recorded(file).includes(draft.id));
    if (hasWaited) await this.setCutAside(file, draft);
    else await this.dropNewest(file);
  }

  /** The local disk has cut `draft` of `file`, which a program has closed and which is nowhere else: it is set aside. */
  async setCutAside(file: OpenFile, draft: Draft): Promise<void> {
    await this.#mount.kept.aside.listedWhile(file, draft, () => this.#setCutAside(file, draft));
    await this.dropUnused(file);
  }

  async #setCutAside(file: OpenFile, draft: Draft): Promise<void> {
    const { sealed } = file;
    if (sealed === null) {
      file.loseWrites();
      file.draft = null;
      file.dirty = false;
      file.isNew = file.version === null;
    } else this.#goBackTo(file, sealed);
    const reason = 'the local disk did not take all that was written to it';
    await this.#mount.kept.aside.cut(file, draft, reason);
    this.#mount.log.error('a file that waited was cut by the local disk; its bytes are set aside', {
      path: file.path,
      where: draft.path,
    });
  }

  /** Lets go of what a close of `file` has promised; what a program has written since stays, and is not promised. */
  async dropPromised(file: OpenFile): Promise<void> {
    const { sealed } = file;
    file.sealed = null;
    if (sealed !== null) await this.#mount.kept.drop(sealed.draft);
  }

  /** Lets go of what `file` has here. */
  async dropAll(file: OpenFile): Promise<void> {
    const { draft, sealed } = file;
    if (file.dirty) file.loseWrites();
    file.draft = null;
    file.sealed = null;
    file.dirty = false;
    file.isNew = file.version === null;
    this.#reading.letGo(file);
    if (file.version !== null && !file.detached) file.publishPending ||= file.owedLinks.length > 0;
    if (!file.publishPending) this.#mount.table.remove(file);
    for (const each of new Set([draft, sealed?.draft])) if (each != null) await this.#mount.kept.drop(each);
  }

  /** Its newest bytes are the caller's to end. */
  #goBackTo(file: OpenFile, { draft, wishes }: Sealed): void {
    file.loseWrites();
    if (file.failure?.draft === file.draft) file.failure = null;
    file.draft = draft;
    file.wishes = wishes;
    file.seal(draft);
    file.isOverSealed = false;
  }

  /** The service refused what was written last for good: what a close has promised before is what the file holds then. */
  async #setNewestAside(file: OpenFile, draft: Draft, sealed: Sealed): Promise<void> {
    const { isOverSealed, failure, wishes } = file;
    // As a file of its own: whoever writes to the name meanwhile goes on from what was promised.
    const left = Object.assign(new OpenFile(file.path, file.version), { wishes, draft, dirty: true });
    this.#goBackTo(file, sealed);
    if (await this.#laidAside(left, draft, failure?.error)) return;
    if (file.draft !== sealed.draft || file.sealed?.draft !== sealed.draft)
      return this.#leaveAside(left, draft);
    Object.assign(file, { wishes, draft, isOverSealed, failure });
  }

  /**
   * Tells `refusal` to who asks next about what the name of `file` shows once its bytes are set aside: after a conflict that is not what they
   * were made from. False when nobody has looked at the name.
   */
  #tellNext({ path, version }: OpenFile, refusal: unknown): boolean {
    const known = this.#mount.namespace.known.recall(path);
    const shown = known?.kind === 'file' ? known.version : version;
    if (shown !== null) this.#refused.set(shown, refusal);
    return known !== undefined;
  }

  /** As `#tellNext`, of what an earlier mount left: whoever is the first to look is given a version that nobody has had before. */
  async #tellWhoLooks(file: OpenFile, refusal: unknown): Promise<void> {
    try {
      await this.#mount.namespace.lookup(file.path);
      this.#tellNext(file, refusal);
    } catch (error) {
      // The log and `pailfs uploads` say it all the same.
      this.#mount.log.debug('what a refused file shows is not known', {
        path: file.path,
        cause: reasonOf(error),
      });
    }
  }

  async #laidAside(file: OpenFile, draft: Draft, refusal: unknown): Promise<boolean> {
    const { aside } = this.#mount.kept;
    const reason = reasonOf(refusal);
    const fields = { path: file.path, where: draft.path, reason };
    try {
      if (refusal instanceof DraftDamaged) {
        await aside.cut(file, draft, reason);
        this.#mount.log.error('what an earlier mount left of a file is damaged; it is set aside', fields);
      } else {
        await aside.whole(file, draft, reason);
        this.#mount.log.error('the service refused a file for good; its bytes are set aside', fields);
      }
      return true;
    } catch (error) {
      this.#mount.log.error('a refused file could not be set aside; its bytes stay in their draft', {
        path: file.path,
        where: draft.path,
        cause: describeError(error),
      });
      return false;
    }
  }

  async #leaveAside(file: OpenFile, draft: Draft): Promise<void> {
    try {
      await this.#mount.kept.aside.unrecorded(file, draft, reasonOf(file.failure?.error));
    } catch (error) {
      this.#mount.log.error(
        'a refused file is not listed: the local disk fails; its bytes stay in their draft',
        {
          path: file.path,
          where: draft.path,
          cause: describeError(error),
        },
      );
    }
  }

  #isUnused(file: OpenFile): boolean {
    return file.handles.size === 0 && file.draft === null;
  }
}
