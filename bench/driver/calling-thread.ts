/** What does one thread of the caller do where no C compiler is there? The same as caller.c, in a worker of Node. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { CALLS, ENDED, type CallingThreadData } from './callers.ts';

const { act, path, shared } = workerData as CallingThreadData;
const control = new Int32Array(shared);
const bytes = Buffer.alloc(4096);
const file = openSync(path, 'r');
while (Atomics.load(control, ENDED) === 0) {
  if (act === 'getattr') {
    fstatSync(file);
  } else {
    const own = openSync(path, 'r');
    readSync(own, bytes);
    closeSync(own);
  }
  Atomics.add(control, CALLS, 1);
}
closeSync(file);
