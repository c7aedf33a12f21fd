/** How does a name go, while programs may still hold what was behind it? */
import { keyOfPath, parentOf } from '../../store/keys.ts';
import { removeObject } from '../../store/lasting-change.ts';
import { standingVersion } from '../attributes/carried-visibility.ts';
import { claimedSoon } from '../write/claimed-soon.ts';
import type { FolderTimes } from './folder-times.ts';
import type { Folders } from './folders.ts';
import { mayHaveBeenDone } from '../errno-of.ts';
import { existingFile } from './found.ts';
import type { MountState } from '../mount-state.ts';
import { removeLeftCopy } from '../rename/left-copy.ts';
import type { OpenFile } from '../open-file.ts';
import type { Reading } from '../read/reading.ts';
import type { Deletions } from '../write-back/deletions.ts';
import type { Writing } from '../write/writing.ts';

export interface RemovingParts {
  readonly reading: Pick<Reading, 'letGo'>;
  readonly writing: Writing;
  readonly folders: Folders;
  readonly folderTimes: FolderTimes;
  readonly deletions: Deletions;
}

/** Rejects with an `FsError`, or with the refusal of the service: the name is then as it was, or not known. */
export class Removing {
  readonly #mount: MountState;
  readonly #reading: RemovingParts['reading'];
  readonly #writing: Writing;
  readonly #folders: Folders;
  readonly #folderTimes: FolderTimes;
  readonly #deletions: Deletions;

  constructor(mount: MountState, parts: RemovingParts) {
    this.#mount = mount;
    this.#reading = parts.reading;
    this.#writing = parts.writing;
    this.#folders = parts.folders;
    this.#folderTimes = parts.folderTimes;
    this.#deletions = parts.deletions;
  }

  async unlink(path: string): Promise<void> {
    await claimedSoon(this.#mount, [path], async () => {
      const { table } = this.#mount;
      const file = table.dirty(path) ?? (await this.#storedFile(path));
      // Nor may an upload of before still come, of this mount or of an earlier one (late-requests.ts).
      const isUnsent = file.isUnsent && this.#mount.store.late.uploadsOf(keyOfPath(path)).length === 0;
      file.isEnding = true;
      try {
        // Else its own DELETE takes away whatever is there, and would find nothing.
        if (isUnsent || this.#mount.settings.writeBack)
          await removeLeftCopy(this.#mount, this.#deletions, file);
        await this.#writing.keepForReaders(file);
        if (!isUnsent) await this.#delete(file);
        // At once, so that nobody opens by the name what is just being let go.
        table.detach(file);
        this.#nameIsGone(path, isUnsent);
        await this.#mount.kept.detached(file);
        await this.#dropUnused(file);
      } finally {
        file.isEnding = false;
        if (file.handles.size === 0 && file.state === 'clean') table.remove(file);
      }
      this.#folderTimes.touch(parentOf(path));
      this.#folders.watchEmptied();
    });
  }

  async #delete(file: OpenFile): Promise<void> {
    const { store, settings } = this.#mount;
    if (settings.writeBack) await this.#deletions.promise(file);
    else {
      // What others store between two tries its program has not meant.
      const shown = standingVersion(this.#mount, file);
      const meant = shown === null ? file.doubts.versions : [shown, ...file.possibleVersions];
      const isStillMeant = async (): Promise<boolean> => {
        const there = await this.#mount.namespace.confirmFile(file.path, meant);
        return there?.kind !== 'file' || meant.some((each) => each.isSame(there.version));
      };
      await this.#deleteKey(file.path, removeObject(store, keyOfPath(file.path), isStillMeant));
    }
  }

  #nameIsGone(path: string, isUnsent: boolean): void {
    const { known } = this.#mount.namespace;
    if (this.#deletions.has(path)) known.going(path);
    else if (isUnsent) known.neverStored(path);
    else known.changed(path, { kind: 'missing' });
  }

  async #dropUnused(file: OpenFile): Promise<void> {
    if (file.handles.size > 0) return;
    const { draft, version } = file;
    // Of what waited here its program had read the stored version, maybe: no close comes any more that would let go of that.
    this.#reading.letGo(file);
    if (version !== null) this.#mount.content.forget(version);
    file.draft = null;
    file.dirty = false;
    if (draft !== null) await this.#mount.kept.drop(draft);
  }

  async #storedFile(path: string): Promise<OpenFile> {
    const found = existingFile(path, await this.#mount.namespace.lookup(path));
    const { table } = this.#mount;
    // Whoever opens it while it goes shall not bring it back by a close.
    return table.get(path) ?? table.entered(path, found.version);
  }

  async #deleteKey(path: string, request: Promise<void>): Promise<void> {
    try {
      await request;
    } catch (error) {
      // The service may or may not have deleted it: ask again before anything is believed of the name.
      if (mayHaveBeenDone(error)) this.#mount.namespace.known.changed(path, { kind: 'unknown' });
      throw error;
    }
  }
}
