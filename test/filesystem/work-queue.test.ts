/** SEMANTICS: what nobody waits for is tried again for ever, and while the service is away one at a time. When does which begin? */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { WorkQueue } from '../../src/filesystem/write-back/work-queue.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** After the first failure, milliseconds; twice as long after each that follows. */
const FIRST = 500;

class QueueForTest {
  readonly clock = new ManualClock();
  readonly queue: WorkQueue<string>;
  readonly #running = new Map<string, { readonly done: () => void; readonly fail: (error: Error) => void }>();
  #begun: string[] = [];

  constructor(width: number, ...items: readonly string[]) {
    const work = (item: string): Promise<void> =>
      new Promise((done, fail) => {
        this.#begun.push(item);
        this.#running.set(item, { done, fail });
      });
    this.queue = new WorkQueue({ clock: this.clock, random: () => 0, width, work });
    for (const item of items) this.queue.add(item);
  }

  /** Those that have begun since the last call. */
  get begun(): string[] {
    return this.#begun.splice(0);
  }

  /** Resolves with those that have begun thereby. */
  async done(item: string): Promise<string[]> {
    this.#begun = [];
    this.#running.get(item)?.done();
    await setImmediate();
    return this.begun;
  }

  /** As `done`. */
  async fail(...items: readonly string[]): Promise<string[]> {
    this.#begun = [];
    for (const item of items) this.#running.get(item)?.fail(new Error('away'));
    await setImmediate();
    return this.begun;
  }

  after(milliseconds: number): string[] {
    this.clock.advance(milliseconds);
    return this.begun;
  }
}

it('what is added for later begins then, once; and at the time that was said last', async () => {
  const test = new QueueForTest(8);

  test.queue.add('f', 100);
  test.queue.add('f', 200);

  expect([test.after(199), test.queue.has('f')]).toEqual([[], true]);
  expect([test.after(1), test.queue.has('f')]).toEqual([['f'], true]);
  expect([await test.done('f'), test.queue.has('f')]).toEqual([[], false]);
  expect([test.after(1000), test.clock.pendingTimers]).toEqual([[], 0]);
});

it('what is to begin now, and is put off before its turn, begins later', async () => {
  const test = new QueueForTest(1, 'one', 'two');

  test.queue.add('two', 100);

  expect(test.begun).toEqual(['one']);
  expect(await test.done('one')).toEqual([]);
  expect(test.after(100)).toEqual(['two']);
});

it('so many begin at once, the next when one has ended', async () => {
  const test = new QueueForTest(2, 'one', 'two', 'three', 'four');

  expect([test.begun, test.queue.has('four')]).toEqual([['one', 'two'], true]);
  expect(await test.done('two')).toEqual(['three']);
  expect(await test.done('one')).toEqual(['four']);
});

it('what comes again while it is worked on begins again afterwards, at its time, once', async () => {
  const test = new QueueForTest(8, 'f');

  test.queue.add('f', 100);

  expect([test.begun, await test.done('f')]).toEqual([['f'], []]);
  expect([test.after(99), test.after(1)]).toEqual([[], ['f']]);
  expect([await test.done('f'), test.after(1000)]).toEqual([[], []]);
});

it('what comes again while it is worked on, which fails then, is tried again once [write-back/retried]', async () => {
  const test = new QueueForTest(8, 'f');
  test.queue.add('f', 100);
  await test.fail('f');

  expect([test.after(FIRST - 1), test.after(1)]).toEqual([[], ['f']]);
  expect([await test.done('f'), test.after(1000)]).toEqual([[], []]);
});

it('what fails waits for twice as long each time, and once it was done as at first [write-back/retried]', async () => {
  const test = new QueueForTest(8, 'f');
  await test.fail('f');
  expect([test.after(FIRST - 1), test.after(1)]).toEqual([[], ['f']]);
  await test.fail('f');
  expect([test.after(2 * FIRST - 1), test.after(1)]).toEqual([[], ['f']]);
  await test.done('f');

  test.queue.add('f');
  await test.fail('f');

  expect([test.after(FIRST - 1), test.after(1)]).toEqual([[], ['f']]);
});

it('what is added anew while it waits is not what has failed before', async () => {
  const test = new QueueForTest(2, 'f', 'other');
  await test.fail('f');
  await test.done('other');
  test.clock.advance(FIRST);
  await test.fail('f');

  test.queue.add('f');

  expect(test.after(FIRST)).toEqual(['f']);
  await test.fail('f');
  expect([test.after(2 * FIRST - 1), test.after(1)]).toEqual([[], ['f']]);
});

it('after a failure nothing begins for a while, and then one at a time [write-back/retried]', async () => {
  const test = new QueueForTest(8, 'f');
  await test.fail('f');

  for (const item of ['one', 'two']) test.queue.add(item);

  expect([test.begun, test.after(FIRST - 1)]).toEqual([[], []]);
  expect(test.after(1)).toHaveLength(1);
});

