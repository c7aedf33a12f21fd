/**
 * What does the service have under the old name of a file that is renamed, and when may that go? Never the last whole copy, and nothing
 * that somebody else has stored there.
 */
import type { Draft } from '../../content/draft.ts';
import { isRefusal } from '../../service/refusal.ts';
import { keyOfPath } from '../../store/keys.ts';
import { removeObject } from '../../store/lasting-change.ts';
import type { Version } from '../../store/version.ts';
import { mayHaveBeenDone, reasonOf, toFsError } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';

/** The old file may be gone, or go later: the copy may be the only one. */
export class OldFileUnsure extends FsError {
  constructor(path: string, cause: unknown) {
    const reason = `whether the file is gone from its old name, or will be, is not known: ${reasonOf(cause)}`;
    super(toFsError(cause, path).code, path, reason, { cause });
  }
}

/** The bytes of a file that may go under another name: no program is writing them. */
export interface Whole {
  /** Holds them; null: they are those of `version`. */
  readonly draft: Draft | null;
  readonly version: Version | null;
  /** What programs are writing meanwhile: it follows the file, and is for their close to store. */
  readonly stays: Draft | null;
}

/** For a caller who holds the claims of both paths and has closed the source's gate (write-gate.ts). */
export class RenameSources {
  readonly #mount: MountState;

  constructor(mount: MountState) {
    this.#mount = mount;
  }

  /**
   * What a rename of `source` stores under the new name: the newest bytes that are whole. Null when the service has none of them any
   * more, and what is here is half written. Rejects with ESTALE when somebody else has replaced them and the program must hear of it.
   */
  async wholeOf(source: OpenFile): Promise<Whole | null> {
    const { sealed, version, halfWritten: stays, path } = source;
    const draft = stays === null ? source.draft : (sealed?.draft ?? null);
    if (stays === null || draft !== null) {
      // Before anything is stored under the new name, where a file may be that the program would have lost for nothing.
      if (this.#tellsConflicts(source, draft)) await this.#refuseReplaced(source);
      return { draft, version, stays };
    }
    const entry = await this.#mount.namespace.confirmFile(path, source.possibleVersions);
    if (entry?.kind !== 'file') return null;
    if (isAmong(entry.version, source.possibleVersions))
      return { draft: null, version: entry.version, stays };
    if (!this.#tellsConflicts(source, draft)) return null;
    throw replacedMeanwhile(path);
  }

  /**
   * Deletes the source, of which `draft` was copied or what is stored, under its old name: after a look whether it still is what was
   * copied, unless it was `just stored`. What somebody else has stored there stays: returns whether nothing did. Rejects with ESTALE when
   * the copy is not what the name has by now and its program must hear of it, unless that is gone, and with the refusal when the source is
   * still there.
   */
  async deleteOld(
    source: OpenFile,
    draft: Draft | null,
    asked: 'now' | 'just stored' | 'by a process that is gone',
  ): Promise<boolean> {
    const { path } = source;
    if (asked !== 'just stored' && !(await this.#isStill(path, source.possibleVersions))) {
      // What was copied is new here, so it is no matter what its old name shows.
      const isGone = asked === 'by a process that is gone' && draft !== null;
      if (source.dirty && (isGone || !this.#tellsConflicts(source, draft))) return false;
      throw replacedWhileRenamed(path);
    }
    try {
      await this.#remove(source);
    } catch (error) {
      // Also where it was refused: the copy is the only one unless this is seen.
      this.#mount.namespace.known.doubt(path);
      if (!isRefusal(error, 'missing')) await this.#deleteUnsure(source, error);
    }
    return true;
  }

  /** What others store under the old name between two tries stays. */
  #remove({ path, possibleVersions }: OpenFile): Promise<void> {
    return removeObject(this.#mount.store, keyOfPath(path), () => this.#isStill(path, possibleVersions));
  }

  /** The DELETE of the old file was answered with `error`, or not at all. Resolves when it is gone. */
  async #deleteUnsure(source: OpenFile, error: unknown): Promise<void> {
    const { path } = source;
    const left = await this.#leftAt(path, source.possibleVersions);
    if (left === 'nothing') return;
    if (!mayHaveBeenDone(error)) throw left === 'another' ? replacedWhileRenamed(path, error) : error;
    // That it is there does not tell that it stays: the DELETE may still be done, and the copy would be the only one.
    if (left === 'another') throw new OldFileUnsure(path, error);
    await this.#remove(source).catch((again: unknown) => {
      if (!isRefusal(again, 'missing')) throw new OldFileUnsure(path, again);
    });
  }

  /** Whether what is copied of `source`, in `draft` unless it is what is stored, is an edit whose program must hear of a conflict. */
  #tellsConflicts(source: OpenFile, draft: Draft | null): boolean {
    const newest = draft ?? source.draft;
    if (!source.dirty || newest === null || this.#mount.settings.conflict !== 'fail') return false;
    return source.wishesOf(newest).basis === 'edit';
  }

  async #refuseReplaced(source: OpenFile): Promise<void> {
    if (await this.#isStill(source.path, source.possibleVersions)) return;
    throw replacedMeanwhile(source.path);
  }

  async #isStill(path: string, versions: readonly Version[]): Promise<boolean> {
    const entry = await this.#mount.namespace.confirmFile(path, versions);
    // One that somebody else has deleted meanwhile is no obstacle.
    return entry?.kind !== 'file' || isAmong(entry.version, versions);
  }

  /** Rejects with `OldFileUnsure` when nobody knows. */
  async #leftAt(path: string, versions: readonly Version[]): Promise<'nothing' | 'old' | 'another'> {
    try {
      const entry = await this.#mount.namespace.confirmFile(path, versions);
      if (entry?.kind !== 'file') return 'nothing';
      return isAmong(entry.version, versions) ? 'old' : 'another';
    } catch (error) {
      throw new OldFileUnsure(path, error);
    }
  }
}

function replacedMeanwhile(path: string): FsError {
  return new FsError('ESTALE', path, 'somebody else replaced the file while it was edited here');
}

function replacedWhileRenamed(path: string, cause?: unknown): FsError {
  return new FsError('ESTALE', path, 'somebody else replaced the file while it was renamed', { cause });
}

function isAmong(version: Version, versions: readonly Version[]): boolean {
  return versions.some((each) => each.isSame(version));
}
