/** Where do the files lie that the bench makes? In folders of their own, which are gone when it ends. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMountTable } from '../../src/fuse/mount-table.ts';
import { enterUndo, requireGoingOn, type Undo } from './undoing.ts';

export interface TemporaryFolder {
  /** As the kernel's table of mounts would name it. */
  readonly path: string;
  /** With all that is in it. Rejects while something is mounted there: its files are not the bench's to remove. */
  readonly remove: Undo;
}

/** In the system's folder for temporary files; `purpose` is part of its name. Throws when the bench ends. */
export function makeFolder(purpose: string): TemporaryFolder {
  requireGoingOn();
  const path = realpathSync(mkdtempSync(join(tmpdir(), `pailfs-bench-${purpose}-`)));
  return { path, remove: enterUndo(() => removeFolder(path)) };
}

async function removeFolder(path: string): Promise<void> {
  const mount = (await readMountTable()).find(({ mountpoint }) => mountpoint.startsWith(`${path}/`));
  if (mount !== undefined) throw new Error(`${mount.mountpoint} is still mounted`);
  // Again where something was made meanwhile: who makes it may hear only then that the bench ends.
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}
