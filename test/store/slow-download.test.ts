import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { Download, ObjectService } from '../../src/service/object-service.ts';
import type { ObjectHead } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { ScriptedDownloads } from '../support/scripted-downloads.ts';

const CHUNK = 128 * 1024;

it('a download that only drips is given up after a minute, and its body closed', async () => {
  const service = new ScriptedDownloads(patternedBytes(1000));
  service.chunk = 1;
  const clock = new ManualClock();
  const reader = new RangeReader({ service, bucket: 'b', gate: (task) => task(), clock, log: silentLog });
  const expected = { size: 1000, etag: 'first', matches: (head: ObjectHead) => head.etag === 'first' };
  let bytes = 0;

  const read = reader.read(
    { key: 'k', range: { start: 100, end: 900 }, expected },
    {
      begin: () => undefined,
      chunk: (data) => {
        clock.advance(19_000);
        bytes += data.length;
      },
    },
  );

  await expect(read).rejects.toMatchObject({ kind: 'timeout' });
  expect(bytes).toBe(4);
  expect(service.gets).toMatchObject([{ closed: true }]);
});

it('so is one that announces no length, of which nothing is handed on before its end', async () => {
  const service = new ScriptedDownloads(patternedBytes(1000));
  service.chunk = 1;
  service.isUncounted = true;
  const clock = new ManualClock();
  const reader = readerOver(service, clock, dripping);

  const read = reader.read(
    { key: 'k', range: { start: 100, end: 900 }, expected: { size: 1000, matches: () => true } },
    { begin: () => undefined, chunk: () => undefined },
  );

  await expect(read).rejects.toMatchObject({ kind: 'timeout' });
  expect(service.gets).toMatchObject([{ sent: 4, closed: true }]);
});

it.each([
  [1, { kind: 'timeout', reason: 'the bytes come too slowly' }],
  [CHUNK, { md5: md5Of(patternedBytes(8 * CHUNK)) }],
])(
  'so is one of which only the digest is wanted, and not where it goes on: %d bytes at once',
  async (size, end) => {
    const { service, bucket } = await openEmbeddedService();
    await service.putObject(bucket, 'k', uploadOf(patternedBytes(8 * CHUNK)));
    const clock = new ManualClock();
    const store = new BucketStore(new SlowBodies(service, size, clock), bucket, createGates(clock));

    const ended = await store.digest('k').catch((error: unknown) => error);

    expect(ended).toMatchObject(end);
  },
);

it('without ranges, a download that was cut late goes on though all before the cut takes minutes to come again [read/cut]', async () => {
  const service = new ScriptedDownloads(patternedBytes(8 * CHUNK));
  service.chunk = CHUNK;
  service.treatment = 'ignored';
  service.cuts = [7 * CHUNK];
  const clock = new ManualClock();
  const reader = readerOver(service, clock, slowly);
  let bytes = 0;

  await reader.read(
    { key: 'k', range: 'whole', expected: { size: 8 * CHUNK, matches: () => true } },
    {
      begin: () => undefined,
      chunk: (data) => {
        bytes += data.length;
      },
    },
  );

  expect(bytes).toBe(8 * CHUNK);
  expect(service.asked).toEqual(['whole', `${7 * CHUNK}-${8 * CHUNK}`]);
});

type Body = Download['body'];

/** Of what `service` answers, its bodies `slowed`. */
function readerOver(
  service: ScriptedDownloads,
  clock: ManualClock,
  slowed: (body: Body, clock: ManualClock) => Body,
): RangeReader {
  const slow: Pick<ObjectService, 'getObject'> = {
    getObject: async (...request) => {
      const download = await service.getObject(...request);
      return { ...download, body: slowed(download.body, clock) };
    },
  };
  return new RangeReader({ service: slow, bucket: 'b', gate: (task) => task(), clock, log: silentLog });
}

/** Whose bodies come in pieces of `size` bytes, each after a while. */
class SlowBodies extends InterceptedService {
  readonly #size: number;
  readonly #clock: ManualClock;

  constructor(service: ObjectService, size: number, clock: ManualClock) {
    super(service, (_call, proceed) => proceed());
    this.#size = size;
    this.#clock = clock;
  }

