/**
 * A rename over a file that waited for its upload has failed, and left its copy on the service, under the waiting file, which programs go on
 * to see: when its name goes, nobody wants the copy.
 */
import { keyOfPath } from '../../store/keys.ts';
import { removeObject } from '../../store/lasting-change.ts';
import type { Version } from '../../store/version.ts';
import { mayHaveBeenDone } from '../errno-of.ts';
import type { MountState } from '../mount-state.ts';
import { OpenFile } from '../open-file.ts';
import type { Deletions } from '../write-back/deletions.ts';

/**
 * The name of `file` is about to go, or to change: so does first what a failed rename has left there, or with `--write-back` it is owed. What
 * others have stored in its place stays. Rejects with a refusal, or with the local disk's error. For callers who hold the claim of the path.
 */
export async function removeLeftCopy(mount: MountState, deletions: Deletions, file: OpenFile): Promise<void> {
  const { path, leftCopy } = file;
  if (leftCopy === null) return;
  const { known } = mount.namespace;
  if (mount.settings.writeBack) {
    // Meant is the copy, whatever is known to be stored there by now.
    await deletions.promise(Object.assign(new OpenFile(path, leftCopy), { dirty: true }));
    known.going(path);
  } else await removeCopy(mount, path, leftCopy);
  file.leftCopy = null;
}

/** Deletes `copy` if it is what is stored under `path`. Rejects as above. */
export async function removeCopy(mount: MountState, path: string, copy: Version): Promise<void> {
  const { known } = mount.namespace;
  if (!(await isThere(mount, path, copy))) return;
  try {
    await removeObject(mount.store, keyOfPath(path), () => isThere(mount, path, copy));
  } catch (error) {
    if (mayHaveBeenDone(error)) known.changed(path, { kind: 'unknown' });
    throw error;
  }
  known.changed(path, { kind: 'missing' });
}

async function isThere({ namespace }: MountState, path: string, copy: Version): Promise<boolean> {
  const there = await namespace.confirmFile(path, [copy]);
  return there?.kind === 'file' && copy.isSame(there.version);
}
