/** In which mount is a path, what is it called there, and whom can one ask about it? */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { readMountTable, type MountEntry } from '../../fuse/mount-table.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { ControlClient, throwInWords } from '../control/control-client.ts';
import { shellWord } from '../screen/shell-word.ts';
import { mountOf, mountOnTheWay, mountpointsOf } from './mount-on-the-way.ts';
import { findControlSocket } from './control-sockets.ts';
import { readRecord } from './mount-record.ts';
import { recordDirectories } from './record-directories.ts';
import { isRunning } from './process-identity.ts';

export interface MountedPath {
  /** Canonical. */
  readonly mountpoint: string;
  /** As the mount names it: absolute, `/` for its top. */
  readonly path: string;
  readonly control: ControlClient;
}

/** Need not exist, but for its mount. Rejects with a `CommandError`. */
export async function findMountedPath(word: string): Promise<MountedPath> {
  const table = await readMountTable();
  const first = await mountOnTheWay(resolve(word), table);
  // Before anybody looks at what is in it, which one of a process that is stopped, or hangs, would make wait for ever.
  if (first !== undefined) await askedAbout(first.mount, table);
  const canonical = await canonicalPath(resolve(word));
  const mount = mountOf(canonical, table);
  if (mount === undefined) {
    throw new CommandError(exitCodes.failed, 'it is in no mount of pailfs: "pailfs status" lists them');
  }
  const path = join(mount.root, canonical.slice(mount.mountpoint.length));
  const asked = await askedAbout(mount, table);
  if (asked !== undefined) return { ...asked, path };
  throw new CommandError(
    exitCodes.failed,
    `nobody can be asked about ${mount.mountpoint}: it is another user's mount, or its process is gone; "pailfs status ${shellWord(mount.mountpoint)}" tells`,
  );
}

type Asked = Pick<MountedPath, 'mountpoint' | 'control'>;

/** As `controlOf`, wherever its process has mounted it. */
async function askedAbout(mount: MountEntry, table: readonly MountEntry[]): Promise<Asked | undefined> {
  for (const mountpoint of mountpointsOf(mount, table)) {
    const control = await controlOf(mountpoint);
    if (control !== undefined) return { mountpoint, control };
  }
  return undefined;
}

/** One that answers; undefined when there is none. Rejects with a `CommandError` when its process does not answer. */
async function controlOf(mountpoint: string): Promise<ControlClient | undefined> {
  const directories = await recordDirectories(process.getuid?.() ?? 0);
  const record = await readRecord(directories, mountpoint);
  if (record === undefined || !(await isRunning(record.process))) return undefined;
  const socket = await findControlSocket(directories, record);
  if (socket === undefined) return undefined;
  const control = new ControlClient(socket);
  await control.requireAnswer().catch(throwInWords);
  return control;
}

/** Without symbolic links, as far as it exists. */
async function canonicalPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
    if (isMissing) return join(await canonicalPath(dirname(path)), basename(path));
    throw new CommandError(
      exitCodes.failed,
      `it cannot be looked up (${inWords(error, path)}): "pailfs status" tells whether its mount works`,
      { cause: error },
    );
  }
}
