/** SEMANTICS: who waits while the service has others wait? Nobody: a request that waits for its next try holds nothing that others need. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { HttpService } from '../../src/client/http-service.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { CONNECTIONS_FOR_ALL_GATES, createGates } from '../../src/store/gates.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { until, textBody } from '../client/open-client.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** Reads at once. */
const PLACES = 16;
/** More than places for any kind. */
const MANY = 40;
const CONTENT = 'content';

async function setup() {
  const { baseUrl, credentials, bucket, direct, faults } = await startEmbeddedServer();
  const clock = new ManualClock();
  clock.holdSleeps = true;
  const connections = CONNECTIONS_FOR_ALL_GATES;
  const service = HttpService.open({ baseUrl, credentials, connections, clock, log: silentLog });
  onTestFinished(() => service.close());
  for (const key of ['f', 'slow']) await direct.putObject(bucket, key, uploadOf(CONTENT));
  const gates = createGates();
  const store = new BucketStore(service, bucket, gates);
  const ranges = new RangeReader({ service, bucket, gate: gates.reads, clock, log: silentLog });
  const pieces = { count: 0 };
  const ask = {
    read: async (key: string): Promise<void> => {
      const expected = { size: CONTENT.length, matches: () => true };
      const sink = {
        begin: () => undefined,
        chunk: () => {
          pieces.count += 1;
        },
      };
      await ranges.read({ key, range: 'whole', expected }, sink);
    },
    digest: (key: string) => store.digest(key),
    look: (key: string) => store.head(key),
    store: (key: string) => store.put(key, textBody(CONTENT)),
    remove: (key: string) => store.remove(key),
  };
  return { clock, faults, ask, pieces };
}

it.each(['read', 'digest', 'look', 'store', 'remove'] as const)(
  'a %s of one file is done while many others wait as long as the service has asked for, and then these are [errors/waits]',
  { timeout: 60_000 },
  async (what) => {
    const { clock, faults, ask } = await setup();
    const fault = { kind: 'status', status: 503, retryAfter: 7 } as const;
    faults.add({ key: 'slow', times: MANY, fault });
    const slow = Array.from({ length: MANY }, () => ask[what]('slow'));
    await until(() => clock.sleeps.length === MANY);

    await ask[what]('f');

    clock.advance(8000);
    await Promise.all(slow);
    expect(faults.left).toBe(0);
  },
);

it(
  'a read of one file is done when others have stood still for twenty seconds, and wait before they go on [errors/waits]',
  {
    timeout: 60_000,
  },
  async () => {
    const { clock, faults, ask, pieces } = await setup();
    faults.add({ key: 'slow', times: MANY, fault: { kind: 'stall', afterBytes: 1 } });
    const slow = Array.from({ length: PLACES }, () => ask.read('slow'));
    const ends = Promise.allSettled(slow);
    await until(() => pieces.count === PLACES);
    await nextTurn();
    const healthy = ask.read('f');
    clock.advance(20_000);

    await healthy;

    await until(() => clock.sleeps.length === PLACES);
    faults.clear();
    clock.advance(100);
    expect((await ends).map(({ status }) => status)).toEqual(
      Array.from({ length: PLACES }, () => 'fulfilled'),
    );
  },
);
