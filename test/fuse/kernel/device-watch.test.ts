import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { allocateWatch, Sleeper, Watcher } from '../../../src/fuse/kernel/device-watch.ts';

it('sleeps until the watcher has seen something, again and again', async () => {
  const { sleeper, watcher, woken } = watchedSleeper();
  for (let count = 1; count <= 3; count += 1) {
    sleeper.sleep();

    expect(watcher.waitForTurn()).toBe(true);
    watcher.wake();
    await settled();
    expect(woken()).toBe(count);
  }
});

it('that goes back to sleep before it was woken is woken once', async () => {
  const { sleeper, watcher, woken } = watchedSleeper();
  sleeper.sleep();
  // Found by itself what the watcher sees as well.
  sleeper.sleep();
  await settled();
  const asleep = woken();

  watcher.wake();
  await settled();

  expect([asleep, woken()]).toEqual([0, 1]);
});

it('that goes back to sleep while it is being woken is woken for what comes next, too', async () => {
  const { sleeper, watcher, woken } = watchedSleeper();
  sleeper.sleep();
  watcher.wake();
  sleeper.sleep();
  await settled();
  const first = woken();

  sleeper.sleep();
  expect(watcher.waitForTurn()).toBe(true);
  watcher.wake();
  await settled();

  expect([first, woken()]).toEqual([1, 2]);
});

it('lets a watcher go that waits for its turn in a thread of its own', async () => {
  const memory = allocateWatch();
  const program =
    "const { workerData } = require('node:worker_threads'); Atomics.wait(new Int32Array(workerData), 0, 0);";
  const thread = new Worker(program, { eval: true, workerData: memory });
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  await new Promise((resolve) => thread.once('online', resolve));

  new Sleeper(memory, () => undefined).end();

  expect(await ended).toBe(0);
  expect(new Watcher(memory).waitForTurn()).toBe(false);
});

it('stays ended, whatever the watcher sees afterwards', () => {
  const memory = allocateWatch();
  new Sleeper(memory, () => undefined).end();

  new Watcher(memory).wake();

  expect(new Watcher(memory).waitForTurn()).toBe(false);
});

function watchedSleeper(): { sleeper: Sleeper; watcher: Watcher; woken: () => number } {
  const memory = allocateWatch();
  let count = 0;
  const sleeper = new Sleeper(memory, () => {
    count += 1;
  });
  return { sleeper, watcher: new Watcher(memory), woken: () => count };
}

/** Until a wake has come through. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}