it('of those that fail after they were begun together the first alone makes the others wait [write-back/retried]', async () => {
  const test = new QueueForTest(8, 'one', 'two', 'three');
  expect([test.begun, await test.fail('one', 'two', 'three')]).toEqual([['one', 'two', 'three'], []]);

  test.queue.add('new');

  expect([test.after(FIRST - 1), test.after(1)]).toEqual([[], [expect.any(String)]]);
});

it('the first that succeeds after several failures has all tried at once [write-back/retried]', async () => {
  const test = new QueueForTest(8, 'one', 'two', 'three');
  await test.fail('one', 'two', 'three');
  test.queue.add('later', 60_000);
  const [first = ''] = test.after(FIRST);
  await test.fail(first);
  const [second = ''] = test.after(2 * FIRST);

  const others = await test.done(second);

  expect([first, second, ...others].sort()).toEqual([first, 'later', 'one', 'three', 'two'].sort());
  for (const item of others) await test.done(item);
  expect(['one', 'two', 'three', 'later'].filter((item) => test.queue.has(item) && item !== first)).toEqual(
    [],
  );
  expect(test.clock.pendingTimers).toBe(0);
});

it('after a single failure the others go on, and the one that failed waits for its time [write-back/retried]', async () => {
  const test = new QueueForTest(2, 'one', 'bad');
  await test.fail('bad');
  for (const item of ['two', 'three', 'four']) test.queue.add(item);

  expect(await test.done('one')).toEqual([]);
  expect(test.after(FIRST)).toEqual(['two', 'three']);
  expect(await test.done('two')).toEqual(['four']);
  expect(await test.done('three')).toEqual(['bad']);
});

it('what fails again and again while others do not waits for twice as long each time [write-back/retried]', async () => {
  const test = new QueueForTest(2, 'bad', 'good');
  await test.fail('bad');
  await test.done('good');
  expect(test.after(FIRST)).toEqual(['bad']);

  await test.fail('bad');
  test.queue.add('good');

  expect(test.after(FIRST)).toEqual(['good']);
  expect(await test.done('good')).toEqual([]);
  expect([test.after(FIRST - 1), test.after(1)]).toEqual([[], ['bad']]);
});

it('what is new waits for one of many that fail again and again, not for each of them [write-back/retried]', async () => {
  const bad = ['bad 1', 'bad 2', 'bad 3', 'bad 4', 'bad 5', 'bad 6'];
  const test = new QueueForTest(8, ...bad);
  await test.fail(...bad);
  await test.fail(...test.after(FIRST));

  test.queue.add('new');

  const next = [...test.after(2 * FIRST)];
  await test.fail(...next.filter((item) => item !== 'new'));
  expect([...next, ...test.after(4 * FIRST)]).toContain('new');
  expect((await test.done('new')).sort()).toEqual(bad);
});

it('what has failed is tried again, however many new ones come that fail, too [write-back/retried]', async () => {
  const test = new QueueForTest(8, 'old');
  await test.fail('old');
  for (let number = 0; number < 100; number += 1) test.queue.add(`new ${String(number)}`);

  const begun: string[] = [];
  for (let failures = 1; failures <= 3; failures += 1) {
    const next = test.after(FIRST * 2 ** (failures - 1));
    begun.push(...next);
    await test.fail(...next);
  }

  expect(begun).toContain('old');
  expect(begun.filter((item) => item !== 'old').length).toBeGreaterThan(0);
});

it('a failure after a success has the others wait from then on [write-back/retried]', async () => {
  const test = new QueueForTest(3, 'one', 'two', 'three');
  await test.fail('one');
  test.clock.advance(100);
  await test.done('two');

  await test.fail('three');

  expect([test.after(FIRST - 1), test.after(1)]).toEqual([[], ['one']]);
});

it('stopped, it begins nothing any more, and waits for what is worked on', async () => {
  const test = new QueueForTest(1, 'one', 'two');
  test.queue.add('later', 100);
  let isStopped = false;

  const stopping = test.queue.stop().then(() => {
    isStopped = true;
  });
  test.queue.add('new');
  test.queue.add('one');
  await setImmediate();
  expect([test.begun, test.after(1000), isStopped]).toEqual([['one'], [], false]);

  expect(await test.fail('one')).toEqual([]);
  await stopping;
  expect([test.after(100_000), test.clock.pendingTimers]).toEqual([[], 0]);
  expect(['one', 'two', 'later', 'new'].filter((item) => test.queue.has(item))).toEqual([]);
});

it('stopped while nothing begins since one has failed, it forgets that, too', async () => {
  const test = new QueueForTest(8, 'f');
  await test.fail('f');

  await test.queue.stop();

  expect([test.begun, test.clock.pendingTimers]).toEqual([[], 0]);
});
