/**
 * How do bytes that the service does not have get into ordinary files? Each goes below one directory, under its key, never
 * outside, and never over a file that is there: then it gets a number.
 */
import { mkdir, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { CONTENT_START } from '../../content/draft-header.ts';
import { markedName } from '../../filesystem/write/marked-name.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import { isUsableName } from '../../store/keys.ts';
import { CommandError, exitCodes } from '../command-error.ts';

const CHUNK = 1024 * 1024;
/** A program may write to a draft while it is read. */
const TRIES = 5;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Whether there is anything to export of `change`, or was. */
export function hasBytes({ file, state }: UnsentChange): boolean {
  return file !== null || state === 'gone';
}

/** The directory that bytes are exported to. Rejects with a `CommandError` where it cannot be. */
export async function makeTop(top: string): Promise<void> {
  try {
    // Not recursive: below /proc Node tries that for ever.
    if ((await stat(top).catch(nullWhenMissing)) === null) await mkdir(top);
    if ((await stat(top)).isDirectory()) return;
  } catch (error) {
    throw cannotExportTo(top, inWords(error, top), error);
  }
  throw cannotExportTo(top, 'it is no directory');
}

function cannotExportTo(top: string, reason: string, cause?: unknown): CommandError {
  return new CommandError(exitCodes.failed, `nothing can be exported to ${top}: ${reason}`, { cause });
}

function nullWhenMissing(error: unknown): null {
  if (systemErrorCode(error) === 'ENOENT') return null;
  throw error;
}

/**
 * Writes the bytes of `change` below `directory`, which exists; resolves with the file's path. Rejects with why it could not, also when `signal`
 * ends it: half of them, under the name of all, would be taken for them.
 */
export async function exportDraft(
  change: UnsentChange,
  directory: string,
  signal?: AbortSignal,
): Promise<string> {
  const { file, path, id } = change;
  if (file === null) throw new Error(change.reason ?? 'it has no bytes');
  const names = path === null ? [`without a name ${id}`] : path.slice(1).split('/');
  // No key with such a segment is ever shown in a mount; but the name stands in a file that anything may have written.
  if (!names.every(isUsableName)) throw new Error('its key is no path');
  const top = await realpath(directory);
  let folder = top;
  for (const name of names.slice(0, -1)) folder = await folderIn(folder, name, top);
  // Not under its name until all of it is there: a process that is killed takes nothing back.
  const part = await newFile(folder, `.pailfs-export-${id}`);
  try {
    await copyStill(file, part.handle, signal);
    await part.handle.sync();
    return await placed(part.path, folder, names.at(-1) ?? '');
  } catch (error) {
    await rm(part.path, { force: true });
    if (systemErrorCode(error) === 'ENOENT')
      throw new Error('it was stored meanwhile, or newer bytes took its place', { cause: error });
    throw error;
  } finally {
    await part.handle.close();
  }
}

/** Gives the whole file at `part` the `name` in `folder`, or one with a number; resolves with its path. */
async function placed(part: string, folder: string, name: string): Promise<string> {
  const { path, handle } = await newFile(folder, name);
  await handle.close();
  try {
    await rename(part, path);
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** The folder `name` in `parent`, made when missing; with a number when a file has the name. */
async function folderIn(parent: string, name: string, top: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(parent, numbered(name, number));
    await mkdir(path, { mode: DIRECTORY_MODE }).catch((error: unknown) => {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    });
    const real = await realOf(path);
    if (real === null || !(await stat(real)).isDirectory()) continue;
    // A symbolic link would lead elsewhere.
    if (real.startsWith(top === sep ? sep : `${top}${sep}`)) return real;
  }
}

/** Null of a symbolic link that leads nowhere. */
async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function newFile(
  folder: string,
  name: string,
): Promise<{ readonly path: string; readonly handle: FileHandle }> {
  for (let number = 1; ; number += 1) {
    const path = join(folder, numbered(name, number));
    try {
      return { path, handle: await open(path, 'wx', FILE_MODE) };
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

function numbered(name: string, number: number): string {
  return number === 1 ? name : markedName(name, String(number));
}

/** Copies until nobody has written meanwhile: half of one content and half of another is neither. */
async function copyStill(file: string, to: FileHandle, signal: AbortSignal | undefined): Promise<void> {
  const from = await open(file, 'r');
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await from.stat();
      await to.truncate(0);
      await copyContent(from, to, { end: before.size, signal });
      const after = await from.stat();
      if (before.mtimeMs === after.mtimeMs && before.size === after.size) return;
    }
    throw new Error('a program is just writing it');
  } finally {
    await from.close();
  }
}

/** Up to `end`, a position in `from`: who reads on where a program appends may never be done. */
async function copyContent(
  from: FileHandle,
  to: FileHandle,
  { end, signal }: { readonly end: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const buffer = new Uint8Array(CHUNK);
  for (let position = 0; ;) {
    const wanted = Math.max(0, Math.min(CHUNK, end - CONTENT_START - position));
    const { bytesRead } = await from.read(buffer, 0, wanted, CONTENT_START + position);
    if (signal?.aborted === true) throw new Error('interrupted');
    if (bytesRead === 0) return;
    let done = 0;
    while (done < bytesRead) {
      const piece = buffer.subarray(done, bytesRead);
      done += (await to.write(piece, 0, piece.length, position + done)).bytesWritten;
    }
    position += bytesRead;
  }
}
