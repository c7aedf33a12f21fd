/** When does the device take requests, and when does it leave them to the kernel? And how does the kernel get an answer? */
import { execFile } from 'node:child_process';
import { constants as files, createReadStream, fstatSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog, type Log } from '../../../src/base/log.ts';
import type { DeviceCalls } from '../../../src/fuse/kernel/device-calls.ts';
import { Device, type RequestHandler } from '../../../src/fuse/kernel/device.ts';
import { emptyReply, sealReply } from '../../../src/fuse/kernel/replies.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const MIB = 1024 * 1024;
/** No file of this process: nothing is written there. */
const NOWHERE = -1;

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

function deviceOn(
  descriptor: number,
  calls: DeviceCalls = new EndlessKernel(),
  log: Log = silentLog,
): Device {
  return new Device(descriptor, { calls, requests: { room: Buffer.alloc(1) }, clock: systemClock, log });
}

/** A pipe that takes a part of a mebibyte, and then waits for who reads; both ends are open. */
async function pipe(flags = 0): Promise<{ readonly descriptor: number; readonly name: string }> {
  const name = path.join(await temporaryDirectory(), 'pipe');
  await promisify(execFile)('mkfifo', [name]);
  return { descriptor: openSync(name, files.O_RDWR | flags), name };
}

it('it leaves requests to the kernel while those in progress take much memory, and takes more after an answer', async () => {
  const kernel = new EndlessKernel();
  const device = deviceOn(NOWHERE, kernel);
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
  const device = deviceOn(NOWHERE, kernel);
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
  const device = deviceOn(descriptor, kernel);
  device.start(kernel.handler);

  await device.end();
  await device.end();

  expect(kernel.isWatched).toBe(false);
  expect(device.isConnected()).toBe(false);
  expect(() => fstatSync(descriptor)).toThrow(expect.objectContaining({ code: 'EBADF' }));
});

it('an answer in pieces is what its header says, in one', async () => {
  const file = path.join(await temporaryDirectory(), 'answers');
  const device = deviceOn(openSync(file, 'w'));
  const data = [Buffer.from('from here, '), Buffer.from('and from there')];
  const { length } = Buffer.concat(data);

  expect(device.deliverTogether(sealReply(emptyReply(), 9n, 0, length), data)).toBe(true);
  await device.end();
  expect(readFileSync(file).subarray(16).toString()).toBe('from here, and from there');
  expect(readFileSync(file).readUInt32LE(0)).toBe(16 + length);
});

it('an answer of which only a part is taken counts as refused', async () => {
  const { descriptor } = await pipe(files.O_NONBLOCK);
  const lines: string[] = [];
  const log = { ...silentLog, error: (line: string) => void lines.push(line) };
  const device = deviceOn(descriptor, new EndlessKernel(), log);
  const data = [Buffer.alloc(MIB)];

  expect(await device.deliverTogether(sealReply(emptyReply(), 9n, 0, MIB), data)).toBe(false);
  expect(lines[0]).toBe('the kernel refused an answer');
  await device.end();
});

it('the kernel is let go of only when it has taken the large answer that another thread hands to it', async () => {
  const { descriptor, name } = await pipe();
  const device = deviceOn(descriptor);
  const delivered = device.deliverTogether(sealReply(emptyReply(), 9n, 0, MIB), [Buffer.alloc(MIB, 'x')]);

  const ended = device.end();
  const isOpen = fstatSync(descriptor).isFIFO();
  const answer = await firstBytes(name, 16 + MIB);
  expect(isOpen).toBe(true);
  expect(await delivered).toBe(true);
  expect([answer.readUInt32LE(0), answer.subarray(16).equals(Buffer.alloc(MIB, 'x'))]).toEqual([
    16 + MIB,
    true,
  ]);
  await ended;
  expect(device.deliverTogether(sealReply(emptyReply(), 9n, 0, 1), [Buffer.alloc(1)])).toBe(false);
});

it('a large answer that the kernel does not take is told of, as a small one', async () => {
  const lines: string[] = [];
  const log = { ...silentLog, error: (line: string) => void lines.push(line) };
  const device = deviceOn(openSync('/dev/null', 'r'), new EndlessKernel(), log);
  const large = sealReply(emptyReply(), 9n, 0, MIB);

  expect(await device.deliverTogether(large, [Buffer.alloc(MIB)])).toBe(false);
  expect(lines).toEqual(['the kernel refused an answer', 'the kernel refused a refusal']);
  await device.end();
});

async function firstBytes(name: string, count: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of createReadStream(name) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length >= count) break;
  }
  return Buffer.concat(pieces);
}
