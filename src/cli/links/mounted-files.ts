/** Which files of a mount does a path mean? Asked of the mount itself, so that its drafts and its memory take part. */
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { atOnce } from '../../base/at-once.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import {
  ControlRefused,
  throwInWords,
  throwOfChange,
  type ControlClient,
} from '../control/control-client.ts';
import type { LinkDocument } from '../control/control-documents.ts';
import { findMountedPath } from '../found-mounts/mounted-path.ts';
import { counted } from '../screen/figures.ts';
import type { FileLink, LinkableFile } from './linkable-file.ts';

/** Questions to the mount. */
const AT_ONCE = 8;

/** `recursive`: all files below a folder, too. Rejects with a `CommandError` or a Node system error. */
export async function mountedFiles(word: string, recursive: boolean): Promise<readonly LinkableFile[]> {
  const { path, control } = await findMountedPath(word);
  if (!(await isFolder(word))) return [linkable(control, word, path)];
  if (!recursive) throw new CommandError(exitCodes.failed, 'it is a folder: add -r');
  const entries = await readdir(word, { recursive: true, withFileTypes: true });
  const named = entries.map((entry) => ({
    isFile: entry.isFile(),
    name: relative(word, join(entry.parentPath, entry.name)),
  }));
  const files = named.filter(({ isFile }) => isFile).map(({ name }) => name);
  const folders = ['', ...named.filter(({ isFile }) => !isFile).map(({ name }) => name)];
  return [
    ...files.sort().map((file) => linkable(control, join(word, file), join(path, file))),
    ...(await unshown(control, folders.sort(), (folder) => [join(word, folder), join(path, folder)])),
  ];
}

/** What no name shows is not passed over in silence: a link that was to go would stay. */
async function unshown(
  control: ControlClient,
  folders: readonly string[],
  placeOf: (folder: string) => readonly [what: string, path: string],
): Promise<readonly LinkableFile[]> {
  const left: { readonly what: string; readonly why: CommandError }[] = [];
  const { failed } = exitCodes;
  await atOnce(folders, AT_ONCE, async (folder) => {
    const [what, path] = placeOf(folder);
    try {
      const keys = await control.hidden(path);
      if (keys === 0) return;
      const why = new CommandError(
        failed,
        `${counted(keys, 'key')} in it cannot be shown in a mount: name them as BUCKET:KEY`,
      );
      left.push({ what, why });
    } catch (error) {
      // What goes meanwhile has nothing left, and no other file is to wait for it.
      if (!(error instanceof ControlRefused)) throwInWords(error);
      if (await isThere(what)) left.push({ what, why: new CommandError(failed, error.message) });
    }
  });
  return left.map(({ what, why }) => {
    const refuse = (): Promise<never> => Promise.reject(why);
    return { what, link: refuse, setVisibility: refuse };
  });
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'ENOENT';
  }
}

async function isFolder(word: string): Promise<boolean> {
  try {
    return (await stat(word)).isDirectory();
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(exitCodes.failed, 'it does not exist', { cause: error });
  }
}

function linkable(control: ControlClient, what: string, path: string): LinkableFile {
  return {
    what,
    link: async () => fileLink(await control.link(path).catch(throwInWords)),
    setVisibility: async (visibility) =>
      fileLink(await control.setVisibility(path, visibility).catch(throwOfChange)),
  };
}

function fileLink({ visibility, url, expiresAt }: LinkDocument): FileLink {
  return { visibility, url, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}
