/** What becomes of a read whose answer does not say which bytes it holds, though the file itself can be had? */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { ScriptedDownloads } from '../support/scripted-downloads.ts';

const CONTENT = patternedBytes(1000);

function setup() {
  const service = new ScriptedDownloads(CONTENT);
  const reader = new RangeReader({
    service,
    bucket: 'b',
    gate: (task) => task(),
    clock: new ManualClock(),
    log: silentLog,
  });
  const bytes: number[] = [];
  const read = () =>
    reader.read(
      { key: 'k', range: { start: 100, end: 200 }, expected: { size: CONTENT.length, matches: () => true } },
      {
        begin: () => undefined,
        chunk: (data) => {
          bytes.push(...data);
        },
      },
    );
  return { service, reader, read, bytes };
}

describe('a stretch of a file, after an answer that cannot be understood', () => {
  it('is asked for without Range, and from then on [read/no-ranges]', async () => {
    const { service, read, bytes } = setup();
    service.refusals = ['malformed'];

    await read();
    await read();

    expect(bytes).toEqual([...CONTENT, ...CONTENT]);
    expect(service.asked).toEqual(['100-200', 'whole', 'whole']);
  });

  it('is refused when the whole file is answered so, too, which says nothing of Range', async () => {
    const { service, reader, read } = setup();
    service.refusals = ['malformed', 'malformed'];

    await expect(read()).rejects.toMatchObject({ kind: 'malformed' });
    expect(service.asked).toEqual(['100-200', 'whole']);
    expect(reader.rangeSupport).toBe('unknown');
  });
});
