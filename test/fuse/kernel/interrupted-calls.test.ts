/** What becomes of calls that last: at a signal, at the end of the mount, and in the books of who answers them? */
import { constants } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Waiter } from '../../../src/base/waiter.ts';
import { opcodes, type OperationName } from '../../../src/fuse/kernel/opcodes.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { asReply, KernelSide, readRequest, u32, u64, writeRequest } from './kernel-side.ts';

function opened(): { side: KernelSide; memory: MemoryFileSystem } {
  const memory = new MemoryFileSystem();
  return { side: new KernelSide(memory), memory };
}

const listing = async (side: KernelSide): Promise<number> =>
  Number((await side.succeed('opendir', 1, u32(0, 0))).readBigUInt64LE(0));

type Request = readonly [node: number, ...parts: (Buffer | string)[]];

describe('a program that a signal reaches', () => {
  it.each<readonly [OperationName, string, (side: KernelSide, file: number) => Promise<Request> | Request]>([
    ['lookup', 'getAttributes /f', () => [1, 'f']],
    ['getattr', 'getAttributes /f', (_side, file) => [file, u32(0, 0), u64(0)]],
    ['open', 'open /f', (_side, file) => [file, u32(constants.O_RDONLY, 0)]],
    ['read', 'read /f', async (side, file) => [file, readRequest(await side.open(file), 0, 10)]],
    ['readdir', 'readDirectory /', async (side) => [1, readRequest(await listing(side), 0, 4096)]],
    ['readdirplus', 'readDirectory /', async (side) => [1, readRequest(await listing(side), 0, 4096)]],
    ['getxattr', 'getXattr /f', (_side, file) => [file, u32(9, 0), 'user.a']],
    ['listxattr', 'listXattrs /f', (_side, file) => [file, u32(9, 0)]],
  ])('is let go of %s while the service does not answer [interrupt/given-up]', async (name, held, ask) => {
    const { side, memory } = opened();
    const request = await ask(side, await side.make('f'));
    const [operation = '', path = ''] = held.split(' ');
    memory.hold(operation, path);
    const answered = side.ask(name, ...request);
    side.send(opcodes.interrupt, 0, u64(Number(side.lastUnique)));
    side.clock.advance(600);

    expect(await answered).toMatchObject({ code: 'EINTR' });
    memory.letGo();
    await side.dispatcher.settled();
  });
});

describe('the end of a mount', () => {
  it('does not give up an open that empties the file: half of that would be neither', async () => {
    const { side, memory } = opened();
    const node = await side.make('f');
    const waiters: Waiter[] = [];
    const open = memory.open.bind(memory);
    Object.assign(memory, {
      open: (...[path, intent, waiter]: Parameters<MemoryFileSystem['open']> | [string, never, Waiter]) => {
        if (waiter !== undefined) waiters.push(waiter);
        return open(path, intent);
      },
    });
    memory.hold('open', '/f');
    const answered = side.ask('open', node, u32(constants.O_WRONLY | constants.O_TRUNC, 0));
    side.dispatcher.giveUpWaiting();

    expect(waiters.map(({ signal }) => signal?.aborted)).toEqual([false]);
    memory.letGo();
    expect(await answered).toMatchObject({ code: 'OK' });
  });

  it('waits for each request in progress, whoever else waits for one', async () => {
    const { side, memory } = opened();
    const node = await side.make('f');
    const fh = await side.open(node);
    memory.hold('write', '/f');
    const events: string[] = [];
    const note = (event: string) => (): void => {
      events.push(event);
    };
    const one = side.dispatcher.answered().then(note('one is through'));
    const all = [
      side.ask('fsync', node, u64(fh, 0, 0)).then(note('fsync')),
      side.ask('write', node, writeRequest(fh, 0, 'bytes')).then(note('write')),
      side.dispatcher.settled().then(note('all are through')),
    ];
    await one;
    memory.letGo();
    await Promise.all(all);

    expect(events).toEqual(['fsync', 'one is through', 'write', 'all are through']);
  });
});

describe('a kernel', () => {
  it('that speaks a newer protocol is asked to begin again with this one', async () => {
    const { side } = opened();
    const newer = await side.succeed('init', 0, u32(8, 0, 131072, 0x7fffffff));
    const before = side.greeting;
    await side.succeed('init', 0, u32(7, 45, 131072, 0x7fffffff));

    expect([newer.readUInt32LE(0), before, side.greeting]).toEqual([7, 'none', 'agreed']);
  });

  it('is told to believe names for a while, once it says that each can be taken back', async () => {
    const { side } = opened();
    await side.succeed('init', 0, u32(7, 45, 131072, 0x7fffffff));

    expect(side.context.trust.names).toBe(true);
  });
});

it('forgets a request once it is answered: an interrupt of it is asked for again', async () => {
  const { side } = opened();
  const node = await side.make('f');
  await side.succeed('read', node, readRequest(await side.open(node), 0, 10));
  const { lastUnique } = side;
  await side.dispatcher.settled();
  const answered = side.expectAnswer();
  side.send(opcodes.interrupt, 0, u64(Number(lastUnique)));
  side.clock.advance(100);

  expect(asReply(await answered)).toMatchObject({ code: 'EAGAIN' });
});
