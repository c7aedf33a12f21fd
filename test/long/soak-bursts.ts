/** The process that uses the mount of the soak: bursts of many calls at once, and pauses. Says how fast each burst was. */
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileAt } from './soak-tree.ts';

/** One message a burst. */
export interface Burst {
  readonly operations: number;
  readonly milliseconds: number;
}

const WAYS = 64;
const ROUNDS_A_BURST = 30;
const PAUSE_MS = 200;

async function worker(top: string): Promise<void> {
  for (let round = 0; round < ROUNDS_A_BURST; round += 1) {
    await stat(path.join(top, fileAt(Math.random())));
    const file = await open(path.join(top, fileAt(Math.random())));
    await file.read(Buffer.alloc(4096), 0, 4096, 0);
    await file.close();
  }
}

async function burstAndPause(top: string): Promise<void> {
  for (;;) {
    const start = performance.now();
    await Promise.all(Array.from({ length: WAYS }, () => worker(top)));
    const burst: Burst = { operations: WAYS * ROUNDS_A_BURST, milliseconds: performance.now() - start };
    // Let go of by the test: the time is up.
    if (!process.connected) return;
    process.send?.(burst);
    await pause(PAUSE_MS);
  }
}

await burstAndPause(process.argv[2] ?? '');
