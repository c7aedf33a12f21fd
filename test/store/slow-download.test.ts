import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { ObjectHead } from '../../src/service/records.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { ScriptedDownloads } from '../support/scripted-downloads.ts';

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
