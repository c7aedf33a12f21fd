/** When may the kernel list a folder by itself? */
import { describe, expect, it } from 'vitest';
import { dropCached } from '../../../src/fuse/kernel/notifications.ts';
import { u64 } from './kernel-side.ts';
import { GO_ON, Lister, REMEMBER, ROOT } from './lister.ts';

const DROPPED = dropCached(ROOT, 'bytes').toString('hex');

/** Two have the folder open when `/a` goes, and begin it anew beside each other; the first reads it to its end. */
async function begunAnewByTwo(lister: Lister): Promise<{ first: { fh: number }; second: { fh: number } }> {
  await lister.list();
  const [first, second] = [await lister.open(), await lister.open()];
  lister.files.remove('/a');
  lister.kernel.clock.advance(100);
  const last = (await lister.read(first.fh, 0)).at(-1)?.next ?? 0;
  await lister.read(second.fh, 0);
  await lister.read(first.fh, last);
  return { first, second };
}

describe('a folder that was listed to its end', () => {
  it('is listed by the kernel alone as long as it is the same, and the file system hears that it is', async () => {
    const lister = await Lister.of('a', 'b');

    expect(await lister.list()).toBe(REMEMBER);
    lister.files.takeCalls();
    expect(await lister.flags()).toBe(REMEMBER | GO_ON);
    expect(await lister.flags()).toBe(REMEMBER | GO_ON);
    expect(lister.files.takeCalls()).toEqual(['listedAgain /', 'listedAgain /']);
  });

  it.each<[string, (lister: Lister) => unknown]>([
    [
      'a file was removed by somebody else',
      ({ files }) => {
        files.remove('/a');
      },
    ],
    [
      'a file was replaced by somebody else',
      ({ files }) => {
        files.replace('/a', 'other');
      },
    ],
    ['a file was made here', ({ kernel }) => kernel.make('c')],
    ['a file was renamed here', ({ kernel }) => kernel.succeed('rename', ROOT, u64(ROOT), 'a', 'c')],
    [
      'little is left of the time for which it is trusted',
      ({ files }) => {
        files.trust(100);
      },
    ],
    [
      'all was to be looked at again',
      ({ kernel }) => {
        kernel.context.listings.dropAll();
      },
    ],
    [
      'every name has to be looked up again',
      ({ kernel }) => {
        kernel.context.listings.attributesGone();
      },
    ],
    [
      'the kernel let go of the files',
      async ({ kernel }) => {
        for (const name of ['a', 'b']) kernel.context.nodes.forget(await kernel.lookUp(name), 3);
      },
    ],
  ])('is not once %s', async (_title, change) => {
    const lister = await Lister.of('a', 'b');
    await lister.list();
    await change(lister);

    expect(await lister.flags()).toBe(REMEMBER);
  });

  it('is not when the kernel was told names alone: it would look up each', async () => {
    const lister = await Lister.of('a', 'b');
    await lister.list('readdir');

    expect(await lister.flags()).toBe(REMEMBER);
  });

  it('is never where nothing is trusted', async () => {
    const lister = await Lister.of('a');
    lister.files.trust(0);
    lister.kernel.clock.advance(60_000);
    await lister.list();

    expect(await lister.list()).toBe(0);
    expect(await lister.flags()).toBe(0);
  });
});

describe('a folder that was not listed to its end', () => {
  it('is asked for again', async () => {
    const lister = await Lister.of('a', 'b');
    const { fh } = await lister.open();
    await lister.read(fh, 0);
    await lister.close(fh);

    expect(await lister.flags()).toBe(REMEMBER);
  });

  it('is asked for again, too, where it had been listed to its end before', async () => {
    const lister = await Lister.of('a', 'b');
    await lister.list();
    for (const name of ['a', 'b']) lister.kernel.context.nodes.forget(await lister.kernel.lookUp(name), 3);
    const { fh } = await lister.open();
    await lister.read(fh, 0);
    await lister.close(fh);

    expect(await lister.flags()).toBe(REMEMBER);
  });
});

