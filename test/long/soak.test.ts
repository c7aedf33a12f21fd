/** Does a mount of the kernel driver stay as quick and as small as it was, and does it let go of what the kernel lets go of? */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import type { Burst } from './soak-bursts.ts';

/** For a trial; the bars are meant for ten minutes. */
const SECONDS = Number(process.env['PAILFS_SOAK_SECONDS'] ?? 600);
const SAMPLE_MS = 1000;
const PATIENCE = { timeout: 30_000, interval: 500 };
const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url);
const BURSTS = new URL('./soak-bursts.ts', import.meta.url);

/** What was seen of the mount at one moment. */
interface Sample {
  readonly at: number;
  readonly residentBytes: number;
  /** Of the process that serves, since its start, in hundredths of a second. */
  readonly ticks: number;
}

interface Seen {
  readonly bursts: readonly (Burst & { readonly at: number })[];
  readonly samples: readonly Sample[];
}

describe('a mount of the kernel driver under bursts of calls', () => {
  let mounted: MountedDirectory;
  beforeEach(async () => {
    mounted = await mountForTest({
      module: new URL('./soak-tree.ts', import.meta.url),
      driver: 'kernel',
      lifetime: (SECONDS + 300) * 1000,
    });
  });
  afterEach(() => mounted.dispose());

  it('is in its last minute as quick and as small as in its first, and forgets what the kernel forgets', async () => {
    const seen = await soak(mounted, SECONDS * 1000);
    const minute = (SECONDS * 1000) / 10;
    // The very first is spent on compiling and on growing heaps.
    const first = figuresOf(seen, minute, 2 * minute);
    const last = figuresOf(seen, 9 * minute, 10 * minute);
    const nodesBusy = await mounted.nodeCount();
    await writeFile('/proc/sys/vm/drop_caches', '2');
    console.log('soak', { seconds: SECONDS, first, last, nodesBusy });

    await expect.poll(() => mounted.nodeCount(), PATIENCE).toBe(1);
    expect(last.residentBytes / first.residentBytes).toBeLessThan(1.1);
    // Beside busy neighbours the rate falls without the mount's doing; then each call still costs what it did.
    const slowdown = first.rate / last.rate;
    const surcharge = last.ticksPerThousand / first.ticksPerThousand;
    expect(Math.min(slowdown, surcharge)).toBeLessThan(1.1);
  });
});

async function soak(mounted: MountedDirectory, milliseconds: number): Promise<Seen> {
  const bursts: (Burst & { readonly at: number })[] = [];
  const samples: Sample[] = [];
  const start = performance.now();
  const program = ['--import', LOADER.href, fileURLToPath(BURSTS), mounted.path];
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // So many calls of one process are under way at once.
    env: { ...process.env, UV_THREADPOOL_SIZE: '64' },
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  child.on('message', (burst: Burst) => bursts.push({ ...burst, at: performance.now() - start }));
  while (performance.now() - start < milliseconds && child.exitCode === null) {
    samples.push({ at: performance.now() - start, ...(await usageOf(mounted.pid)) });
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  }
  if (child.connected) child.disconnect();
  expect(await ended).toBe(0);
  return { bursts, samples };
}

/** proc(5): behind the name in parentheses, fields 14 and 15 are processor time, field 24 is resident pages. */
async function usageOf(pid: number): Promise<Omit<Sample, 'at'>> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, pages = 0] = [fields[11], fields[12], fields[21]];
  return { ticks: user + system, residentBytes: pages * 4096 };
}

interface Figures {
  /** Of bursts, in stats and reads a second: the median. */
  readonly rate: number;
  readonly residentBytes: number;
  readonly ticksPerThousand: number;
}

function figuresOf(seen: Seen, from: number, to: number): Figures {
  const bursts = seen.bursts.filter(({ at }) => at >= from && at < to);
  const samples = seen.samples.filter(({ at }) => at >= from && at < to);
  const operations = bursts.reduce((sum, burst) => sum + burst.operations, 0);
  const ticks = (samples.at(-1)?.ticks ?? 0) - (samples[0]?.ticks ?? 0);
  return {
    rate: median(bursts.map((burst) => (burst.operations / burst.milliseconds) * 1000)),
    residentBytes: median(samples.map(({ residentBytes }) => residentBytes)),
    ticksPerThousand: (ticks / operations) * 1000,
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