  override async getObject(...asked: Parameters<ObjectService['getObject']>): Promise<Download> {
    const download = await super.getObject(...asked);
    return { ...download, body: slowly(inPieces(download.body, this.#size), this.#clock) };
  }
}

async function* inPieces(body: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  for await (const data of body)
    for (let start = 0; start < data.length; start += size) yield data.subarray(start, start + size);
}

function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

async function* slowly(body: AsyncIterable<Uint8Array>, clock: ManualClock): AsyncGenerator<Uint8Array> {
  for await (const data of body) {
    clock.advance(19_000);
    yield data;
  }
}

it('a read that goes on after its bodies stood still is over when a minute is, whatever the last request waits for', async () => {
  const service = new ScriptedDownloads(patternedBytes(1000));
  const clock = new ManualClock();
  const silent: Pick<ObjectService, 'getObject'> = {
    getObject: async (bucket, key, query) => {
      if (service.gets.length >= 2) await silence(clock, 60_000, query?.signal);
      const download = await service.getObject(bucket, key, query);
      return { ...download, body: standing(clock) };
    },
  };
  const reader = new RangeReader({
    service: silent,
    bucket: 'b',
    gate: (task) => task(),
    clock,
    log: silentLog,
  });
  const expected = { size: 1000, matches: () => true };

  const read = reader.read(
    { key: 'k', range: { start: 100, end: 900 }, expected },
    { begin: () => undefined, chunk: () => undefined },
  );
  const ended = read.catch((error: unknown) => ({ error, at: clock.monotonic() }));
  for (let second = 0; second < 121; second += 1) {
    await nextTurn();
    clock.advance(1000);
  }

  const { error, at } = (await ended) ?? { at: 0 };
  expect(error).toMatchObject({ kind: 'timeout' });
  expect(at).toBeLessThanOrEqual(61_000);
});

it('a read that waits for its turn after a cut has its minute still', async () => {
  const service = new ScriptedDownloads(patternedBytes(1000));
  service.chunk = 200;
  service.cuts = [400];
  const clock = new ManualClock();
  const reader = new RangeReader({
    service,
    bucket: 'b',
    gate: (task) =>
      task(async (pause) => {
        await pause();
        clock.advance(100_000);
      }),
    clock,
    log: silentLog,
  });
  let bytes = 0;

  await reader.read(
    { key: 'k', range: { start: 0, end: 900 }, expected: { size: 1000, matches: () => true } },
    {
      begin: () => undefined,
      chunk: (data) => {
        bytes += data.length;
      },
    },
  );

  expect(bytes).toBe(900);
});

/** Ends as the client does: with the time that a request has, or with its caller's. */
async function silence(clock: ManualClock, milliseconds: number, signal?: AbortSignal): Promise<never> {
  const kind = await new Promise<'aborted' | 'timeout'>((resolve) => {
    clock.after(milliseconds, () => {
      resolve('timeout');
    });
    signal?.addEventListener('abort', () => {
      resolve('aborted');
    });
  });
  throw new Refusal(kind, 'silence', { operation: 'getObject' });
}

async function* standing(clock: ManualClock): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(0);
  await silence(clock, 20_000);
}

it('a service that answers each Range with a byte of it is given up after a minute', async () => {
  const service = new ScriptedDownloads(patternedBytes(1000));
  service.shortenTo = 1;
  const clock = new ManualClock();
  const reader = new RangeReader({ service, bucket: 'b', gate: (task) => task(), clock, log: silentLog });
  const expected = { size: 1000, etag: 'first', matches: (head: ObjectHead) => head.etag === 'first' };

  const read = reader.read(
    { key: 'k', range: { start: 100, end: 900 }, expected },
    {
      begin: () => undefined,
      chunk: () => {
        clock.advance(19_000);
      },
    },
  );

  await expect(read).rejects.toMatchObject({ kind: 'timeout' });
  expect(service.gets).toHaveLength(4);
});

async function* dripping(body: AsyncIterable<Uint8Array>, clock: ManualClock): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    clock.advance(19_000);
    yield piece;
  }
}
