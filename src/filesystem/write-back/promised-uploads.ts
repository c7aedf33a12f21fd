/**
 * With `--write-back` a close only promises to store. When does what was promised go up? In the background, a moment after its close,
 * a few files at a time; with what the service refuses for good nobody is left to deal but this.
 */
import { describeError } from '../../base/errors.ts';
import type { DraftEnds } from '../drafts/draft-ends.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile, Sealed } from '../open-file.ts';
import type { Shelf } from '../shelf/shelf.ts';
import type { Storing } from '../write/storing.ts';
import type { Sealing } from './sealing.ts';
import { WorkQueue } from './work-queue.ts';

/**
 * Programs that replace a file write another one first, and many files live only for a moment. What is renamed
 * or removed within this time after its close costs no upload of its own. Milliseconds.
 */
const REST = 100;
/** Files worked on at once: more than uploads at once (gates.ts), since each also waits for the local disk. */
const FILES_AT_ONCE = 16;

export interface PromisedUploadsParts {
  readonly storing: Storing;
  readonly shelf: Shelf;
  readonly ends: DraftEnds;
  readonly sealing: Sealing;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

export class PromisedUploads {
  readonly #mount: MountState;
  readonly #storing: Storing;
  readonly #shelf: Shelf;
  readonly #ends: DraftEnds;
  readonly #sealing: Sealing;
  readonly #queue: WorkQueue<OpenFile>;

  constructor(mount: MountState, parts: PromisedUploadsParts) {
    this.#mount = mount;
    this.#storing = parts.storing;
    this.#shelf = parts.shelf;
    this.#ends = parts.ends;
    this.#sealing = parts.sealing;
    const { clock } = mount;
    const { random } = parts;
    this.#queue = new WorkQueue({
      clock,
      random,
      width: FILES_AT_ONCE,
      work: (file) => this.#workOn(file),
    });
  }

  /** `file` waits here for its upload since an earlier mount, or its turn has come. */
  enqueue(file: OpenFile): void {
    this.#queue.add(file);
  }

  /** No upload begins by itself any more. */
  async stop(): Promise<void> {
    await this.#queue.stop();
  }

  /**
   * What is new in `file` is on the local disk, and goes up some time. Returns false when the local disk does not take the promise.
   * Rejects when the disk has cut the bytes. Nothing new is promised when that is not `isMeant` any more once nobody writes, nor when the
   * name leads to another file: nobody would list it, or try it again.
   */
  async promise(file: OpenFile, isMeant?: () => boolean): Promise<boolean> {
    if (file.detached || (file.dirty && (await this.#shelf.keeps(file)))) return true;
    if (file.dirty && this.#mount.table.get(file.path) !== file) return false;
    try {
      const isNew = await this.#sealing.seal(file, isMeant);
      if (isNew || (this.#hasWork(file) && !this.#queue.has(file))) this.#queue.add(file, REST);
      return true;
    } catch (error) {
      if (error instanceof FsError || file.draft?.poisoned !== null) throw error;
      const fields = { path: file.path, cause: describeError(error) };
      this.#mount.log.error(
        'a close could not be made to outlive a crash: the file is stored at once',
        fields,
      );
      return false;
    }
  }

  /** Whether the queue stores, and lets go of, what the last close of `file` has promised. */
  isOnItsWay(file: OpenFile): boolean {
    return file.sealed !== null && file.sealed.draft === file.draft && this.#queue.has(file);
  }

  #hasWork(file: OpenFile): boolean {
    return file.sealed !== null || (!file.dirty && file.publishPending);
  }

  /** Rejects when it is to be tried again. */
  async #workOn(file: OpenFile): Promise<void> {
    if (file.detached || !(this.#hasWork(file) || isLeftHere(file))) return;
    let tried: Sealed | null = null;
    try {
      await this.#storing.claimed(file, async () => {
        tried = file.sealed;
        try {
          await this.#storing.sealed(file);
        } finally {
          // Bytes whose link is still down are stored.
          await this.#ends.dropUnused(file);
        }
      });
    } catch (error) {
      if (this.#ends.mayTryAgain(file, error)) throw error;
      await this.#storing.claimed(file, () => this.#refused(file, tried));
    }
  }

  /** The service does not take what `tried` holds; null: its bytes are stored, and only their link is refused. */
  async #refused(file: OpenFile, tried: Sealed | null): Promise<void> {
    // What another close has promised meanwhile has its own turn.
    if (tried === null || file.sealed !== tried) return;
    // Who has it open hears of it at the next close or fsync; after the last one nobody does.
    const isHeld = file.handles.size > 0 && tried.draft === file.draft;
    if (!isHeld) {
      await this.#ends.giveUp(file);
      // Of what is stored the link may still be down. What the local disk does not set aside is not sent by itself any more.
      if (file.sealed !== tried && this.#hasWork(file)) this.#queue.add(file);
      return;
    }
    // Nobody may wait for its room.
    tried.draft.setLeaving(false);
  }
}

/** Whether nobody lets go of what is stored: an fsync stored it, whose program was killed and has closed it meanwhile. */
function isLeftHere({ handles, dirty, draft }: OpenFile): boolean {
  return handles.size === 0 && !dirty && draft !== null;
}