describe('a folder that somebody has open', () => {
  it('is remembered for one listing at a time: who opens it meanwhile asks, and leaves the other its own', async () => {
    const lister = await Lister.of('a');
    const { fh } = await lister.open();

    expect(await lister.flags()).toBe(GO_ON);
    await lister.read(fh, 0);
    expect(await lister.flags()).toBe(GO_ON);
    await lister.read(fh, 3);
    expect(await lister.flags()).toBe(REMEMBER | GO_ON);
    lister.files.remove('/a');
    expect(await lister.flags()).toBe(GO_ON);
  });

  it('is dropped by the kernel soon after it changed, so that who begins anew sees that', async () => {
    const lister = await Lister.of('a');
    const { fh } = await lister.open();
    await lister.read(fh, 0);
    await lister.read(fh, 3);
    lister.kernel.clock.advance(100);
    expect(lister.kernel.notifications).toEqual([]);
    lister.files.remove('/a');
    lister.kernel.clock.advance(100);

    expect(lister.kernel.notifications).toEqual([DROPPED]);
    lister.kernel.clock.advance(100);
    expect(lister.kernel.notifications).toEqual([DROPPED]);
  });

  it('is dropped by the kernel when all is to be looked at again', async () => {
    const lister = await Lister.of('a');
    await lister.list();
    await lister.open();
    lister.kernel.context.listings.dropAll();

    expect(lister.kernel.notifications).toEqual([DROPPED]);
  });

  it('is looked after by no timer any more once it is closed', async () => {
    const lister = await Lister.of('a');
    await lister.list();
    lister.kernel.clock.advance(100);

    expect(lister.kernel.clock.pendingTimers).toBe(0);
  });

  it('is looked after by no timer any more once nothing is mounted', async () => {
    const lister = await Lister.of('a');
    await lister.open();
    lister.kernel.context.listings.end();

    expect(lister.kernel.clock.pendingTimers).toBe(0);
  });

  it('is dropped by the kernel once it changed, also where another has begun it anew since', async () => {
    const lister = await Lister.of('a', 'b', 'c');
    await begunAnewByTwo(lister);
    lister.kernel.notifications.length = 0;
    lister.files.remove('/b');
    lister.kernel.clock.advance(100);

    expect(lister.kernel.notifications).toContain(DROPPED);
  });

  it('is not remembered of two who begin it anew beside each other: what the kernel has may be of both', async () => {
    const lister = await Lister.of('a', 'b');
    const { first, second } = await begunAnewByTwo(lister);
    await lister.close(second.fh);
    const meanwhile = await lister.flags();
    await lister.close(first.fh);

    expect([meanwhile, await lister.flags()]).toEqual([GO_ON, REMEMBER]);
  });
});

describe('who is in the midst of a listing that the kernel has lost', () => {
  it('goes on with the names of that listing, whatever was made and removed since', async () => {
    const lister = await Lister.of('a', 'b', 'c');
    const first = await lister.open();
    const places = await lister.read(first.fh, 0);
    await lister.read(first.fh, places.at(-1)?.next ?? 0);
    const second = await lister.open();
    await lister.close(first.fh);
    lister.files.remove('/a');
    await lister.kernel.make('d');

    expect(second.flags).toBe(REMEMBER | GO_ON);
    const behindA = places.find(({ name }) => name === 'a')?.next ?? 0;
    expect((await lister.read(second.fh, behindA)).map(({ name }) => name)).toEqual(['b', 'c']);
  });

  it('goes on with what another was given, if the kernel gave it that', async () => {
    const lister = await Lister.of('a', 'b', 'c');
    await lister.list();
    const [first, second] = [await lister.open(), await lister.open()];
    lister.files.remove('/a');
    const others = await lister.read(first.fh, 0);
    const behindB = others.find(({ name }) => name === 'b')?.next ?? 0;

    expect((await lister.read(second.fh, behindB)).map(({ name }) => name)).toEqual(['c']);
  });
});

describe('two listings of a folder', () => {
  it('have no place in common, so that the kernel cannot go on in one with the other', async () => {
    const lister = await Lister.of('a', 'b');
    const { fh } = await lister.open();
    const places = await lister.read(fh, 0);
    const others = await lister.read(fh, 0);

    expect(others.map(({ name }) => name)).toEqual(places.map(({ name }) => name));
    const taken = new Set(places.map(({ next }) => next));
    expect(others.filter(({ next }) => taken.has(next))).toEqual([]);
  });
});
