/** Who leaves while the service is asked for names, what is asked on, and what is remembered of it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Interrupted, RETURN_TIME } from '../../src/base/waiter.ts';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import type { CallOptions, ObjectService } from '../../src/service/object-service.ts';
import { LIST_OBJECTS_MAX_LIMIT } from '../../src/service/limits.ts';
import { Refusal, type Operation } from '../../src/service/refusal.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { LogForTest } from '../support/program-acts.ts';
import { nothingKept } from '../support/nothing-kept.ts';

const TTL = 1000;
const LATER = 10 * TTL;

/** Requests stall, each until it is given up, while `stalls` is set. */
async function setup(ttl = TTL) {
  const { service, direct, bucket, requests } = await openEmbeddedService();
  await direct.putObject(bucket, 'folder/file', uploadOf('x'));
  const control = {
    stalls: true,
    givenUp: 0,
    waiting: 0,
    limit: LIST_OBJECTS_MAX_LIMIT,
    furtherPageAsked: (): void => undefined,
  };
  let wake: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (wake = resolve));
  onTestFinished(() => {
    wake();
  });
  const stalled = async (operation: Operation, signal: AbortSignal | undefined): Promise<void> => {
    if (!control.stalls) return;
    control.waiting += 1;
    await Promise.race([
      released,
      new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true })),
    ]);
    control.waiting -= 1;
    if (signal?.aborted !== true) return;
    control.givenUp += 1;
    throw new Refusal('aborted', 'given up', { operation });
  };
  const stalling = Object.assign(Object.create(service) as ObjectService, {
    headObject: async (id: string, key: string, options?: CallOptions) => {
      await stalled('headObject', options?.signal);
      return service.headObject(id, key, options);
    },
    listObjects: async (id: string, query: Parameters<ObjectService['listObjects']>[1]) => {
      if (query.page !== undefined) control.furtherPageAsked();
      await stalled('listObjects', query.signal);
      return service.listObjects(id, { ...query, limit: control.limit });
    },
  });
  const clock = new ManualClock();
  const store = new BucketStore(stalling, bucket, createGates());
  const names = new Namespace({
    store,
    clock,
    log: new LogForTest(),
    ttl,
    folders: new FolderMemory(new NamesRoom(10_000_000)),
    locals: nothingKept,
  });
  return { names, clock, control, requests, wake, direct, bucket };
}

describe.each([
  ['trusted for a while', TTL],
  ['never trusted', 0],
])('a look at a name that is interrupted, where answers are %s', (_words, ttl) => {
  it('is over at once, its requests are given up, and the next look finds the name [interrupt/given-up]', async () => {
    const { names, clock, control } = await setup(ttl);
    const program = new AbortController();
    const gone = names.lookup('/folder/file', program);
    await expect.poll(() => control.waiting).toBe(2);
    program.abort();
    await expect(gone).rejects.toThrow(Interrupted);
    clock.advance(RETURN_TIME);
    await expect.poll(() => control.waiting).toBe(0);
    control.stalls = false;

    expect(control.givenUp).toBe(2);
    expect(await names.lookup('/folder/file')).toMatchObject({ kind: 'file' });
    expect(await names.lookup('/nothing')).toMatchObject({ kind: 'missing' });
  });
});

describe('a listing that is interrupted', () => {
  it('is over at once, its request is given up, and the next listing is whole [interrupt/given-up]', async () => {
    const { names, clock, control } = await setup();
    const program = new AbortController();
    const gone = names.list('/folder', program);
    await expect.poll(() => control.waiting).toBe(1);
    program.abort();
    await expect(gone).rejects.toThrow(Interrupted);
    clock.advance(RETURN_TIME);
    await expect.poll(() => control.waiting).toBe(0);
    control.stalls = false;

    expect(control.givenUp).toBe(1);
    expect([...(await names.list('/folder')).names.keys()]).toEqual(['file']);
  });

  it('gives up the page that was asked for ahead, too, though nobody had left when it was [interrupt/given-up]', async () => {
    const { names, clock, control, direct, bucket } = await setup();
    await direct.putObject(bucket, 'folder/other', uploadOf('x'));
    const program = new AbortController();
    Object.assign(control, { stalls: false, limit: 1 });
    control.furtherPageAsked = () => {
      control.stalls = true;
      program.abort();
    };
    await expect(names.list('/folder', program)).rejects.toThrow(Interrupted);
    // By then the walk has ended, with the page that nobody reads.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(control.waiting).toBe(1);
    clock.advance(RETURN_TIME);
    await expect.poll(() => control.waiting).toBe(0);

    expect(control.givenUp).toBe(1);
  });

  it('goes on for a program that asks again soon [interrupt/given-up]', async () => {
    const { names, clock, control, wake } = await setup();
    const program = new AbortController();
    const gone = names.list('/folder', program);
    await expect.poll(() => control.waiting).toBe(1);
    program.abort();
    await expect(gone).rejects.toThrow(Interrupted);
    const again = names.list('/folder', new AbortController());
    clock.advance(LATER);
    wake();

    expect([...(await again).names.keys()]).toEqual(['file']);
    expect(control.givenUp).toBe(0);
  });
});

