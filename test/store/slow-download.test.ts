import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { ObjectHead } from '../../src/service/records.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
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

it('without ranges, a download that was cut late goes on though all before the cut takes minutes to come again [read/cut]', async () => {
  const service = new ScriptedDownloads(patternedBytes(8 * CHUNK));
  service.chunk = CHUNK;
  service.treatment = 'ignored';
  service.cuts = [7 * CHUNK];
  const clock = new ManualClock();
  const slow: Pick<ObjectService, 'getObject'> = {
    getObject: async (...request) => {
      const download = await service.getObject(...request);
      return { ...download, body: slowly(download.body, clock) };
    },
  };
  const reader = new RangeReader({
    service: slow,
    bucket: 'b',
    gate: (task) => task(),
    clock,
    log: silentLog,
  });
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

async function* slowly(body: AsyncIterable<Uint8Array>, clock: ManualClock): AsyncGenerator<Uint8Array> {
  for await (const data of body) {
    clock.advance(19_000);
    yield data;
  }
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
