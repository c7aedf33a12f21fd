/** What do stat and readdir show? */
import { TextSet } from '../../base/text-set.ts';
import type { Waiter } from '../../base/waiter.ts';
import type { Entry, NamesBatch, WholeNames } from '../../namespace/entries.ts';
import { childOf, nameOf } from '../../store/keys.ts';
import type { LocalAttributes, Version } from '../../store/version.ts';
import { isUnanswered } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type { FolderTimes } from './folder-times.ts';
import { existing, type Existing } from './found.ts';
import type { MountState } from '../mount-state.ts';
import { apartFromTimes, type Handle, type OpenFile } from '../open-file.ts';
import type { AttributeChange, Attributes, DirectoryEntry, ShownListing } from '../operations.ts';
import {
  FILE_MODE,
  FOLDER_MODE,
  changedLocal,
  localOf,
  shownAttributes,
  type ShownAttributes,
} from '../attributes/shown-attributes.ts';

/**
 * The kernel sees every change of what is open, and need not ask after each; but not that its new bytes were refused, and the
 * path shows the stored ones again. Milliseconds.
 */
const OPEN_VALID_FOR = 1000;

/** Names whose attributes are made together. */
const MOST_AT_ONCE = 1000;

interface Showing {
  readonly batch: NamesBatch;
  readonly shown: TextSet;
}

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
    const glanced = this.#mount.namespace.known.glanceFresh(path);
    const isThere = glanced !== undefined && glanced.kind !== 'missing';
    return this.#ofEntry(path, isThere ? glanced : await this.entry(path, waiter));
  }

  /** In batches as they become known, none of them empty, each name once. Returns what was shown, if it is still so. */
  async *list(
    path: string,
    waiter?: Waiter,
  ): AsyncGenerator<readonly DirectoryEntry[], ShownListing | undefined> {
    if (this.#mount.table.dirty(path) !== undefined) throw new FsError('ENOTDIR', path, 'it is a file');
    const entry = await this.#found(path, waiter);
    if (entry.kind !== 'folder') throw new FsError('ENOTDIR', path, 'it is not a folder');
    const shown = new TextSet();
    let whole: WholeNames | null = null;
    const { namespace, table } = this.#mount;
    const isDraft = (name: string): boolean => table.dirty(childOf(path, name)) !== undefined;
    for await (const batch of namespace.batches(path, waiter, isDraft)) {
      ({ whole } = batch);
      const drafts = whole !== null ? table.dirtyIn(path) : [];
      const draftNames = drafts.map((file) => nameOf(file.path));
      // Not all of a million at once.
      for (const names of inParts(batch.names, draftNames)) {
        const entries = this.#shownFirst(path, names, { batch, shown });
        if (entries.length > 0) yield entries;
      }
    }
    return whole?.count === shown.size ? this.#shownListing(path, whole) : undefined;
  }

  /** `whole`: nothing else was shown of `path`. */
  #shownListing(path: string, whole: WholeNames): ShownListing | undefined {
    const { table, namespace } = this.#mount;
    const stillFor = (): number => (table.dirtyIn(path).length > 0 ? 0 : whole.stillFor());
    const listedAgain = (): void => {
      namespace.listedAgain(path);
    };
    return stillFor() > 0 ? { stillFor, listedAgain } : undefined;
  }

  /** Of `names` those that no batch has shown before. */
  #shownFirst(path: string, names: readonly string[], { batch, shown }: Showing): DirectoryEntry[] {
    const entries: DirectoryEntry[] = [];
    for (const name of names) {
      if (shown.has(name)) continue;
      const known = batch.peek(name);
      const child = childOf(path, name);
      // A name that the service does not have may still be taken away until the whole folder is shown.
      const draft =
        known?.kind === 'file' || batch.whole !== null ? this.#mount.table.dirty(child) : undefined;
      const attributes = draft === undefined ? this.#ofKnown(child, known) : this.#ofOpenFile(draft);
      if (attributes === undefined) continue;
      shown.add(name);
      entries.push({ name, attributes });
    }
    return entries;
  }

  #ofKnown(path: string, known: Entry | undefined): Attributes | undefined {
    return known === undefined || known.kind === 'missing' ? undefined : this.#ofEntry(path, known);
  }

  /** Kept here, for this version of the file; costs no request. */
  async setAttributes(path: string, change: AttributeChange, handle?: Handle): Promise<void> {
    const local = localOf(change, this.#mount.clock.now());
    const { table } = this.#mount;
    const file = handle?.file ?? table.dirty(path);
    if (file !== undefined) {
      this.#setOfFile(file, local);
      return;
    }
    const entry = await this.entry(path);
    // A program may have begun to write meanwhile: what it writes has the attributes of before, and takes these.
    const written = table.dirty(path);
    if (written !== undefined) this.#setOfFile(written, local);
    else if (entry.kind === 'file') this.#setOf(entry.version, local, path);
    else this.#folderTimes.set(path, local);
  }

  /** A program has set something else of the file at `path`: as on a disk, its ctime says so. Asks nothing. */
  setElsewhere(path: string): void {
    const { table, namespace, clock } = this.#mount;
    const local = localOf({}, clock.now());
    const file = table.dirty(path);
    const entry = namespace.known.recall(path);
    if (file !== undefined) this.#setOfFile(file, local);
    else if (entry?.kind === 'file') this.#setOf(entry.version, local, path);
  }

  #setOfFile(file: OpenFile, local: LocalAttributes): void {
    if (file.version !== null && !file.dirty) {
      this.#setOf(file.version, local, file.detached ? null : file.path);
      return;
    }
    file.setLocal(local);
    this.#mount.kept.attributesSet(file);
    // What is stored is the file until what is written is whole: also after a kill, which may leave nothing of that.
    const whole = apartFromTimes(local);
    if (file.version !== null && Object.keys(whole).length > 0)
      this.#setOf(file.version, whole, file.detached ? null : file.path);
  }

  /** `path`: where the version may be; null: it has no name any more. */
  #setOf(version: Version, local: LocalAttributes, path: string | null): void {
    version.local = changedLocal(version.local, local, version.lastModified.getTime());
    if (path === null) return;
    const entry = this.#mount.namespace.known.recall(path);
    // Who has a file open that somebody else has replaced sets nothing of what is there now.
    if (entry?.kind === 'file' && !version.isSame(entry.version)) return;
    this.#mount.attributes.set(path, version);
  }

  /** What exists at `path`; while nobody answers, also a folder in which files wait: these are to be in reach. Rejects with ENOENT or ENOTDIR. */
  async entry(path: string, waiter?: Waiter): Promise<Existing> {
    try {
      return await this.#found(path, waiter);
    } catch (error) {
      if (!isUnanswered(error) || !this.#mount.table.hasDirtyBelow(path)) throw error;
      return { kind: 'folder', confirmedAt: this.#mount.clock.monotonic(), told: false };
    }
  }

  async #found(path: string, waiter?: Waiter): Promise<Existing> {
    const { namespace } = this.#mount;
    const found = await namespace.lookup(path, waiter);
    const validFor = found.kind === 'missing' ? namespace.known.trustedFor(path, found) : 0;
    return existing(path, found, validFor);
  }

  #ofEntry(path: string, entry: Existing): Attributes {
    const validFor = this.#mount.namespace.known.trustedFor(path, entry);
    if (entry.kind === 'folder') {
      const local = this.#folderTimes.of(path);
      return {
        kind: 'folder',
        identity: 0,
        size: 0,
        links: 1,
        validFor,
        ...this.#shown(local, FOLDER_MODE, local.mtime),
      };
    }
    const { version } = entry;
    const { identity } = this.#mount.table.shown(path, version) ?? { identity: version.lineage };
    const { follows, size } = version;
    return { kind: 'file', identity, follows, size, links: 1, validFor, ...this.#ofVersion(version) };
  }

  #ofOpenFile(file: OpenFile): Attributes {
    const { version, identity, size } = file;
    const { known: names } = this.#mount.namespace;
    const validFor = Math.min(OPEN_VALID_FOR, names.freshFor(file.path, this.#mount.clock.monotonic()));
    const follows = version?.follows;
    const known = { kind: 'file', identity, follows, size, links: file.detached ? 0 : 1, validFor } as const;
    if (!file.dirty && version !== null) return { ...known, ...this.#ofVersion(version) };
    const modified = version?.lastModified.getTime() ?? this.#mount.clock.now();
    return { ...known, ...this.#shown(file.wishes.local, FILE_MODE, modified) };
  }

  #ofVersion(version: Version): ShownAttributes {
    return this.#shown(version.local, FILE_MODE, version.lastModified.getTime());
  }

  #shown(local: LocalAttributes, mode: number, modified: number): ShownAttributes {
    return shownAttributes(local, this.#mount.settings, { mode, modified });
  }
}

/** All names, so many at a time. */
function* inParts(...groups: readonly Iterable<string>[]): Generator<readonly string[], void> {
  let part: string[] = [];
  for (const names of groups) {
    for (const name of names) {
      part.push(name);
      if (part.length < MOST_AT_ONCE) continue;
      yield part;
      part = [];
    }
  }
  yield part;
}
