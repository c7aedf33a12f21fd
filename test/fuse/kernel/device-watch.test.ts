import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { allocateWatch, Sleeper, Watcher } from '../../../src/fuse/kernel/device-watch.ts';

it('sleeps until the watcher has seen something, again and again', async () => {
  const memory = allocateWatch();
  const [sleeper, watcher] = [new Sleeper(memory), new Watcher(memory)];
  for (let count = 0; count < 3; count += 1) {
    const woken = new Promise<void>((resolve) => {
      sleeper.sleep(resolve);
    });

    expect(watcher.waitForTurn()).toBe(true);
    watcher.wake();
    await woken;
  }
});

it('lets a watcher go that waits for its turn in a thread of its own', async () => {
  const memory = allocateWatch();
  const program =
    "const { workerData } = require('node:worker_threads'); Atomics.wait(new Int32Array(workerData), 0, 0);";
  const thread = new Worker(program, { eval: true, workerData: memory });
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  await new Promise((resolve) => thread.once('online', resolve));

  new Sleeper(memory).end();

  expect(await ended).toBe(0);
  expect(new Watcher(memory).waitForTurn()).toBe(false);
});

it('stays ended, whatever the watcher sees afterwards', () => {
  const memory = allocateWatch();
  new Sleeper(memory).end();

  new Watcher(memory).wake();

  expect(new Watcher(memory).waitForTurn()).toBe(false);
});
