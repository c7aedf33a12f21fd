import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { alignedMemory } from '../../src/base/aligned-memory.ts';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { silentLog } from '../../src/base/log.ts';
import { engineOptions } from '../../src/cli/serving/engine-options.ts';
import { openMemoryReturn } from '../../src/cli/serving/memory-return.ts';
import { BLOCK_SIZE } from '../../src/content/block-cache.ts';
import { ManualClock } from '../support/manual-clock.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url);
const MANY = 64 * 1024 * 1024;

/** What blocks lay in whose memory has just been let go of, and looked for. */
function piecesLetGo(giveBack: () => void): readonly WeakRef<ArrayBufferLike>[] {
  const memory = new BlockMemory(BLOCK_SIZE, alignedMemory);
  const blocks = Array.from({ length: MANY / BLOCK_SIZE }, () => memory.take(BLOCK_SIZE));
  const pieces = [...new Set(blocks.map(({ buffer }) => buffer))].map((piece) => new WeakRef(piece));
  for (const block of blocks) memory.letGo(block);
  memory.trimTo(0);
  giveBack();
  return pieces;
}

it('blocks that nobody holds any more go, though their pieces were looked for just before', async () => {
  const clock = new ManualClock();
  const giveBack = await openMemoryReturn(clock, silentLog);

  // Newer engines may be compiling what has just run, in a thread that holds on to what it ran with: then others go.
  const staying = async (): Promise<number> => {
    const pieces = piecesLetGo(giveBack);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    expect(pieces).toHaveLength(16);
    return pieces.filter((piece) => piece.deref() !== undefined).length;
  };

  await expect.poll(staying).toBe(0);
});

it('memory that nobody holds any more leaves the process when that is asked for, without a timer from then on', async () => {
  const clock = new ManualClock();
  const giveBack = await openMemoryReturn(clock, silentLog);
  const before = process.memoryUsage().arrayBuffers;
  const held: Uint8Array[] = [new Uint8Array(MANY)];
  const between = process.memoryUsage().arrayBuffers;

  held.length = 0;
  giveBack();
  clock.advance(60_000);

  await expect.poll(() => process.memoryUsage().arrayBuffers - before).toBeLessThan(MANY / 2);
  expect(between - before).toBeGreaterThanOrEqual(MANY);
  expect(clock.pendingTimers).toBe(0);
  expect(runInNewContext('typeof gc')).toBe('undefined');
});

/** The most mebibytes of a heap in which a third is in use and the rest soon garbage, of a process as a mount's that runs `before` first. */
async function mostHeap(before: string): Promise<number> {
  const program = `
    ${before}
    const held = Array.from({ length: 300_000 }, (_, index) => ({ index, text: 'held ' + index }));
    let [most, passing] = [0, []];
    for (let index = 0; index < 3_000_000; index += 1) {
      passing.push({ index, text: 'passing ' + index });
      if (passing.length > 100_000) passing = passing.slice(50_000);
      if (index % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal);
    }
    console.log(held.length > 0 && most / 2 ** 20);`;
  const words = [...engineOptions(), '--import', LOADER.href, '--input-type=module', '-e', program];
  return Number((await promisify(execFile)(process.execPath, words)).stdout);
}

it('garbage is looked for before there is several times as much as is in use', async () => {
  const module = new URL('../../src/cli/serving/memory-return.ts', import.meta.url).href;
  const told = `(await import(${JSON.stringify(module)})).keepGarbageLow();`;

  const [plain, low] = await Promise.all(['', told].map(mostHeap));

  expect(low).toBeLessThan(0.8 * (plain ?? 0));
});
