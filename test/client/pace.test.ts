/** SEMANTICS: what becomes of requests while the service refuses some for their number? */
import { describe, expect, it } from 'vitest';
import { RunningClock } from '../../src/base/running-clock.ts';
import { Pace } from '../../src/client/pace.ts';
import { Watch } from '../../src/client/watch.ts';
import { RequestLimit } from '../../src/server/request-limit.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { reply } from '../support/raw-server.ts';
import { openClient, refusalFrom, RecordingLog, textBody, until } from './open-client.ts';

const HEAD_OK = reply('200 OK', { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' });
const TOO_MANY = reply('429 Too Many Requests');
const TICK = 5;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;

/** What came of requests by the end. */
interface Tally {
  served: number;
  refused: number;
  /** How often in turn one request was refused, at most. */
  inTurn: number;
}

/** Programs that ask without a break, with the client's waits between tries, of a service that answers so many a second. */
class Crowd {
  readonly clock = new ManualClock();
  readonly log = new RecordingLog();
  readonly tally: Tally = { served: 0, refused: 0, inTurn: 0 };
  readonly #running = RunningClock.of(this.clock);
  readonly #pace = new Pace(this.clock, this.log);
  readonly #limit: RequestLimit;
  readonly #status: number;
  #isOver = false;
  #chance = 1;

  /** `status`: of what is refused. */
  constructor(perSecond: number, status = 429) {
    this.#limit = new RequestLimit(perSecond, this.clock);
    this.#status = status;
    this.clock.holdSleeps = true;
  }

  async run(programs: number, seconds: number): Promise<Tally> {
    const all = Array.from({ length: programs }, () => this.#program());
    for (let passed = 0; passed < seconds * 1000; passed += TICK) await this.#tick();
    const tally = { ...this.tally };
    this.#isOver = true;
    let left = all.length;
    for (const program of all) void program.then(() => (left -= 1));
    while (left > 0) await this.#tick();
    return tally;
  }

  async #tick(): Promise<void> {
    this.clock.advance(TICK);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** From a half to one, and the same in every run. */
  #jitter(): number {
    this.#chance = (this.#chance * 75 + 74) % 65_537;
    return 1 - this.#chance / 65_537 / 2;
  }

  async #program(): Promise<void> {
    for (let refusals = 0; !this.#isOver;) {
      const watch = new Watch(this.#running, { operation: 'headObject', subject: 'k' }, undefined);
      if (this.#pace.isKept) await this.#pace.turn(watch, { at: 0 });
      watch.close();
      const leftAt = this.clock.monotonic();
      await this.clock.sleep(TICK);
      const isTaken = this.#limit.take();
      this.#pace.answered(isTaken ? 200 : this.#status, leftAt);
      this.tally[isTaken ? 'served' : 'refused'] += 1;
      if (!isTaken)
        await this.clock.sleep(Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** refusals) * this.#jitter());
      refusals = isTaken ? 0 : refusals + 1;
      this.tally.inTurn = Math.max(this.tally.inTurn, refusals);
    }
  }
}

describe('of a service that answers so many requests a second', () => {
  it.each([
    [4, 429],
    [20, 429],
    [200, 429],
    [4, 503],
    [20, 503],
    [200, 503],
  ])(
    '(%d, %d for the others), programs that ask without a break get nearly all, and nobody is refused so often as to fail [errors/pace]',
    async (perSecond, status) => {
      const seconds = 120;

      const { served, refused, inTurn } = await new Crowd(perSecond, status).run(40, seconds);

      expect(served).toBeGreaterThan(0.8 * perSecond * seconds);
      expect(refused).toBeLessThan((status === 429 ? 0.1 : 0.3) * served + 80);
      // A request has six tries.
      expect(inTurn).toBeLessThan(6);
    },
  );

  it('that refuses none, nobody waits [errors/pace]', async () => {
    const crowd = new Crowd(100_000);

    const { served } = await crowd.run(10, 1);

    expect(served).toBe((10 * 1000) / TICK);
    expect(crowd.log.lines).toEqual([]);
  });

  it('the log says once that requests are held back [errors/pace]', async () => {
    const crowd = new Crowd(5);

    await crowd.run(40, 30);

    expect(crowd.log.lines.map(({ message }) => message)).toEqual([
      'The service refuses requests for their number: they leave more slowly',
    ]);
  });
});

describe('503', () => {
  const heard = (...statuses: readonly [status: number, times: number, after: number][]): Pace => {
    const clock = new ManualClock();
    const pace = new Pace(clock, new RecordingLog());
    for (const [status, times, after] of statuses) {
      clock.advance(after);
      for (let each = 0; each < times; each += 1) pace.answered(status, clock.monotonic());
    }
    return pace;
  };

  it('of every third request slows the others [errors/pace]', () => {
    expect(heard([200, 20, 0], [503, 10, 100]).isKept).toBe(true);
  });

  it.each<[string, ...[number, number, number][]]>([
    ['of one request in twenty', [200, 100, 0], [503, 5, 100]],
    ['of a request that is the only one', [200, 2, 0], [503, 2, 100]],
    ['of a service that is away', [503, 100, 0], [503, 100, 1000]],
    ['of one that has just gone', [200, 20, 0], [503, 100, 1000]],
    ['of one that was slow before it went', [200, 20, 0], [503, 10, 100], [503, 1, 5000]],
  ])('%s slows none', (_what, ...statuses) => {
    expect(heard(...statuses).isKept).toBe(false);
  });
});

it('a request is not held up for as long as others wait that are refused, and were asked to come again in seven seconds [errors/waits]', async () => {
  const clock = new ManualClock();
  clock.holdSleeps = true;
  const pace = new Pace(clock, new RecordingLog());
  // As many as may be under way at once, and all are refused.
  for (let each = 0; each < 16; each += 1) pace.answered(429, clock.monotonic());
  const turn = async (): Promise<void> => {
    const watch = new Watch(RunningClock.of(clock), { operation: 'headObject', subject: 'k' }, undefined);
    await pace.turn(watch, { at: 0 });
    watch.close();
  };
  const refused = async (): Promise<void> => {
    await turn();
    pace.answered(429, clock.monotonic());
  };
  for (let each = 0; each < 24; each += 1) void refused();
  let leftAt = Number.POSITIVE_INFINITY;

  void turn().then(() => {
    leftAt = clock.monotonic();
  });

  for (let passed = 0; passed < 7000; passed += TICK) {
    clock.advance(TICK);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(leftAt).toBeLessThan(7000);
});

describe('a request that waits since another was refused', () => {
  it('has all its time when it leaves, and is given up at once by who no longer wants it [errors/pace]', async () => {
    const { service, server, clock } = await openClient([TOO_MANY, HEAD_OK], {
      deadlines: { metadata: 400 },
    });
    await service.headObject('b', 'first');
    clock.holdSleeps = true;
    const caller = new AbortController();

    // Each leaves a quarter of a second after the one before.
    const next = [1, 2].map((n) => service.headObject('b', `next ${n}`));
    const unwanted = refusalFrom(service.headObject('b', 'unwanted', { signal: caller.signal }));
    caller.abort();
    expect(await unwanted).toMatchObject({ kind: 'aborted', neverSent: true });
    for (const sent of [3, 4]) {
      clock.advance(250);
      await until(() => server.requests.length === sent);
    }

    expect((await Promise.all(next)).map(({ etag }) => etag)).toEqual(['e', 'e']);
    expect(server.requests).toHaveLength(4);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is given up when its time is over after it has left [errors/pace]', async () => {
    const silence = { play: () => undefined };
    const { service, server, clock } = await openClient([TOO_MANY, HEAD_OK, silence], {
      deadlines: { metadata: 400 },
    });
    await service.headObject('b', 'first');
    clock.holdSleeps = true;
    const next = refusalFrom(service.headObject('b', 'next'));
    clock.advance(250);
    await until(() => server.requests.length === 3);

    clock.advance(400);

    expect(await next).toMatchObject({ kind: 'timeout', reason: 'no complete answer within 0.4 s' });
  });

  it('is tried again though it has waited for longer than an upload may go on without progress [errors/pace]', async () => {
    const stored = reply('200 OK', {}, JSON.stringify({ bucket: 'b', key: 'k', size: 1 }));
    const { service, server, clock } = await openClient(
      [TOO_MANY, HEAD_OK, HEAD_OK, reply('503 Busy'), stored],
      { deadlines: { uploadIdle: 400 } },
    );
    await service.headObject('b', 'first');
    clock.holdSleeps = true;
    const before = service.headObject('b', 'before');
    const upload = service.putObject('b', 'k', textBody('x'));
    for (const sent of [3, 4]) {
      clock.advance(250);
      await until(() => server.requests.length === sent);
    }
    let isOver = false;
    const over = (): void => void (isOver = true);
    upload.then(over, over);
    // The last of them until it is tried again.
    await until(() => isOver || clock.sleeps.length === 4);
    clock.holdSleeps = false;
    clock.advance(250);

    expect((await upload).size).toBe(1);
    await before;
  });

  it('waits no more a minute later [errors/pace]', async () => {
    const { service, clock } = await openClient([TOO_MANY, HEAD_OK]);
    await service.headObject('b', 'first');
    clock.advance(60_000);
    clock.holdSleeps = true;

    await Promise.all([1, 2, 3].map((n) => service.headObject('b', String(n))));

    expect(clock.sleeps).toEqual([250]);
  });
});
