/** When does the device take requests, and when does it leave them to the kernel? And how does the kernel get an answer? */
import { execFile } from 'node:child_process';
import { constants as files, fstatSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import type { DeviceCalls } from '../../../src/fuse/kernel/device-calls.ts';
import { Device, type RequestHandler } from '../../../src/fuse/kernel/device.ts';
import { emptyReply, sealReply } from '../../../src/fuse/kernel/replies.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const MIB = 1024 * 1024;
/** No file of this process: nothing is written there. */
const NOWHERE = -1;
const requests = { room: Buffer.alloc(1) };

/** A kernel that always has one more request of a mebibyte, which nobody answers. */
class EndlessKernel implements DeviceCalls {
  isWatched = false;
  taken = 0;
  #arrived: () => void = () => undefined;
  #onAnswered: () => void = () => undefined;
  readonly handler: RequestHandler = this.#requests();

  setNonBlocking = (): void => undefined;
  read = (): number => (this.isWatched ? 1 : -constants.errno.EAGAIN);
  waitForInput = (): boolean => true;
  isConnected = (): boolean => true;

  watch = (_descriptor: number, arrived: () => void) => {
    this.isWatched = true;
    this.#arrived = arrived;
    return {
      pause: () => {
        this.isWatched = false;
      },
      resume: () => {
        this.isWatched = true;
      },
      close: () => {
        this.isWatched = false;
      },
    };
  };

  #requests(): RequestHandler {
    const bytesInFlight = (): number => this.taken * MIB;
    return {
      begin: () => {
        this.taken += 1;
      },
      get bytesInFlight() {
        return bytesInFlight();
      },
      abandon: () => undefined,
      answered: () => new Promise((resolve) => (this.#onAnswered = resolve)),
    };
  }

  /** So many turns of the event loop. */
  async turn(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      if (this.isWatched) this.#arrived();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async answer(count: number): Promise<void> {
    this.taken -= count;
    this.#onAnswered();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('it leaves requests to the kernel while those in progress take much memory, and takes more after an answer', async () => {
  const kernel = new EndlessKernel();
  const device = new Device(NOWHERE, { calls: kernel, requests, log: silentLog });
  device.start(kernel.handler);

  await kernel.turn(20);
  const [most, waits] = [kernel.taken, !kernel.isWatched];
  await kernel.answer(3);
  await kernel.turn(20);

  expect([most, waits]).toEqual([257, true]);
  expect([kernel.taken, kernel.isWatched]).toEqual([257, false]);
});

it('it takes all of them once the mount is being unmounted: umount(8) asks for something first', async () => {
  const kernel = new EndlessKernel();
  const device = new Device(NOWHERE, { calls: kernel, requests, log: silentLog });
  device.start(kernel.handler);
  await kernel.turn(20);

  device.takeAll();
  await kernel.turn(5);

  expect(kernel.taken).toBeGreaterThan(300);
  expect(kernel.isWatched).toBe(true);
});

it('once it is ended nothing is taken any more, and the kernel is let go of', async () => {
  const kernel = new EndlessKernel();
  const descriptor = openSync('/dev/null', 'r+');
  const device = new Device(descriptor, { calls: kernel, requests, log: silentLog });
  device.start(kernel.handler);

  await device.end();
  await device.end();

  expect(kernel.isWatched).toBe(false);
  expect(device.isConnected()).toBe(false);
  expect(() => fstatSync(descriptor)).toThrow(expect.objectContaining({ code: 'EBADF' }));
});

it('an answer in pieces is what its header says, in one', async () => {
  const file = path.join(await temporaryDirectory(), 'answers');
  const device = new Device(openSync(file, 'w'), { calls: new EndlessKernel(), requests, log: silentLog });
  const data = [Buffer.from('from here, '), Buffer.from('and from there')];
  const { length } = Buffer.concat(data);

  expect(device.deliver(sealReply(emptyReply(), 9n, 0, length), data)).toBe(true);
  await device.end();
  expect(readFileSync(file).subarray(16).toString()).toBe('from here, and from there');
  expect(readFileSync(file).readUInt32LE(0)).toBe(16 + length);
});

it('an answer of which only a part is taken counts as refused', async () => {
  const pipe = path.join(await temporaryDirectory(), 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const lines: string[] = [];
  const log = { ...silentLog, error: (line: string) => void lines.push(line) };
  const descriptor = openSync(pipe, files.O_RDWR | files.O_NONBLOCK);
  const device = new Device(descriptor, { calls: new EndlessKernel(), requests, log });
  const data = [Buffer.alloc(MIB)];

  expect(device.deliver(sealReply(emptyReply(), 9n, 0, MIB), data)).toBe(false);
  expect(lines[0]).toBe('the kernel refused an answer');
  await device.end();
});
