/**
 * How quick is the local disk where mounts keep what they have not stored? Measured before anything else, for the reader of the tables: on an
 * ext4 without a journal it took thirty times as long to make a file in a directory beside which thousands had been deleted.
 */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const FILES = 200;
const CONTENT = Buffer.alloc(4096, 'x');

/** What was found, by what was measured. */
export async function checkDisk(): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pailfs-bench-disk-'));
  try {
    const [made, synced]: [number[], number[]] = [[], []];
    for (let file = 0; file < FILES; file += 1) {
      const start = performance.now();
      const handle = await open(path.join(folder, `${file}`), 'wx');
      made.push(performance.now() - start);
      await handle.write(CONTENT);
      const written = performance.now();
      await handle.sync();
      synced.push(performance.now() - written);
      await handle.close();
    }
    const found = `a file is made in ${median(made)} ms, and synced in ${median(synced)}`;
    return { 'The disk of the mounts, measured before the first round': found };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function median(times: number[]): string {
  return (times.sort((a, b) => a - b)[FILES / 2] ?? NaN).toFixed(2);
}
