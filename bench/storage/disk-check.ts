/**
 * How quick is the local disk where mounts keep what they have not stored? Measured before anything else, for the reader of the tables: on an
 * ext4 without a journal it took thirty times as long to make a file in a directory beside which thousands had been deleted.
 */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { median } from '../frame/measurements.ts';
import { makeFolder } from '../frame/temporary-folder.ts';

const FILES = 200;
const CONTENT = Buffer.alloc(4096, 'x');

/** What was found, by what was measured. */
export async function checkDisk(): Promise<Readonly<Record<string, string>>> {
  const folder = makeFolder('disk');
  const [made, synced]: [number[], number[]] = [[], []];
  for (let file = 0; file < FILES; file += 1) {
    const start = performance.now();
    const handle = await open(path.join(folder.path, `${file}`), 'wx');
    made.push(performance.now() - start);
    await handle.write(CONTENT);
    const written = performance.now();
    await handle.sync();
    synced.push(performance.now() - written);
    await handle.close();
  }
  await folder.remove();
  const found = `a file is made in ${inTheMiddle(made)} ms, and synced in ${inTheMiddle(synced)}`;
  return { 'The disk of the mounts, measured before the first round': found };
}

function inTheMiddle(times: readonly number[]): string {
  return (median(times) ?? NaN).toFixed(2);
}
