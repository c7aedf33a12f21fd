/** The thread of an `Alarm`: it sleeps until the moment, says so, and sleeps again, for ever. */
import { parentPort, workerData } from 'node:worker_threads';
import { NEVER, nanoseconds, type AlarmMemory } from './alarm.ts';

const NANOSECONDS_PER_MS = 1e6;

function sleepAndRing({ word, moment }: AlarmMemory): void {
  for (;;) {
    // Read first: a change after this makes the wait below end at once.
    const seen = Atomics.load(word, 0);
    const next = Atomics.load(moment, 0);
    const wait = next === NEVER ? Infinity : Number(next - nanoseconds()) / NANOSECONDS_PER_MS;
    if (wait > 0) Atomics.wait(word, 0, seen, wait);
    else if (Atomics.compareExchange(moment, 0, next, NEVER) === next) parentPort?.postMessage(null);
  }
}

sleepAndRing(workerData as AlarmMemory);
