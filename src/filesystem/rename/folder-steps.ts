/** Which steps does the rename of a folder take, whether it begins, goes on after a crash, or is undone? */
import { describeError } from '../../base/errors.ts';
import { FsError } from '../errors.ts';
import type { FolderTimes } from '../names/folder-times.ts';
import { heldBelow, type FolderTree, type StoredFile } from './folder-tree.ts';
import type { Folders } from '../names/folders.ts';
import type { MountState } from '../mount-state.ts';
import type { Moving } from './moving.ts';
import type { OpenFile } from '../open-file.ts';
import type { FolderRecord } from './rename-journal.ts';
import type { Version } from '../../store/version.ts';
import type { Uploading } from '../write/uploading.ts';

export const FILES_AT_ONCE = 8;
/** What rmdir says when others have put something into the folder, or removed it. */
const SOMEBODY_ELSES: ReadonlySet<string> = new Set(['ENOTEMPTY', 'ENOENT']);

export interface FolderMoveParts {
  readonly moving: Moving;
  readonly uploading: Uploading;
  readonly folders: Folders;
  readonly folderTimes: FolderTimes;
}

/** What shall move, and where to. */
export interface FolderPlan {
  readonly from: string;
  readonly to: string;
  /** An empty folder is at `to`. */
  readonly isReplaced: boolean;
  readonly tree: FolderTree;
  readonly record: FolderRecord;
}

/** What was done so far, and is to be undone when the rest fails. */
export interface FolderSteps {
  /** Folders under the new name that are there because of us, or may be. */
  readonly made: string[];
  /** Under their new names. */
  readonly moved: StoredFile[];
  /** Of files that did not get there: what may stand under their new names all the same, and which version it is a copy of. */
  readonly copies: (StoredFile & { readonly of: Version })[];
  readonly carried: OpenFile[];
  /** Folders under the old name that are gone, or may be. */
  readonly removed: string[];
}

/** What below `from` is not on the service. */
export function heldAlone(mount: MountState, from: string): readonly OpenFile[] {
  const { known } = mount.namespace;
  return heldBelow(mount, from).filter((file) => file.isUnsent || known.recall(file.path)?.kind !== 'file');
}

/** Gives `file`, which the service does not have, the path `to`. Returns as `Moving.move`. */
export function carry(moving: Moving, file: OpenFile, to: string): Promise<OpenFile | null> {
  return file.isUnsent ? moving.drafts.carry(file, to) : moving.drafts.moveHeld(file, to);
}

/**
 * Removes `paths`, folders in an order as `FolderTree` has them, and enters in `gone` each that may be gone. One into which somebody
 * else has put something stays, and the log says so. Rejects as rmdir does.
 */
export async function removeFolders(
  { log, namespace }: MountState,
  folders: Folders,
  paths: readonly string[],
  gone: string[],
): Promise<void> {
  for (const path of paths.toReversed()) {
    try {
      await folders.removeClaimed(path);
      gone.push(path);
    } catch (error) {
      if (!(error instanceof FsError) || !SOMEBODY_ELSES.has(error.code)) {
        gone.push(path);
        namespace.known.doubt(path);
        throw error;
      }
      log.warn('a renamed folder stays under its old name, too', { path, cause: describeError(error) });
    }
  }
}
