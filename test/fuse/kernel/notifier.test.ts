/** What does the thread write that tells the kernel of changes, and what does it no longer? */
import { openSync, closeSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import type { DeviceCalls } from '../../../src/fuse/kernel/device-calls.ts';
import { Device } from '../../../src/fuse/kernel/device.ts';
import { Notifier } from '../../../src/fuse/kernel/notifier.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const LOADER = new URL('../../support/typescript-loader.mjs', import.meta.url).href;

// Node 20 runs no TypeScript by itself.
vi.mock('node:worker_threads', async (original) => {
  const threads = await original<typeof import('node:worker_threads')>();
  class Worker extends threads.Worker {
    constructor(program: string, options: object) {
      super(program, { ...options, execArgv: ['--import', LOADER] });
    }
  }
  return { ...threads, Worker };
});

async function aFile(): Promise<string> {
  return path.join(await temporaryDirectory(), 'told');
}

it('all that it was handed before, in order, and nothing once it is closed: its number may be another file', async () => {
  const file = await aFile();
  const descriptor = openSync(file, 'w');
  const notifier = new Notifier(descriptor, silentLog);
  for (const word of ['one ', 'two ']) notifier.send(Buffer.from(word));
  await notifier.written();
  const told = readFileSync(file, 'utf8');
  notifier.send(Buffer.from('three'));
  await notifier.close();
  notifier.send(Buffer.from('never'));
  await notifier.written();
  await notifier.close();

  expect([told, readFileSync(file, 'utf8')]).toEqual(['one two ', 'one two three']);
  closeSync(descriptor);
});

it('the next also after one that the kernel refused, of which the log tells', async () => {
  const descriptor = openSync('/dev/null', 'r');
  const lines: string[] = [];
  const log = { ...silentLog, error: (line: string) => void lines.push(line) };
  const notifier = new Notifier(descriptor, log);
  notifier.send(Buffer.from('refused'));
  notifier.send(Buffer.from('refused, too'));
  await notifier.written();
  await notifier.close();

  expect(lines).toEqual(Array(2).fill('the kernel could not be told of a change'));
  closeSync(descriptor);
});

it('what it was handed also when the mount ends at once: the device stays open until then', async () => {
  const file = await aFile();
  const calls: DeviceCalls = {
    setNonBlocking: () => undefined,
    read: () => 0,
    waitForInput: () => false,
    isConnected: () => true,
    watch: () => ({ pause: () => undefined, resume: () => undefined, close: () => undefined }),
  };
  const requests = { room: Buffer.alloc(1) };
  const device = new Device(openSync(file, 'w'), { calls, requests, clock: systemClock, log: silentLog });
  device.notify(Buffer.from('told'));
  await device.end();

  expect(readFileSync(file, 'utf8')).toBe('told');
});
