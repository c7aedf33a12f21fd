/**
 * When do a draft's bytes go to the service, and when are they let go of?
 *
 * They go at flush and fsync, whose errors reach the program, and as a last chance at release, whose error only the log sees; with
 * `--write-back` flush only promises them, and they go in the background (write-back/promised-uploads.ts). Not at once goes an object
 * emptied by O_TRUNC whose new bytes are still to come (`echo x > f` flushes once before it writes), and never a draft that a
 * full disk has cut. How they go: storing.ts and sending.ts.
 */
import type { Draft } from '../../content/draft.ts';
import type { DraftEnds } from '../drafts/draft-ends.ts';
import { cutBy, reasonOf, toFsError } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import type { Handle, OpenFile } from '../open-file.ts';
import type { Shelf } from '../shelf/shelf.ts';
import { BaseReplaced, isTypeAlone } from './conflicts.ts';
import { claimedSoon } from './claimed-soon.ts';
import { UploadStopped } from './stoppable-upload.ts';
import { keepsBoth, type Storing } from './storing.ts';
import { PromisedUploads, type PromisedUploadsParts } from '../write-back/promised-uploads.ts';
import { isEmptied, isMadeToBeRead, isSettled, takesPlace } from './worth-storing.ts';

/** All that is here of a file, an edit in place that goes on included; only what programs have closed or synced; or nothing. */
export type Asked = 'newest' | 'closed' | 'nothing';

/** Rejects with an `FsError`, with a refusal, or with the local disk's error: the bytes are then still here. */
export class Uploading {
  readonly #mount: MountState;
  readonly #storing: Storing;
  readonly #shelf: Shelf;
  readonly #ends: DraftEnds;
  readonly #promised: PromisedUploads;

  constructor(mount: MountState, parts: PromisedUploadsParts) {
    this.#mount = mount;
    this.#storing = parts.storing;
    this.#shelf = parts.shelf;
    this.#ends = parts.ends;
    this.#promised = new PromisedUploads(mount, parts);
  }

