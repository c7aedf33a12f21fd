/** A socket stands in for the device: what the kernel would send is written to its other end. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { isToBeTriedAgain, loadDeviceCalls } from '../../../src/fuse/kernel/device-calls.ts';
import { loadSocketCalls } from '../../../src/fuse/kernel/socket-calls.ts';

const LOADER = new URL('../../support/typescript-loader.mjs', import.meta.url).href;
const CHILD = new URL('./watching-child.ts', import.meta.url);

async function setup() {
  const [near, far] = (await loadSocketCalls()).openPair();
  const calls = await loadDeviceCalls();
  calls.setNonBlocking(near);
  const ends = new Set([near, far]);
  const close = (end: number): void => {
    if (ends.delete(end)) closeSync(end);
  };
  onTestFinished(() => {
    close(near);
    close(far);
  });
  return { calls, near, far, close };
}

/** Turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('says at once that there is nothing to read', async () => {
  const { calls, near } = await setup();

  const answer = calls.read(near, Buffer.alloc(8));

  expect(answer).toBe(-constants.errno.EAGAIN);
  expect(isToBeTriedAgain(-answer)).toBe(true);
});

it('reads what has come, and no more', async () => {
  const { calls, near, far } = await setup();
  writeSync(far, 'request');

  const into = Buffer.alloc(100, '.');

  expect(calls.waitForInput(near, 1)).toBe(true);
  expect(calls.read(near, into)).toBe(7);
  expect(into.toString('utf8', 0, 8)).toBe('request.');
  expect(calls.waitForInput(near, 1500.5)).toBe(false);
});

it('wakes when nothing more will come', async () => {
  const { calls, near, far, close } = await setup();
  close(far);

  expect(calls.waitForInput(near, 60_000)).toBe(true);
  expect(calls.read(near, Buffer.alloc(8))).toBe(0);
});

it('knows whether the other end is there, also while something is to be read', async () => {
  const { calls, near, far, close } = await setup();

  expect(calls.isConnected(near)).toBe(true);
  writeSync(far, 'request');
  expect(calls.isConnected(near)).toBe(true);
  close(far);
  expect(calls.isConnected(near)).toBe(false);
});

it('tells of what has come in each turn until it is read, and not while that pauses', async () => {
  const { calls, near, far } = await setup();
  let told = 0;
  const watch = calls.watch(near, () => {
    told += 1;
  });
  onTestFinished(() => {
    watch.close();
  });
  await turns(3);
  expect(told).toBe(0);

  writeSync(far, 'request');
  await turns(3);
  expect(told).toBeGreaterThan(1);

  watch.pause();
  await turns(1);
  const before = told;
  await turns(3);
  expect(told).toBe(before);

  watch.resume();
  await turns(3);
  expect(told).toBeGreaterThan(before);

  calls.read(near, Buffer.alloc(8));
  await turns(1);
  const after = told;
  await turns(3);
  expect(told).toBe(after);
});

it('tells of the end', async () => {
  const { calls, near, close, far } = await setup();
  const ended = new Promise<void>((resolve) => {
    const watch = calls.watch(near, () => {
      watch.close();
      resolve();
    });
  });

  close(far);
  await ended;

  expect(calls.read(near, Buffer.alloc(8))).toBe(0);
});

it.each(['running', 'paused'])('keeps the process alive until it is closed: %s', async (state) => {
  const child = fork(CHILD, [state], { execArgv: ['--import', LOADER] });
  const said: unknown[] = [];
  child.on('message', (word) => said.push(word));

  const [code] = (await once(child, 'close')) as [number | null];

  expect(said).toEqual(['alive']);
  expect(code).toBe(0);
});

it('does nothing any more once it is closed', async () => {
  const { calls, near, far } = await setup();
  let told = 0;
  const watch = calls.watch(near, () => {
    told += 1;
  });

  watch.close();
  watch.close();
  watch.pause();
  watch.resume();
  writeSync(far, 'request');
  await turns(3);

  expect(told).toBe(0);
});

it('tells errors by their number', async () => {
  const { calls } = await setup();

  const answer = calls.read(-1, Buffer.alloc(8));

  expect(answer).toBe(-constants.errno.EBADF);
  expect(isToBeTriedAgain(-answer)).toBe(false);
});
