/** Which files of a mount does a path mean? Asked of the mount itself, so that its drafts and its memory take part. */
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { throwInWords, type ControlClient } from '../control-client.ts';
import type { LinkDocument } from '../control-documents.ts';
import { findMountedPath } from '../mounted-path.ts';
import type { FileLink, LinkableFile } from './linkable-file.ts';

/** `recursive`: all files below a folder, too. Rejects with a `CommandError` or a Node system error. */
export async function mountedFiles(word: string, recursive: boolean): Promise<readonly LinkableFile[]> {
  const { path, control } = await findMountedPath(word);
  if (!(await isFolder(word))) return [linkable(control, word, path)];
  if (!recursive) throw new CommandError(exitCodes.failed, 'it is a folder: add -r');
  const entries = await readdir(word, { recursive: true, withFileTypes: true });
  const below = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(word, join(entry.parentPath, entry.name)))
    .sort();
  return below.map((file) => linkable(control, join(word, file), join(path, file)));
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
      fileLink(await control.setVisibility(path, visibility).catch(throwInWords)),
  };
}

function fileLink({ visibility, url, expiresAt }: LinkDocument): FileLink {
  return { visibility, url, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}
