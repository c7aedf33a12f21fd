/** Does a mount that has had a lot to do give back the memory that it took for that? */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { firstRound, mixedLoad, storeFiles } from './mixed-load.ts';

/** For a trial; the bars are meant for ten minutes. */
const SECONDS = Number(process.env['PAILFS_MIXED_LOAD_SECONDS'] ?? 600);
/** So that what this leaves on the disk is little; memory has a limit of its own. */
const CACHE_SIZE = '2G';
const SETTLING_MS = 5000;
const REST_MS = 150_000;
/** Of the rest. What a mount takes while it works is a bar of the bench's, a workload at a time; of all at once it is only printed here. */
const MOST_GROWTH = 1.2;

describe('a mount as it is shipped, under a mixed load', () => {
  it('is at rest about as small again as after its first files', async () => {
    const elsewhere = await startServiceProcess(await temporaryDirectory());
    const at = await CommandLine.open(elsewhere);
    const local = await temporaryDirectory();
    await storeFiles(elsewhere, local);
    const launch = { program: CommandLine.builtWords };
    const words = ['photos', at.mountpoint, '--cache-size', CACHE_SIZE];
    const { pid } = await at.mountInFront(words, { program: CommandLine.servingWords });
    await firstRound(at.mountpoint);
    await pause(SETTLING_MS);
    const start = await memoryOf(pid);

    const end = performance.now() + SECONDS * 1000;
    const refresh = async (path: string): Promise<void> => {
      expect(await at.run(['refresh', path], launch)).toMatchObject({ code: 0 });
    };
    const places = { mountpoint: at.mountpoint, local, elsewhere, refresh };
    const rounds = await mixedLoad(places, () => performance.now() < end);
    const loaded = await memoryOf(pid);
    await pause(REST_MS);
    const rested = await memoryOf(pid);

    console.log('mixed load', { seconds: SECONDS, rounds, start, loaded, rested });
    expect(rested.residentBytes / start.residentBytes).toBeLessThan(MOST_GROWTH);
  });
});

interface Memory {
  readonly residentBytes: number;
  /** Of that, what is not a file's. */
  readonly anonymousBytes: number;
  /** The most that was resident since the process began. */
  readonly peakBytes: number;
}

/** proc(5). */
async function memoryOf(pid: number): Promise<Memory> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
  return { residentBytes: bytes('VmRSS'), anonymousBytes: bytes('RssAnon'), peakBytes: bytes('VmHWM') };
}
