/**
 * How are folders made and removed on a service that has no request to remove one?
 *
 * `DELETE folder/` may remove a folder, do nothing, or be refused; the spec does not say. So after a removal the parent is listed until one
 * folder that the service itself listed as empty was seen to go (then no look is needed any more) or to stay (then folders count as
 * staying, until one is seen to go after all: a listing may be late). A yes that is not true would make files reappear under programs
 * that believe they are gone.
 */
import { describeError } from '../../base/errors.ts';
import type { KeptFolder } from '../../namespace/kept-folders.ts';
import type { KnownFolder } from '../../namespace/known-folder.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import { keyOfPath, nameOf, parentOf } from '../../store/keys.ts';
import { mayHaveBeenDone } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type { FolderTimes } from './folder-times.ts';
import { existing } from './found.ts';
import type { MountState } from '../mount-state.ts';
import type { Owner } from '../operations.ts';
import { localOfNew } from '../attributes/shown-attributes.ts';
import type { Deletions } from '../write-back/deletions.ts';

/** How long an emptied folder may stay only ours before it is made real, milliseconds: most are removed at once. */
const MAKE_REAL_AFTER = 3000;
/** After a failure to make one real, milliseconds. */
const TRY_AGAIN_AFTER = 30_000;
/** The status of what a service says to a request that it does not know. */
const NOT_IMPLEMENTED = 501;

/** mkdir and rmdir. Rejects with an `FsError`, or with the refusal of the service. */
export class Folders {
  readonly #mount: MountState;
  readonly #times: FolderTimes;
  readonly #deletions: Deletions;
  #removal: 'untried' | 'works' | 'does nothing' = 'untried';
  /** When kept folders are made real next, by the clock's `monotonic`. */
  #next: { readonly at: number; readonly cancel: () => void } | null = null;

  constructor(mount: MountState, times: FolderTimes, deletions: Deletions) {
    this.#mount = mount;
    this.#times = times;
    this.#deletions = deletions;
  }