  /** One close(2): stores, or promises, what the handle's file has new. Rejects as `keep`. */
  async flush(handle: Handle, isOpenElsewhere?: () => Promise<boolean>): Promise<void> {
    const { file } = handle;
    if (!handle.canWrite && !isMadeToBeRead(file)) return;
    if (await this.#waitsForMore(file, isOpenElsewhere)) return;
    // What another program has emptied while this waited is for that one to close.
    await this.keep(file, () => !(isEmptied(file) && takesPlace(file)));
    await this.#tellIfCut(file);
  }

  /** One fsync(2): as `store`; what is to stay here is on the local disk then. */
  async sync(file: OpenFile): Promise<void> {
    const refusal = file.dirty || file.version === null ? undefined : this.#ends.takeRefusal(file.version);
    if (refusal !== undefined) throw toFsError(refusal, file.path);
    const wasShelved = file.shelf !== null;
    await this.store(file);
    await this.#shelf.record(file);
    // A rename has taken it from the shelf before that was on the disk: then it is to be stored.
    if (wasShelved && file.shelf === null) await this.store(file);
    await this.#tellIfCut(file);
  }

  /**
   * What a close promises of `file`: that it is stored, or with `--write-back` that it will be; not what is not `isMeant` any more once nobody
   * writes. Rejects with why that cannot be.
   */
  async keep(file: OpenFile, isMeant?: () => boolean): Promise<void> {
    await this.#fateOfName(file);
    if (isSettled(file)) return;
    if (!this.#mount.settings.writeBack) await this.store(file, isMeant);
    else if (!(await this.#promised.promise(file, isMeant)))
      await this.#storing.claimed(file, () => this.#storing.through(file, isMeant));
  }

  /** As `keep`, for a caller that holds the claim of the file's path. */
  async keepClaimed(file: OpenFile, isMeant?: () => boolean): Promise<void> {
    if (!this.#mount.settings.writeBack) await this.storeClaimed(file, isMeant);
    else if (!(await this.#promised.promise(file, isMeant))) await this.#storing.through(file, isMeant);
  }

  /** `file` waits here for its upload since an earlier mount, or its turn has come. */
  enqueue(file: OpenFile): void {
    this.#promised.enqueue(file);
  }

  /** No upload begins by itself any more. */
  async stop(): Promise<void> {
    await this.#promised.stop();
  }

  /** Stores what `file` has new and is not to stay here, as far as `keep` would. Rejects with why it could not; the draft then stays. */
  async store(file: OpenFile, isMeant?: () => boolean): Promise<void> {
    await this.#fateOfName(file);
    if (!isSettled(file)) await this.#storing.claimed(file, () => this.storeClaimed(file, isMeant));
  }

  /** As `store`, for a caller that holds the claim of the file's path: every conflict is a `BaseReplaced`. */
  async storeClaimed(file: OpenFile, isMeant?: () => boolean): Promise<void> {
    // What an earlier mount has promised is taken care of as with write-back until it, or what takes its place, is stored.
    const isPromised = this.#mount.settings.writeBack || file.sealed !== null;
    if (isPromised && (await this.#promised.promise(file, isMeant))) await this.#storing.sealed(file);
    else await this.#storing.through(file, isMeant);
  }

  /**
   * A person wants it now, or the mount ends: as `store`, but half of what a program is writing shall not replace a whole file: rejects with
   * EBUSY when that is all there is; else what a close has promised before is stored. Local bytes that nobody has open are let go of then.
   * `asked`: what of it is meant, once it is this file's turn.
   */
  async storeWhole(file: OpenFile, asked: () => Asked = () => 'newest'): Promise<void> {
    let meant: Asked | null = null;
    let hasPromised = false;
    await this.#storing.claimed(file, async () => {
      meant ??= asked();
      if (meant === 'nothing') return;
      hasPromised ||= file.sealed !== null;
      const seen = { isHalf: false };
      // Asked again once nobody writes: meanwhile a program may have begun to write it anew.
      const isWhole = (): boolean => {
        seen.isHalf = meant === 'closed' ? file.isBeingWritten : file.isHalf;
        return !seen.isHalf;
      };
      if (isWhole()) await this.storeClaimed(file, isWhole);
      // Again after a conflict, which has given that a name of its own.
      else if (hasPromised) await this.#storing.sealed(file);
      if (seen.isHalf && !hasPromised) throw new FsError('EBUSY', file.path, 'a program is still writing it');
      await this.dropUnused(file);
    });
  }

  /** The last handle is gone: a last try for bytes that no flush has tried, and an end for drafts that will never go up. */
  async settle(file: OpenFile): Promise<void> {
    await this.#fateOfName(file);
    // Nothing else looks at it any more, and its path may be claimed for a long upload of another file.
    if (file.detached) await this.dropUnused(file);
    // What its close has promised the queue stores, and lets go of then: nobody need wait for an upload under way.
    else if (this.#promised.isOnItsWay(file) && !this.#isRefused(file)) return;
    // A rename or an unlink under way may be reading the draft: it ends first.
    else await this.#storing.claimed(file, () => this.#settleClaimed(file));
    this.#shelf.closed(file, () => {
      this.settle(file).catch((error: unknown) => {
        this.#mount.log.error('a file could not be stored', { path: file.path, cause: reasonOf(error) });
      });
    });
  }

  /** The service refused for good and no handle is open: the bytes are set aside, and the name shows the service's file. */
  async giveUp(file: OpenFile): Promise<void> {
    await this.#ends.giveUp(file);
  }

  /** As `giveUp`, of `draft`, which the local disk has cut since a program has closed it. */
  async giveUpCut(file: OpenFile, draft: Draft): Promise<void> {
    await this.#ends.setCutAside(file, draft);
  }

  /**
   * A person does not want what the service has not of `file`: the draft that is called `id` where there are two. One that goes up is stopped if that can
   * be. Rejects when a program has it open, or when it is stored by now.
   */
  async discard(file: OpenFile, id: string): Promise<void> {
    // Its upload may take minutes: nobody need wait for it to hear this.
    requireClosed(file);
    const { path } = file;
    const isUnwanted = ({ goingUp }: OpenFile): boolean => goingUp?.id === id;
    const discardHere = async (): Promise<boolean> => {
      // A rename may have moved the file while this waited.
      if (file.path !== path) return false;
      await this.#discardClaimed(file, id);
      return true;
    };
    if (!(await claimedSoon(this.#mount, [path], discardHere, isUnwanted))) await this.discard(file, id);
  }

  /** Lets go of local bytes that nobody has open and that the service has. For callers who hold the path's claim. */
  async dropUnused(file: OpenFile): Promise<void> {
    await this.#ends.dropUnused(file);
  }

  /** Why what was written to `file` last was not stored; undefined when it was. */
  failureOf(file: OpenFile): unknown {
    if (file.failure !== null) return file.failure.error;
    return file.version === null ? undefined : this.#ends.refusalOf(file.version);
  }

  async #discardClaimed(file: OpenFile, id: string): Promise<void> {
    const { namespace, kept } = this.#mount;
    const { draft, sealed } = file;
    requireClosed(file);
    if (file.detached || !(file.dirty || file.publishPending))
      throw new FsError('ESTALE', file.path, 'it is stored by now');
    // Others may be written, or promised, since.
    if (file.dirty && id !== draft?.id && id !== sealed?.draft.id)
      throw new FsError('ESTALE', file.path, 'it is stored by now');
    if (file.endUnknown) namespace.known.doubt(file.path);
    if (!file.dirty) {
      file.publishPending = false;
      await kept.linkSettled(file);
      // Whoever has opened it meanwhile goes on with it.
      return this.dropUnused(file);
    }
    if (sealed === null || draft === null || sealed.draft === draft) return this.#ends.dropAll(file);
    if (id === sealed.draft.id) return this.#ends.dropPromised(file);
    await this.#ends.dropNewest(file);
    this.enqueue(file);
  }

  /** What has taken the name of `file` may fail still: then what programs have written to it meanwhile is to be stored after all. */
  async #fateOfName(file: OpenFile): Promise<void> {
    const { path, detached, isEnding, dirty } = file;
    if (detached && isEnding && dirty) await this.#mount.claims.run([path], () => Promise.resolve());
  }

  /**
   * Shells close a duplicate of the descriptor before the program writes a byte. So the first flush passes over an existing object
   * that was emptied and not written yet. A new file has nothing to lose: it waits only for who is known to close it once more.
   */
  async #waitsForMore(
    file: OpenFile,
    isOpenElsewhere: (() => Promise<boolean>) | undefined,
  ): Promise<boolean> {
    // Nothing of a file without a name is stored: nobody need look through what its program has open, which may be thousands of files.
    if (file.detached || !isEmptied(file)) return false;
    // What stays here anyway costs nothing.
    if (!takesPlace(file)) return file.shelf === null && (await isOpenElsewhere?.()) === true;
    file.passedOver = true;
    return true;
  }

  /** Nothing of a file without a name is stored, but whoever wrote it must hear when its bytes are not here. */
  async #tellIfCut(file: OpenFile): Promise<void> {
    if (!file.detached) return;
    await file.draft?.settled();
    const poison = file.draft?.poisoned ?? null;
    if (poison !== null) throw cutBy(poison, file.path);
  }

  /** What was tried last the service does not take: to try it again is of no use. */
  #isRefused(file: OpenFile): boolean {
    return file.failure !== null && !this.#ends.mayTryAgain(file, file.failure.error);
  }

  /** Whether all that is here is a type for what somebody else has replaced: its program has heard so, and its bytes are nobody's. */
  async #isTypeOfReplaced(file: OpenFile): Promise<boolean> {
    const { draft, sealed, failure } = file;
    if (draft === null || sealed !== null || !(failure?.error instanceof BaseReplaced)) return false;
    return file.dirty && (await isTypeAlone(file, draft));
  }

  #logCut({ path }: OpenFile, cause: string): void {
    this.#mount.log.error('a file cut by an error of the local disk was not stored', { path, cause });
  }

  async #settleClaimed(file: OpenFile): Promise<void> {
    await file.draft?.settled();
    // Somebody may have opened it again while this waited.
    if (file.handles.size > 0) return;
    const { draft } = file;
    const poison = draft?.poisoned ?? null;
    if (poison !== null && !file.detached) {
      this.#logCut(file, poison);
      await this.#ends.dropCut(file);
      return;
    }
    if (file.dirty && draft !== null && !file.hasTried(draft)) {
      // Who opens it meanwhile may be about to write it anew: half of that is not what was closed.
      await this.keepClaimed(file, () => file.handles.size === 0).catch((error: unknown) => {
        if (keepsBoth(error) || error instanceof UploadStopped) throw error;
        // Nobody is left to hear it; it is logged, and the draft stays.
        this.#mount.log.debug('upload at release failed', { path: file.path, cause: reasonOf(error) });
        if (draft.poisoned === null || file.hasTried(draft)) return;
        // Not even a promise was made of it (`--write-back`), which nobody has logged.
        this.#logCut(file, draft.poisoned);
        file.failure = { error, draft, revision: draft.revision };
      });
    }
    const isForNothing = await this.#isTypeOfReplaced(file);
    // Or while it was stored.
    if (file.handles.size > 0) return;
    // To record it may be how the disk lets down what its program has closed as a scratch file: nobody else will hear of it.
    if (draft !== null && draft.poisoned !== null && file.closedHere === draft)
      return this.#ends.dropCut(file);
    if (isForNothing && draft !== null && file.hasTried(draft)) return this.#ends.dropAll(file);
    if (file.dirty && this.#isRefused(file)) {
      await this.#ends.setAside(file);
      // What a close had promised before that was refused.
      if (file.sealed !== null && !this.#isRefused(file)) this.enqueue(file);
    }
    await this.dropUnused(file);
  }
}

function requireClosed(file: OpenFile): void {
  if (file.handles.size > 0) throw new FsError('EBUSY', file.path, 'a program has the file open');
}
