/** When does the device take requests, and when does it leave them to the kernel? And how does the kernel get an answer? */
import { execFile } from 'node:child_process';
import { constants as files, createReadStream, fstatSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { emptyReply, sealReply } from '../../../src/fuse/kernel/replies.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { deviceOn, EndlessKernel, MIB, NOWHERE } from './endless-kernel.ts';

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

it.each(['EAGAIN', 'EINTR', 'ENOENT'] as const)(
  'it takes the next after a read that ended with %s',
  async (code) => {
    const kernel = new EndlessKernel();
    const device = deviceOn(NOWHERE, kernel);
    const { read } = kernel;
    kernel.read = () => -constants.errno[code];
    device.start(kernel.handler);
    await kernel.turn(1);
    kernel.read = read;
    await kernel.turn(1);

    expect(kernel.taken).toBeGreaterThan(0);
  },
);

it('nothing is taken after the request at which it is ended', async () => {
  const kernel = new EndlessKernel();
  const device = deviceOn(openSync('/dev/null', 'r+'), kernel);
  const { handler } = kernel;
  const begin = (request: Buffer): void => {
    handler.begin(request);
    void device.end();
  };
  device.start({ ...handler, begin });
  kernel.read = () => 1;
  await kernel.turn(2);

  expect(kernel.taken).toBe(1);
  await device.end();
});

it('when the process exits what is in progress is answered, and nothing is taken by a turn that was due', () => {
  const kernel = new EndlessKernel();
  const device = deviceOn(NOWHERE, kernel);
  const { handler, watch } = kernel;
  let isAnswered = false;
  let due: () => void = () => undefined;
  kernel.watch = (descriptor, arrived) => {
    due = arrived;
    return watch(descriptor, arrived);
  };
  const abandon = (): void => {
    isAnswered = true;
  };
  device.start({ ...handler, abandon });
  device.abandon();
  kernel.read = () => 1;
  due();

  expect([isAnswered, kernel.isWatched, kernel.taken]).toEqual([true, false, 0]);
});

it('an answer that comes after its end goes into no other file of the same number', async () => {
  const device = deviceOn(openSync('/dev/null', 'r+'));
  await device.end();
  const file = path.join(await temporaryDirectory(), 'another');
  const another = openSync(file, 'w');

  expect(another).toBe(device.descriptor);
  expect(device.deliver(sealReply(emptyReply(), 9n, 0))).toBe(false);
  expect(readFileSync(file)).toHaveLength(0);
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
  await new Promise((resolve) => setImmediate(resolve));
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
