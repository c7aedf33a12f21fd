/** What does the kernel ask again about a file when its bytes could not be stored, or were stored under another name? */
import { describe, expect, it } from 'vitest';
import { expireName } from '../../../src/fuse/kernel/notifications.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, u64, u32, writeRequest } from './kernel-side.ts';

/** A kernel that trusts what it is told for a minute. */
async function trusting(): Promise<{ side: KernelSide; memory: MemoryFileSystem; node: number }> {
  const memory = new MemoryFileSystem();
  const side = new KernelSide(memory);
  side.context.trust.names = true;
  memory.trust(60_000);
  return { side, memory, node: await side.make('f') };
}

const handle = (fh: number): Buffer => u64(fh, 0, 0);
const release = (fh: number): Buffer => Buffer.concat([u64(fh), u32(0, 0), u64(0)]);
/** How often the kernel was told to look the name up again. */
function asked(side: KernelSide): number {
  const message = expireName(1, 'f').toString('hex');
  return side.notifications.filter((one) => one === message).length;
}

describe('a file whose bytes may have been set aside', () => {
  it.each([
    ['write', (fh: number): Buffer => writeRequest(fh, 0, 'bytes')],
    ['flush', handle],
    ['fsync', handle],
  ] as const)('is looked up again when %s fails [fresh/own-changes]', async (name, request) => {
    const { side, memory, node } = await trusting();
    const fh = await side.open(node);
    memory.fail(name, 'EFBIG');

    expect(await side.ask(name, node, request(fh))).toMatchObject({ code: 'EFBIG' });
    expect(asked(side)).toBe(1);
  });

  it('is looked up again once more after its last close, and not after those that come later', async () => {
    const { side, memory, node } = await trusting();
    const [first, second] = [await side.open(node), await side.open(node)];
    memory.fail('flush', 'EFBIG');
    await side.ask('flush', node, handle(first));
    await side.lookUp('f');
    await side.succeed('release', node, release(first));
    const whileOpen = asked(side);
    await side.succeed('release', node, release(second));
    const afterLast = asked(side);
    await side.lookUp('f');
    await side.succeed('release', node, release(await side.open(node)));

    expect([whileOpen, afterLast, asked(side)]).toEqual([1, 2, 2]);
  });
});

describe('a file that a conflict has given a name of its own', () => {
  it.each(['flush', 'fsync'] as const)('is told of before %s is answered', async (name) => {
    const { side, memory, node } = await trusting();
    const fh = await side.open(node);
    await memory.rename('/f', '/f (conflict)', false);
    let told: () => void = () => undefined;
    const notified = new Promise<void>((resolve) => {
      told = resolve;
    });
    Object.assign(side.context, { notified: () => notified });
    const answered = side.ask(name, node, handle(fh));
    const unique = side.lastUnique;
    await new Promise(setImmediate);

    expect([asked(side), side.replies.has(unique)]).toEqual([1, false]);
    told();
    expect(await answered).toMatchObject({ code: 'OK' });
  });
});
