/** Which files are open, or wait to be uploaded, and under which path? */
import { isWithin, nameOf, parentOf } from '../store/keys.ts';
import type { Version } from '../store/version.ts';
import { OpenFile } from './open-file.ts';

interface Arriving {
  readonly file: OpenFile;
  readonly version: Version;
  /** Resolves when the rename has ended. */
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** At most one file a path. Detached files are not in it. */
export class FileTable {
  readonly #byPath = new Map<string, OpenFile>();
  /** Names of files with something to upload, by folder: a listing must show them without looking at every open file. */
  readonly #byFolder = new Map<string, Map<string, OpenFile>>();

  /** Files that a rename is about to bring to a path, which has their bytes already, with what they are there. */
  readonly #arriving = new Map<string, Arriving>();
  /** Paths that a rename is about to bring a file to, or to take one from, and whose bytes are not where they will be. */
  readonly #awaiting = new Set<string>();

  get(path: string): OpenFile | undefined {
    return this.#byPath.get(path);
  }

  /** The file at `path` when its draft is what the path shows. */
  dirty(path: string): OpenFile | undefined {
    const file = this.#byPath.get(path);
    return file?.dirty === true ? file : undefined;
  }

  /** The open file with this version at `path`. */
  shown(path: string, version: Version): OpenFile | undefined {
    const arriving = this.#arriving.get(path);
    const open = this.#byPath.get(path);
    // What is about to be written there keeps the name, and its readers are to see that.
    const isWritten = open?.hasWriters() === true && open.version?.isSame(version) === true;
    if (arriving?.version === version && !isWritten) return arriving.file;
    if (open?.version?.isSame(version) === true) {
      open.forgetGuessed();
      return open;
    }
    // Several uploads of it may have come, of an earlier mount that owed it its link: this one has.
    const other = open?.publishPending === true && open.doubts.versions.find((each) => each.isSame(version));
    if (open === undefined || !other) return undefined;
    open.doubts.versions = open.doubts.versions.filter((each) => each !== other);
    open.take(version);
    return open;
  }

  /** The open file with this version at `path`; else one that nobody has open yet, and that is not entered here. */
  holding(path: string, version: Version): OpenFile {
    return this.shown(path, version) ?? new OpenFile(path, version);
  }

  /** As `holding`, and entered here: whoever opens the path from now on gets this file. */
  entered(path: string, version: Version): OpenFile {
    const file = this.holding(path, version);
    if (this.get(path) !== file) this.add(file);
    return file;
  }

  /** `file` is from now on the one at its path. */
  add(file: OpenFile): void {
    this.#byPath.set(file.path, file);
    const names = this.#byFolder.get(parentOf(file.path)) ?? new Map<string, OpenFile>();
    names.set(nameOf(file.path), file);
    this.#byFolder.set(parentOf(file.path), names);
  }

  /** Until `arrived`, whoever opens `version` at `path` gets `file`, whose name that will be when a rename has ended. */
  arrive(path: string, version: Version, file: OpenFile): void {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#arriving.set(path, { file, version, ended, end });
  }

  /** Until the returned function is called, what `path` leads to is about to be another. Of a path, one at a time. */
  awaiting(path: string): () => void {
    this.#awaiting.add(path);
    return () => {
      this.#awaiting.delete(path);
    };
  }

  /** Whether who opens `path` to write had better wait. */
  isArriving(path: string): boolean {
    return this.#arriving.has(path) || this.#awaiting.has(path);
  }

  /** Whether programs have written, or are about to write, to another file than `file` at `path`. */
  isTaken(path: string, file: OpenFile | undefined): boolean {
    const there = this.#byPath.get(path);
    return there !== undefined && there !== file && (there.dirty || there.hasWriters());
  }

  /** The rename to `path` has ended. */
  arrived(path: string): void {
    this.#arriving.get(path)?.end();
    this.#arriving.delete(path);
  }

  /** Resolves when the rename has ended that takes `file` away from its path; undefined when none does. */
  endOfMove(file: OpenFile): Promise<void> | undefined {
    for (const arriving of this.#arriving.values()) if (arriving.file === file) return arriving.ended;
    return undefined;
  }

  /** `file` has a draft now: its path leads to it, unless another draft is there already, or what owes its link, which nobody would restore. */
  show(file: OpenFile): void {
    const there = this.#byPath.get(file.path);
    if (there !== file && there?.dirty !== true && there?.publishPending !== true) this.add(file);
  }

  /** Its path no longer leads to `file`; nothing happens when it leads to another already. */
  remove(file: OpenFile): void {
    if (this.#byPath.get(file.path) !== file) return;
    this.#byPath.delete(file.path);
    const names = this.#byFolder.get(parentOf(file.path));
    names?.delete(nameOf(file.path));
    if (names?.size === 0) this.#byFolder.delete(parentOf(file.path));
  }

  /**
   * The name no longer leads to `file`. Its handles go on, locally; without any its draft is the caller's to drop. Tell in the same
   * turn of the event loop what the name leads to now.
   */
  detach(file: OpenFile): void {
    file.detached = true;
    this.remove(file);
  }

  /** Files with a draft to show, directly inside `folder`. */
  dirtyIn(folder: string): OpenFile[] {
    return [...(this.#byFolder.get(folder)?.values() ?? [])].filter((file) => file.dirty);
  }

  /** Whether anything inside `folder`, however deep, has a draft to show. */
  hasDirtyBelow(folder: string): boolean {
    return [...this.#byFolder.keys()].some((path) => isWithin(path, folder) && this.dirtyIn(path).length > 0);
  }

  all(): OpenFile[] {
    return [...this.#byPath.values()];
  }
}
