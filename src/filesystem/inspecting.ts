/** What do stat and readdir show? */
import type { Waiter } from '../base/waiter.ts';
import type { NamesBatch } from '../namespace/entries.ts';
import { childOf, nameOf } from '../store/keys.ts';
import type { LocalAttributes, Version } from '../store/version.ts';
import { FsError } from './errors.ts';
import type { FolderTimes } from './folder-times.ts';
import { existing, type Existing } from './found.ts';
import type { MountState } from './mount-state.ts';
import type { Handle, OpenFile } from './open-file.ts';
import type { AttributeChange, Attributes, DirectoryEntry } from './operations.ts';

const FILE_MODE = 0o666;
export const FOLDER_MODE = 0o777;

type LocallyKept = Omit<Attributes, 'kind' | 'identity' | 'size' | 'validFor'>;

/** Rejects with an `FsError`, or with the refusal of the service. Waits for no change in progress. */
export class Inspecting {
  readonly #mount: MountState;
  readonly #folderTimes: FolderTimes;

  constructor(mount: MountState, folderTimes: FolderTimes) {
    this.#mount = mount;
    this.#folderTimes = folderTimes;
  }

  async attributes(path: string, handle?: Handle, waiter?: Waiter): Promise<Attributes> {
    const file = handle?.file ?? this.#mount.table.dirty(path);
    if (file !== undefined) return this.#ofOpenFile(file);
    const entry = await this.entry(path, waiter);
    return this.#ofEntry(path, entry);
  }

  /** In batches as they become known, none of them empty, each name once. */
  async *list(path: string, waiter?: Waiter): AsyncGenerator<readonly DirectoryEntry[], void> {
    if (this.#mount.table.dirty(path) !== undefined) throw new FsError('ENOTDIR', path, 'it is a file');
    const entry = await this.entry(path, waiter);
    if (entry.kind !== 'folder') throw new FsError('ENOTDIR', path, 'it is not a folder');
    const shown = new Set<string>();
    for await (const batch of this.#mount.namespace.batches(path, waiter)) {
      const entries = this.#shownFirst(path, batch, shown);
      if (entries.length > 0) yield entries;
    }
  }

  /** What a batch shows that none before it did; with the last of them the drafts of names that the service does not have. */
  #shownFirst(path: string, batch: NamesBatch, shown: Set<string>): DirectoryEntry[] {
    const drafts = new Map(this.#mount.table.dirtyIn(path).map((file) => [nameOf(file.path), file]));
    const entries: DirectoryEntry[] = [];
    const show = (name: string, attributes: Attributes): void => {
      shown.add(name);
      entries.push({ name, attributes });
    };
    for (const [name, known] of batch.names) {
      if (known.kind === 'missing' || shown.has(name)) continue;
      const draft = known.kind === 'file' ? drafts.get(name) : undefined;
      show(name, draft === undefined ? this.#ofEntry(childOf(path, name), known) : this.#ofOpenFile(draft));
    }
    if (!batch.isWhole) return entries;
    for (const [name, draft] of drafts) if (!shown.has(name)) show(name, this.#ofOpenFile(draft));
    return entries;
  }

  /** Kept here, for this version of the file; costs no request. */
  async setAttributes(path: string, change: AttributeChange, handle?: Handle): Promise<void> {
    const local = { ...definedOf(change), ctime: this.#mount.clock.now() };
    const file = handle?.file ?? this.#mount.table.dirty(path);
    if (file !== undefined && (file.dirty || file.version === null)) {
      file.local = { ...file.local, ...local };
      this.#mount.kept.attributesSet(file);
      return;
    }
    if (file?.version != null) {
      this.#setOf(file.version, local, file.detached ? null : file.path);
      return;
    }
    const entry = await this.entry(path);
    if (entry.kind === 'file') this.#setOf(entry.version, local, path);
    else this.#folderTimes.set(path, local);
  }

  /** `path`: where the version may be; null: it has no name any more. */
  #setOf(version: Version, local: LocalAttributes, path: string | null): void {
    version.local = { ...version.local, ...local };
    if (path === null) return;
    const entry = this.#mount.namespace.known.recall(path);
    // Who has a file open that somebody else has replaced sets nothing of what is there now.
    if (entry?.kind === 'file' && !version.isSame(entry.version)) return;
    this.#mount.attributes.set(path, version);
  }

  /** What exists at `path`. Rejects with ENOENT or ENOTDIR. */
  async entry(path: string, waiter?: Waiter): Promise<Existing> {
    return existing(path, await this.#mount.namespace.lookup(path, waiter));
  }

  #ofEntry(path: string, entry: Existing): Attributes {
    const validFor = this.#mount.namespace.known.freshFor(path, entry.confirmedAt);
    if (entry.kind === 'folder') {
      const local = this.#folderTimes.of(path);
      return {
        kind: 'folder',
        identity: 0,
        size: 0,
        validFor,
        ...this.#common(local, FOLDER_MODE, local.mtime),
      };
    }
    const { version } = entry;
    const { identity } = this.#mount.table.shown(path, version) ?? { identity: version.lineage };
    return { kind: 'file', identity, size: version.size, validFor, ...this.#ofVersion(version) };
  }

  #ofOpenFile(file: OpenFile): Attributes {
    const { version, identity, size } = file;
    const known = { kind: 'file', identity, size, validFor: 0 } as const;
    if (!file.dirty && version !== null) return { ...known, ...this.#ofVersion(version) };
    const modified = version?.lastModified.getTime() ?? this.#mount.clock.now();
    return { ...known, ...this.#common(file.local, FILE_MODE, modified) };
  }

  #ofVersion(version: Version): LocallyKept {
    return this.#common(version.local, FILE_MODE, version.lastModified.getTime());
  }

  #common(local: LocalAttributes, mode: number, modified: number): LocallyKept {
    const { uid, gid, umask } = this.#mount.settings;
    const mtime = local.mtime ?? modified;
    return {
      mode: local.mode ?? mode & ~umask,
      uid: local.uid ?? uid,
      gid: local.gid ?? gid,
      mtime,
      atime: local.atime ?? mtime,
      ctime: local.ctime ?? mtime,
    };
  }
}

function definedOf(change: AttributeChange): LocalAttributes {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
