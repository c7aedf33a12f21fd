/** What is in the files of drafts, behind their headers? */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTENT_START, SLOT_SIZE } from '../../src/content/draft-header.ts';
import type { DiskImage } from './after-a-crash.ts';

export async function draftBytes(path: string): Promise<Buffer> {
  return (await readFile(path)).subarray(CONTENT_START);
}

export async function draftText(path: string): Promise<string> {
  return (await draftBytes(path)).toString('utf8');
}

/** A bit of the content of each on `disk` turns. */
export function damageDrafts(disk: DiskImage): Promise<void> {
  return changeEach(disk, (bytes) => {
    bytes[CONTENT_START] = (bytes[CONTENT_START] ?? 0) ^ 1;
    return bytes;
  });
}

/** As `damageDrafts`, of those alone that hold `text`. */
export function damageDraftsWith(disk: DiskImage, text: string): Promise<void> {
  return changeEach(disk, (bytes) =>
    bytes.toString('utf8', CONTENT_START) === text ? bytes.fill(0, CONTENT_START) : bytes,
  );
}

/** Of each on `disk`, which was described once since it was made, the disk has neither that nor what was written: only how long it is. */
export function undoDrafts(disk: DiskImage): Promise<void> {
  return changeEach(disk, (bytes) => bytes.fill(0, SLOT_SIZE));
}

/** Each on `disk`, which was described once since it was made, says what it said before that. */
export function undoHeaders(disk: DiskImage): Promise<void> {
  return changeEach(disk, (bytes) => bytes.fill(0, SLOT_SIZE, CONTENT_START));
}

/** Each on `disk` loses its header. */
export function wipeHeaders(disk: DiskImage): Promise<void> {
  return changeEach(disk, (bytes) => bytes.fill(0, 0, CONTENT_START));
}

/** Each on `disk` loses its last byte. */
export function cutDrafts(disk: DiskImage): Promise<void> {
  return changeEach(disk, (bytes) => bytes.subarray(0, -1));
}

/** `change` returns what is to be there instead. */
async function changeEach({ directory }: DiskImage, change: (bytes: Buffer) => Buffer): Promise<void> {
  for (const name of await readdir(join(directory, 'drafts'))) {
    const path = join(directory, 'drafts', name);
    await writeFile(path, change(await readFile(path)));
  }
}
