/** An answer to a Range shows only in its middle that it is not what it said it was: a program may have its first bytes by then. */
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { Download } from '../../src/service/object-service.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { ManualClock } from '../support/manual-clock.ts';

const HEAD = { size: 100, etag: 'e', lastModified: new Date(0), contentType: null };

it('it ends the read, and no other answer goes on from bytes of which nobody knows whose they are', async () => {
  let requests = 0;
  const getObject = (): Promise<Download> => {
    requests += 1;
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.alloc(5));
      throw new Refusal('malformed', 'too long a body', { operation: 'getObject', subject: 'k' });
    })();
    return Promise.resolve({ head: HEAD, range: { start: 10, end: 20 }, body });
  };
  const reader = new RangeReader({
    service: { getObject },
    bucket: 'b',
    gate: (work) => work(undefined),
    clock: new ManualClock(),
    log: silentLog,
  });
  const landed: number[] = [];
  const sink = {
    begin: () => undefined,
    chunk: (data: Uint8Array, position: number) => void landed.push(position, data.length),
  };

  const reading = reader.read(
    { key: 'k', range: { start: 10, end: 20 }, expected: { size: 100, matches: () => true } },
    sink,
  );

  await expect(reading).rejects.toMatchObject({ kind: 'malformed' });
  expect([requests, landed]).toEqual([1, [10, 5]]);
});
