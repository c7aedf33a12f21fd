/** What is in the tree that every driver serves? The C program makes the same one: memory-tree.c. */

/** One for each calling thread: `/small/0` and so on, of `SMALL_BYTES`. */
export const SMALL_FILES = 16;
export const SMALL_BYTES = 4096;
/** `/big` reads as this many bytes; `/sink` takes whatever is written. */
export const BIG_BYTES = 1024 * 1024 * 1024;
/** `/names-20000` and `/names-100000` have this many empty files. */
export const FOLDER_SIZES = [20_000, 100_000] as const;

export function folderOf(size: number): string {
  return `names-${size}`;
}

/** As `ls` would sort them. */
export function nameOf(index: number): string {
  return `entry-${String(index).padStart(6, '0')}.dat`;
}
