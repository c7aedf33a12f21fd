/** How are calls made again and again, and counted? By a small C program where there is a compiler, else by threads of Node. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { run } from '../frame/programs.ts';

export interface Calls {
  readonly act: 'getattr' | 'open';
  readonly threads: number;
  /** With a file for each thread: 0, 1 and so on. */
  readonly folder: string;
}

export interface CallingThreadData {
  readonly act: Calls['act'];
  readonly path: string;
  /** Two numbers: whether to end, and how many calls were made. */
  readonly shared: SharedArrayBuffer;
}

/** Places in the shared memory of a calling thread. */
export const ENDED = 0;
export const CALLS = 1;

/** Makes the calls for a while; resolves with how many a second. */
export type Caller = (calls: Calls) => Promise<number>;

/** Long enough for the serving process to compile what it does. */
const WARM_UP_MS = 700;
const COUNTED_MS = 1500;
const LIMIT_MS = 20_000;

/** `program` is caller.c, compiled. */
export function compiledCaller(program: string): Caller {
  return async ({ act, threads, folder }) => {
    const parameters = [act, threads, WARM_UP_MS, COUNTED_MS, folder].map(String);
    const { output } = await run(program, parameters, LIMIT_MS);
    return Number(output);
  };
}

export const nodeCaller: Caller = async ({ act, threads, folder }) => {
  const controls = Array.from({ length: threads }, () => new Int32Array(new SharedArrayBuffer(8)));
  const workers = controls.map(({ buffer }, index) => {
    const workerData: CallingThreadData = {
      act,
      path: `${folder}/${index}`,
      shared: buffer,
    };
    return new Worker(new URL('./calling-thread.ts', import.meta.url), { workerData });
  });
  const exits = workers.map((worker) => once(worker, 'exit'));
  const sum = (): number => controls.reduce((all, control) => all + Atomics.load(control, CALLS), 0);
  await Promise.all(workers.map((worker) => once(worker, 'online')));
  await sleep(WARM_UP_MS);
  const [start, before] = [performance.now(), sum()];
  await sleep(COUNTED_MS);
  const rate = ((sum() - before) / (performance.now() - start)) * 1000;
  for (const control of controls) Atomics.store(control, ENDED, 1);
  await Promise.all(exits);
  return rate;
};