/** Two programs `ask` the same, for which `requests` are made; what the second is told, long after the first has left. */
async function afterTheFirstLeft<Told>(
  { clock, control, wake }: Awaited<ReturnType<typeof setup>>,
  requests: number,
  ask: (program: AbortController) => Promise<Told>,
): Promise<Told> {
  const program = new AbortController();
  const gone = ask(program);
  const stays = ask(new AbortController());
  await expect.poll(() => control.waiting).toBe(requests);
  program.abort();
  await expect(gone).rejects.toThrow(Interrupted);
  clock.advance(LATER);
  wake();
  const told = await stays;
  expect(control.givenUp).toBe(0);
  return told;
}

describe('a listing that another program reads, too', () => {
  it('goes on for that one when the first leaves [interrupt/shared]', async () => {
    const scene = await setup();

    const { names } = await afterTheFirstLeft(scene, 1, (program) => scene.names.list('/folder', program));

    expect([...names.keys()]).toEqual(['file']);
  });

  it('is asked for anew by who comes in the moment in which it is given up [interrupt/given-up]', async () => {
    const { names, clock, control } = await setup();
    const program = new AbortController();
    const gone = names.list('/folder', program);
    await expect.poll(() => control.waiting).toBe(1);
    program.abort();
    await expect(gone).rejects.toThrow(Interrupted);
    control.stalls = false;
    clock.advance(RETURN_TIME);

    expect([...(await names.list('/folder')).names.keys()]).toEqual(['file']);
  });
});

describe('a look at a name that another program waits for, too', () => {
  it('goes on for that one when the first leaves [interrupt/shared]', async () => {
    const scene = await setup();

    const found = await afterTheFirstLeft(scene, 2, (program) => scene.names.lookup('/folder', program));

    expect(found).toMatchObject({ kind: 'folder' });
  });
});

describe('a look at a name that waits for what another look in its folder has begun', () => {
  it('is over at once, and the page that nobody else wants is given up [interrupt/given-up]', async () => {
    const { names, clock, control } = await setup();
    control.stalls = false;
    await names.list('/');
    control.stalls = true;
    const first = new AbortController();
    const other = new AbortController();
    const gone = [names.lookup('/folder/one', first), names.lookup('/folder/other', other)];
    await expect.poll(() => control.waiting).toBe(3);
    for (const program of [first, other]) program.abort();
    for (const look of gone) await expect(look).rejects.toThrow(Interrupted);
    clock.advance(RETURN_TIME);
    // Nobody waits for the look any more; and then, for its page.
    await expect.poll(() => control.waiting).toBe(1);
    clock.advance(RETURN_TIME);

    await expect.poll(() => control.waiting, { timeout: 2000 }).toBe(0);
    expect(control.givenUp).toBe(3);
  });

  it.each([
    ['before', false],
    ['while', true],
  ])(
    'is told by that page though who listed the folder left %s it waited, and asks for nothing [list/beside]',
    async (_words, waitsThen) => {
      const { names, clock, control, wake, requests } = await setup(LATER);
      control.stalls = false;
      await names.list('/');
      control.stalls = true;
      const program = new AbortController();
      const gone = names.list('/folder', program);
      await expect.poll(() => control.waiting).toBe(1);
      const leaves = async (): Promise<void> => {
        program.abort();
        await expect(gone).rejects.toThrow(Interrupted);
      };
      if (!waitsThen) await leaves();
      const looks = [names.lookup('/folder/one'), names.lookup('/folder/file')];
      await expect.poll(() => control.waiting).toBe(3);
      if (waitsThen) await leaves();
      clock.advance(RETURN_TIME);
      wake();

      expect((await Promise.all(looks)).map(({ kind }) => kind)).toEqual(['missing', 'file']);
      expect(requests.count('headObject')).toBe(1);
      expect(control.givenUp).toBe(0);
    },
  );
});
