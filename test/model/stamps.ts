/** What do programs write that run at the same time? Cells of one size, each with a stamp that tells who wrote it. */

/** Every write begins at a multiple of this and is as long or longer, bytes. */
export const CELL = 32;
/** Of every file that is written whole, bytes. */
export const WHOLE = 8 * CELL;

export function stampOf(program: number, count: number): string {
  return `p${program}-${count};`.padEnd(CELL, '.');
}

export function cellsOf(held: Buffer): string[] {
  return Array.from({ length: Math.ceil(held.length / CELL) }, (_, index) =>
    held.subarray(index * CELL, (index + 1) * CELL).toString(),
  );
}
