/** What is in the buckets that are read? The same in every run. */
import { createHash } from 'node:crypto';
import type { StoredFile } from './contents.ts';
import { Pattern, type PatternedFile } from './pattern.ts';

/** Sizes of files of which only the names matter go through all below this, so that a wrong one shows. */
const SIZES = 50;
const SMALL_BYTES = 16 * 1024;
const TEXT_BYTES = 8 * 1024;
const LINE_BYTES = 64;
/** Of so many texts one has the word that is looked for. */
const TEXTS_A_FIND = 97;

/** The word that some texts have. */
export const NEEDLE = 'a needle in a haystack';

/** Files with hardly anything in them, in one folder. */
export function namedFiles(folder: string, count: number): readonly StoredFile[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `${folder}/name-${digits(index, 6)}.dat`,
    bytes: Buffer.alloc(index % SIZES, 'x'),
  }));
}

/** `folders` folders in `top`, with `files` files each. */
export function tree(top: string, folders: number, files: number): readonly StoredFile[] {
  return Array.from({ length: folders }, (_, index) =>
    namedFiles(`${top}/folder-${digits(index, 3)}`, files),
  ).flat();
}

/** Files of 16 KiB in one folder, all different. */
export function smallFiles(folder: string, count: number): readonly StoredFile[] {
  const pattern = new Pattern();
  return Array.from({ length: count }, (_, index) => ({
    key: `${folder}/file-${digits(index, 5)}.dat`,
    bytes: pattern.bytes(index, 0, SMALL_BYTES),
  }));
}

/** Texts of 8 KiB, a hundred in a folder; some have the needle in their last line. */
export function texts(top: string, count: number): readonly StoredFile[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `${top}/folder-${digits(Math.floor(index / 100), 3)}/text-${digits(index, 5)}.txt`,
    bytes: textOf(index),
  }));
}

/** Files of the pattern in one folder. */
export function largeFiles(folder: string, count: number, size: number): readonly PatternedFile[] {
  return Array.from({ length: count }, (_, number) => ({
    key: `${folder}/large-${digits(number, 2)}`,
    size,
    number,
  }));
}

export const hasNeedle = (index: number): boolean => index % TEXTS_A_FIND === 0;

export const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

function textOf(index: number): Buffer {
  const lines = Array.from({ length: TEXT_BYTES / LINE_BYTES }, (_, line) =>
    `text ${index} line ${line} of hay `.padEnd(LINE_BYTES - 1, 'hay '),
  );
  if (hasNeedle(index)) lines.splice(-1, 1, `${NEEDLE} ${index}`.padEnd(LINE_BYTES - 1, '.'));
  return Buffer.from(`${lines.join('\n')}\n`);
}

const digits = (number: number, width: number): string => String(number).padStart(width, '0');
