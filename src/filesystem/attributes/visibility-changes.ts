/**
 * A program says who may fetch a file: when does that happen, and what must not undo it later?
 *
 * Of what the service has at once, of other bytes after their upload; `public` then alone, since what is stored is not what was meant.
 * Whoever was told that a file is private must not find it public again: neither by a close of before, nor by a link that is still owed,
 * nor by the next mount. So the disk has to know first.
 */
import type { Visibility } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { keyOfPath } from '../../store/keys.ts';
import { setVisibility } from '../../store/lasting-visibility.ts';
import { mayHaveBeenDone } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type { Inspecting } from '../names/inspecting.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { RenameJournal } from '../rename/rename-journal.ts';
import type { Shelf } from '../shelf/shelf.ts';
import type { VisibilityRecords } from './visibility-records.ts';

export interface VisibilityParts {
  readonly inspecting: Inspecting;
  readonly renames: Pick<RenameJournal, 'concerns'>;
  readonly shelf: Pick<Shelf, 'redescribed' | 'stayingPrivate'>;
}

export class VisibilityChanges {
  readonly #mount: MountState;
  readonly #inspecting: Inspecting;
  readonly #renames: Pick<RenameJournal, 'concerns'>;
  readonly #records: VisibilityRecords;
  readonly #shelf: VisibilityParts['shelf'];

  constructor(
    mount: MountState,
    { inspecting, renames, shelf }: VisibilityParts,
    records: VisibilityRecords,
  ) {
    this.#mount = mount;
    this.#inspecting = inspecting;
    this.#renames = renames;
    this.#records = records;
    this.#shelf = shelf;
  }

  /**
   * Rejects with an `FsError`, with the refusal of the service, or with the local disk's error: nothing has changed then, except that what
   * waits for its upload becomes private by it when only the service refused.
   */
  async set(path: string, wanted: Visibility): Promise<void> {
    const { claims, table } = this.#mount;
    await claims.run([path], async () => {
      // It goes on by what it was to do, whenever that may be.
      if (wanted === 'private' && this.#renames.concerns(path))
        throw new FsError('EIO', path, 'its rename, which a crash had cut, is not finished yet');
      const file = table.dirty(path);
      if (file === undefined) await this.#setStored(path, wanted);
      // Not between a close's description of the draft and its record.
      else if (wanted === 'public') await file.gate.still(() => this.#wish(file));
      else {
        await file.gate.still(() => this.#keepPrivate(file));
        await this.#hideStored(file);
      }
    });
  }

  async #setStored(path: string, wanted: Visibility): Promise<void> {
    const { kept, clock, namespace, store, table } = this.#mount;
    const entry = await this.#inspecting.entry(path);
    if (entry.kind !== 'file') throw new FsError('ENOTSUP', path, 'it is a folder now');
    const { version } = entry;
    const file = table.shown(path, version);
    const owed = file?.owedLinks ?? [];
    if (wanted === 'private') await kept.takingDown(file);
    const at = clock.monotonic();
    // What others store between two tries its program has not meant to publish.
    const isStillMeant = async (): Promise<boolean> => {
      const there = await namespace.confirmFile(path, [version]);
      return there?.kind !== 'file' || version.isSame(there.version);
    };
    const setting = setVisibility(store, keyOfPath(path), wanted, { isStillMeant });
    const record = await setting.catch(async (error: unknown) => {
      if (mayHaveBeenDone(error)) this.#records.doubt(version);
      if (file !== undefined) await kept.stillOwes(file, owed);
      throw error;
    });
    this.#records.rememberSet(version, record, at);
    version.madeHereAt = null;
    if (file === undefined) return;
    // The service's own may be another that says the same.
    if (file.version !== null) file.version.madeHereAt = null;
    if (!file.publishPending) return;
    file.publishPending = false;
    file.failure = null;
    await kept.linkSettled(file);
    if (file.handles.size === 0 && !file.dirty) table.remove(file);
  }

  /** The upload that makes it private may be far off, or be refused for good. */
  async #hideStored(file: OpenFile): Promise<void> {
    if (file.isUnsent) return;
    const { clock, store } = this.#mount;
    const { version, path } = file;
    const at = clock.monotonic();
    try {
      const record = await setVisibility(store, keyOfPath(path), 'private');
      if (version !== null) {
        this.#records.rememberSet(version, record, at);
        version.madeHereAt = null;
      }
    } catch (error) {
      if (version !== null && mayHaveBeenDone(error)) this.#records.doubt(version);
      if (!isRefusal(error, 'missing')) throw error;
    }
  }

  async #wish(file: OpenFile): Promise<void> {
    file.wishes.visibility = 'public';
    await this.#mount.kept.redescribe(file);
    await this.#shelf.redescribed(file);
  }

  /** Also of what a close has promised before, and of a link that is owed. */
  async #keepPrivate(file: OpenFile): Promise<void> {
    const { publishPending, doubts } = file;
    const { visibilityBefore } = doubts;
    const before = [...file.allWishes].map((wishes) => ({ wishes, visibility: wishes.visibility }));
    for (const { wishes } of before) wishes.visibility = 'private';
    file.publishPending = false;
    if (visibilityBefore !== null) doubts.visibilityBefore = 'private';
    try {
      await this.#shelf.stayingPrivate(file);
      await this.#mount.kept.stayingPrivate(file);
    } catch (error) {
      for (const { wishes, visibility } of before) wishes.visibility = visibility;
      file.publishPending = publishPending;
      doubts.visibilityBefore = visibilityBefore;
      throw error;
    }
  }
}