  async make(path: string, mode: number, maker?: Owner): Promise<void> {
    await this.#mount.claims.run([path], async () => {
      const { namespace, table } = this.#mount;
      if (table.dirty(path) !== undefined) throw new FsError('EEXIST', path, 'the name is taken');
      const found = await namespace.lookup(path);
      if (found.kind === 'under-file')
        throw new FsError('ENOTDIR', path, 'a component of the path is a file');
      if (found.kind !== 'missing') throw new FsError('EEXIST', path, 'the name is taken');
      const parent = await namespace.lookup(parentOf(path));
      if (parent.kind === 'missing') throw new FsError('ENOENT', path, 'its parent does not exist');
      if ((await this.#make(path)) === 'was there') {
        namespace.known.changed(path, { kind: 'unknown' });
        throw new FsError('EEXIST', path, 'somebody else has made it');
      }
      namespace.known.folderMade(path);
      this.#times.forget(path);
      const now = this.#mount.clock.now();
      this.#times.set(path, localOfNew({ mode, maker }, this.#mount.settings, now));
      this.#times.touch(parentOf(path));
    });
  }

  async remove(path: string): Promise<void> {
    if (path === '/') throw new FsError('EBUSY', path, 'it is the mountpoint');
    // At once: the kernel lets nobody into the folder above meanwhile, and what goes up may take long.
    this.#refuseWithDrafts(path);
    await this.#mount.claims.run([path], async () => {
      await this.removeClaimed(path);
      this.#times.touch(parentOf(path));
    });
  }

  /** Makes the folder whatever is there, for a caller who holds the claim of its path. Its attributes are the caller's. */
  async create(path: string): Promise<void> {
    await this.#make(path);
    this.#mount.namespace.known.folderMade(path);
  }

  async #make(path: string): Promise<'made' | 'was there'> {
    // A file of that name that unlink has promised to delete.
    await this.#deletions.finishClaimed(path);
    try {
      return await this.#post(path);
    } catch (error) {
      if (mayHaveBeenDone(error)) this.#mount.namespace.known.changed(path, { kind: 'unknown' });
      throw error;
    }
  }

  /** A service may refuse to make what is there (the spec does not say), also when it was made by a try whose answer was lost. */
  async #post(path: string): Promise<'made' | 'was there'> {
    try {
      await this.#mount.store.createFolder(keyOfPath(path));
      return 'made';
    } catch (error) {
      if (!isRefusal(error, 'rejected')) throw error;
      const there = await this.#shownAs(path);
      if (there === undefined) throw error;
      if (there === 'folder') return error.followsUnknown ? 'made' : 'was there';
      this.#mount.namespace.known.changed(path, { kind: 'unknown' });
      throw new FsError('EEXIST', path, 'somebody else has stored a file under its name', { cause: error });
    }
  }

  /** What the service itself shows under the name, asked now. */
  async #shownAs(path: string): Promise<'folder' | 'file' | undefined> {
    const key = keyOfPath(path);
    let isFile = false;
    for await (const { folders, objects } of this.#mount.store.pages(keyOfPath(parentOf(path)))) {
      if (folders.includes(`${key}/`)) return 'folder';
      isFile ||= objects.some((file) => file.key === key);
    }
    return isFile ? 'file' : undefined;
  }

  /** As `remove`, for a caller who holds the claim of the path; the parent's times are the caller's. */
  async removeClaimed(path: string): Promise<void> {
    // Files that unlink has promised to delete would be found in it.
    await this.#deletions.finishClaimed(path);
    const listedEmpty = await this.#refuseUnlessEmpty(path);
    const kept = this.#mount.namespace.known.kept.get(path);
    this.#deletions.folderGoes(path);
    if (kept?.onService !== 'absent') await this.#removeFromService(path, listedEmpty);
    this.#mount.namespace.known.folderRemoved(path);
    this.#times.forget(path);
  }

  /** Whether folders stay on this service whatever is asked of it, as far as is known. */
  get areForEver(): boolean {
    return this.#removal === 'does nothing';
  }

  /** Call after an own change that may have emptied a folder: what stays empty for a while is made real. */
  watchEmptied(): void {
    this.#schedule(MAKE_REAL_AFTER);
  }

  /**
   * Makes kept folders real now, as far as the service lets; the rest is logged. When `thorough`, one that is only perhaps empty
   * is looked at first. Otherwise it is left as it is, since the look would cost a request for every unlink, and so is one that
   * was emptied only just now: programs that remove a tree remove it next, however long they are about the others.
   */
  async makeAllReal(thorough: boolean): Promise<void> {
    this.stop();
    let failed = false;
    const { kept } = this.#mount.namespace.known;
    for (const path of kept.paths()) {
      // Whoever wants to make or remove a file in it would wait behind this for what goes up there.
      if (!thorough && this.#mount.table.dirtyIn(path).length > 0) continue;
      try {
        await this.#mount.claims.run([path], () => this.#makeReal(path, thorough));
      } catch (error) {
        failed = true;
        this.#mount.log.warn('an emptied folder could not be made to stay', {
          path,
          cause: describeError(error),
        });
      }
    }
    const untilNewest = kept.all().reduce((most, folder) => Math.max(most, this.#untilDue(folder)), 0);
    if (failed) this.#schedule(TRY_AGAIN_AFTER);
    else if (untilNewest > 0) this.#schedule(untilNewest);
  }

  /** Stops waiting to make folders real. */
  stop(): void {
    this.#next?.cancel();
    this.#next = null;
  }

  /** Returns whether listings of the service, and not only our own memory, showed the folder, and showed it empty. */
  async #refuseUnlessEmpty(path: string): Promise<boolean> {
    const { namespace, table } = this.#mount;
    if (table.dirty(path) !== undefined) throw new FsError('ENOTDIR', path, 'it is a file');
    const found = existing(path, await namespace.lookup(path));
    if (found.kind === 'file') throw new FsError('ENOTDIR', path, 'it is a file');
    this.#refuseWithDrafts(path);
    const folder = await namespace.list(path);
    if (folder.names.visible > 0) throw new FsError('ENOTEMPTY', path, 'it has entries');
    const hidden = folder.hidden;
    if (hidden > 0)
      throw new FsError('ENOTEMPTY', path, `it has ${hidden} keys that cannot be shown as names`);
    return found.told && folder.listed?.told === true && namespace.known.kept.get(path) === undefined;
  }

  #refuseWithDrafts(path: string): void {
    if (this.#mount.table.dirtyIn(path).length > 0)
      throw new FsError('ENOTEMPTY', path, 'files in it wait to be stored');
  }

  async #removeFromService(path: string, provesSomething: boolean): Promise<void> {
    const { namespace } = this.#mount;
    const asked = await this.#asked(path);
    if (asked === null) return;
    const { parent, cause } = asked;
    const gone =
      namespace.known.kept.get(path)?.onService === 'absent' ||
      parent.recall(nameOf(path))?.kind !== 'folder';
    if (gone) {
      if (this.#removal === 'does nothing') this.#removal = 'untried';
      else if (provesSomething && cause === undefined) this.#removal = 'works';
      return;
    }
    // Somebody may have put a file into it meanwhile: only a folder that is empty and stays proves anything.
    const still = await namespace.relist(path);
    if (still.isEmpty() !== true)
      throw new FsError('ENOTEMPTY', path, 'somebody else has put something into it');
    if (this.#removal === 'untried') {
      this.#removal = 'does nothing';
      this.#mount.log.warn('this service does not remove folders: rmdir is refused', { path });
    }
    const reason = 'the service keeps the folder, though it was asked to delete it';
    throw new FsError('EPERM', path, reason, { cause });
  }

  /** Asks for the removal, and resolves with what the folder above shows then; null: no look is needed. */
  async #asked(path: string): Promise<{ readonly parent: KnownFolder; readonly cause: unknown } | null> {
    const { namespace, store } = this.#mount;
    let isAsked = false;
    try {
      const cause = await store.remove(`${keyOfPath(path)}/`).then(() => undefined, ofFolderAlone);
      isAsked = true;
      if (cause === undefined && this.#removal === 'works') return null;
      return { parent: await namespace.relist(parentOf(path)), cause };
    } catch (error) {
      // The next look asks whether it is gone.
      if (isAsked || mayHaveBeenDone(error)) namespace.known.changed(path, { kind: 'unknown' });
      throw error;
    }
  }

  async #makeReal(path: string, thorough: boolean): Promise<void> {
    const { namespace, table } = this.#mount;
    const kept = namespace.known.kept.get(path);
    if (kept === undefined || table.dirtyIn(path).length > 0) return;
    if (!thorough && (kept.emptied === 'maybe' || this.#untilDue(kept) > 0)) return;
    if (kept.emptied === 'maybe' && (await namespace.list(path)).isEmpty() !== true) {
      namespace.known.kept.drop(path);
      return;
    }
    await this.#post(path);
    namespace.known.folderMadeReal(path);
  }

  /** Milliseconds. */
  #untilDue({ since }: KeptFolder): number {
    return since + MAKE_REAL_AFTER - this.#mount.clock.monotonic();
  }

  #schedule(delay: number): void {
    const { clock, namespace } = this.#mount;
    const at = clock.monotonic() + delay;
    if (namespace.known.kept.isEmpty || (this.#next !== null && this.#next.at <= at)) return;
    this.stop();
    const cancel = clock.after(delay, () => {
      this.#next = null;
      // It reports its failures itself.
      void this.makeAllReal(false);
    });
    this.#next = { at, cancel };
  }
}

/** It may have no such request, or none for a folder that has something in it: the folder above shows what is so. Passes any other error on. */
function ofFolderAlone(error: unknown): Refusal {
  const isUnknownRequest = isRefusal(error) && error.status === NOT_IMPLEMENTED;
  if (isUnknownRequest || isRefusal(error, 'rejected', 'missing')) return error;
  throw error;
}
