/** What becomes of a read whose answer does not say which bytes it holds, though the file itself can be had? */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { ScriptedDownloads } from '../support/scripted-downloads.ts';

const CONTENT = patternedBytes(1000);
const MEBIBYTE = 1024 * 1024;

function setup(content = CONTENT, range = { start: 100, end: 200 }) {
  const service = new ScriptedDownloads(content);
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
      { key: 'k', range, expected: { size: content.length, matches: () => true } },
      {
        begin: () => undefined,
        chunk: (data) => {
          for (const byte of data) bytes.push(byte);
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

describe('a stretch of a file, answered by other bytes', () => {
  it('that end where it begins is asked for without Range at once, and their body is closed [read/no-ranges]', async () => {
    const { service, read, bytes } = setup();
    service.instead = { start: 0, end: 100 };

    await read();

    expect(bytes).toEqual([...CONTENT.subarray(100, 200)]);
    expect(service.asked).toEqual(['100-200', 'whole']);
    expect(service.gets[0]).toMatchObject({ sent: 0, closed: true });
  });

  it('that begin after it is asked for without Range at once, and their body is closed [read/no-ranges]', async () => {
    const { service, read, bytes } = setup();
    service.instead = { start: 101, end: 200 };

    await read();

    expect(bytes).toEqual([...CONTENT.subarray(100, 200)]);
    expect(service.asked).toEqual(['100-200', 'whole']);
    expect(service.gets[0]).toMatchObject({ sent: 0, closed: true });
  });

  it('that go on after its end is downloaded no further than that, and their body is closed', async () => {
    const { service, read, bytes } = setup();
    service.chunk = 10;
    service.instead = { start: 100, end: 1000 };

    await read();

    expect(bytes).toEqual([...CONTENT.subarray(100, 200)]);
    expect(service.gets).toMatchObject([{ sent: 100, closed: true }]);
  });

  it('of which more come than may be held is asked for in pieces, and what was not to be held is closed', async () => {
    const content = patternedBytes(2 * MEBIBYTE);
    const { service, read } = setup(content, { start: 100, end: content.length });
    service.isUncounted = true;

    await read();

    expect(service.gets).toMatchObject([{ sent: 0, closed: true }, { closed: false }, { closed: false }]);
  });
});
