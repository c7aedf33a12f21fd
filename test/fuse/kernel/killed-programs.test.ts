/** SEMANTICS: a program that a signal has killed waits in a call, and cannot go before that is answered. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { opcodes } from '../../../src/fuse/kernel/opcodes.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, u64 } from './kernel-side.ts';

/** Of the program that asks. */
const THREAD = 4711;

function opened(): { side: KernelSide; memory: MemoryFileSystem } {
  const memory = new MemoryFileSystem();
  const side = new KernelSide(memory);
  side.thread = THREAD;
  return { side, memory };
}

it.each(['flush', 'fsync'] as const)(
  'lets a program go that a signal has killed in %s, which goes on to its end [interrupt/killed]',
  async (name) => {
    const { side, memory } = opened();
    const node = await side.make('slow');
    const fh = await side.open(node);
    memory.hold(name, '/slow');
    const answered = side.ask(name, node, u64(fh, 0, 0));
    const unique = side.lastUnique;
    side.clock.advance(600);
    await setImmediate();
    // A first signal that it handles: it goes on waiting.
    side.send(opcodes.interrupt, 0, u64(Number(unique)));
    side.clock.advance(600);
    await setImmediate();
    expect(side.replies.has(unique)).toBe(false);
    side.killed.add(THREAD);
    side.clock.advance(600);

    expect(await answered).toMatchObject({ code: 'EINTR' });
    memory.letGo();
    await side.dispatcher.settled();
    expect(side.replies.get(unique)).toHaveLength(1);
  },
);

it('lets nobody go before a name is changed, killed or not [interrupt/changes]', async () => {
  const { side, memory } = opened();
  await side.make('slow');
  memory.hold('unlink', '/slow');
  const answered = side.ask('unlink', 1, 'slow');
  const unique = side.lastUnique;
  side.killed.add(THREAD);
  side.clock.advance(10_000);
  await setImmediate();
  expect(side.replies.has(unique)).toBe(false);
  memory.letGo();

  expect(await answered).toMatchObject({ code: 'OK' });
});
