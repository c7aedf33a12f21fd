import { describe, expect, it } from 'vitest';
import type { ByteRange } from '../../src/base/byte-range.ts';
import { silentLog } from '../../src/base/log.ts';
import type { ObjectHead } from '../../src/service/records.ts';
import {
  RangeReader,
  VersionChanged,
  type RangeRequest,
  type RangeSink,
} from '../../src/store/range-reader.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { ScriptedDownloads } from '../support/scripted-downloads.ts';

const SIZE = 1000;

class Collector implements RangeSink {
  range: ByteRange | null = null;
  begins = 0;
  bytes: number[] = [];

  begin(range: ByteRange): void {
    this.begins += 1;
    this.range = range;
  }

  chunk(data: Uint8Array, position: number): void {
    expect(position).toBe((this.range?.start ?? NaN) + this.bytes.length);
    this.bytes.push(...data);
  }
}

function setup(size = SIZE) {
  const content = patternedBytes(size);
  const service = new ScriptedDownloads(content);
  service.chunk = 7;
  const clock = new ManualClock();
  const reader = new RangeReader({
    service,
    bucket: 'b',
    gate: (task) => task(),
    clock,
    log: silentLog,
  });
  const expected = {
    size,
    etag: 'first',
    matches: (head: ObjectHead) => head.etag === 'first' && head.size === size,
  };
  const request = (range: ByteRange | 'whole', signal?: AbortSignal): RangeRequest => ({
    key: 'k',
    range,
    expected,
    signal,
  });
  const part = (start: number, end: number): number[] => [...content.subarray(start, end)];
  return { content, service, clock, reader, request, part, expected };
}

describe('a stretch of a file', () => {
  it('is one ranged GET where Range is honoured, and its headers come first', async () => {
    const { service, reader, request, part } = setup();
    const sink = new Collector();

    await reader.read(request({ start: 100, end: 200 }), sink);

    expect(sink).toMatchObject({ bytes: part(100, 200), range: { start: 100, end: 200 }, begins: 1 });
    expect(service.asked).toEqual(['100-200']);
    expect(reader.rangeSupport).toBe('yes');
    // Whoever leaves a body, if only its end, takes its connection down.
    expect(service.gets[0]?.closed).toBe(false);
  });

  it('is asked for without Range when it is the whole file', async () => {
    const { service, reader, request, part } = setup();
    const sinks = [new Collector(), new Collector()] as const;

    await reader.read(request('whole'), sinks[0]);
    await reader.read(request({ start: 0, end: SIZE }), sinks[1]);

    expect(sinks.map((sink) => sink.bytes)).toEqual([part(0, SIZE), part(0, SIZE)]);
    expect(service.asked).toEqual(['whole', 'whole']);
    expect(reader.rangeSupport).toBe('unknown');
  });

  it('is delivered as the whole file where Range is ignored, which is never sent again', async () => {
    const { service, reader, request, part } = setup();
    service.treatment = 'ignored';
    const sinks = [new Collector(), new Collector()] as const;

    await reader.read(request({ start: 100, end: 200 }), sinks[0]);
    await reader.read(request({ start: 300, end: 400 }), sinks[1]);

    expect(sinks[0]).toMatchObject({ bytes: part(0, SIZE), range: { start: 0, end: SIZE } });
    expect(sinks[1]).toMatchObject({ bytes: part(0, SIZE), range: { start: 0, end: SIZE } });
    expect(service.asked).toEqual(['100-200', 'whole']);
    expect(reader.rangeSupport).toBe('no');
  });

  it('is asked for without Range after a refusal of Range, and from then on', async () => {
    const { service, reader, request, part } = setup();
    service.treatment = 'refused';
    const sink = new Collector();

    await reader.read(request({ start: 100, end: 200 }), sink);
    await reader.read(request({ start: 100, end: 200 }), new Collector());

    expect(sink.bytes).toEqual(part(0, SIZE));
    expect(service.asked).toEqual(['100-200', 'whole', 'whole']);
    expect(reader.rangeSupport).toBe('no');
  });

  it('does not lose Range for the mount by one answer that ignores it after others honoured it', async () => {
    const { service, reader, request } = setup();
    await reader.read(request({ start: 100, end: 200 }), new Collector());
    service.treatment = 'ignored';

    await reader.read(request({ start: 200, end: 300 }), new Collector());

    expect(reader.rangeSupport).toBe('yes');
  });

  it('is completed by further GETs when answers are shorter than asked for', async () => {
    const { service, reader, request, part } = setup();
    service.shortenTo = 40;
    const sink = new Collector();

    await reader.read(request({ start: 100, end: 200 }), sink);

    expect(sink).toMatchObject({ bytes: part(100, 200), range: { start: 100, end: 200 } });
    expect(service.asked).toEqual(['100-200', '140-200', '180-200']);
  });

  it('of an empty file has headers and no bytes', async () => {
    const { reader, request } = setup(0);
    const sink = new Collector();

    await reader.read(request('whole'), sink);

    expect(sink).toMatchObject({ begins: 1, bytes: [], range: { start: 0, end: 0 } });
  });

  it('is refused when the answer holds other bytes than asked for', async () => {
    const { service, reader, request } = setup();
    const getObject = service.getObject.bind(service);
    service.getObject = (bucket, key, query) =>
      getObject(bucket, key, { ...query, range: { start: 150, end: 200 } });

    const read = reader.read(request({ start: 100, end: 200 }), new Collector());

    await expect(read).rejects.toMatchObject({ kind: 'malformed' });
  });
});

describe('a cut body', () => {
  it.each([0, 1, 6, 7, 8, 50, 99])(
    'goes on from the next byte, when it was cut after %i of 100 bytes [read/cut]',
    async (cut) => {
      const { service, reader, request, part } = setup();
      service.cuts = [cut];
      const sink = new Collector();

      await reader.read(request({ start: 100, end: 200 }), sink);

      expect(sink).toMatchObject({ bytes: part(100, 200), begins: 1 });
      expect(service.asked).toEqual(['100-200', `${100 + cut}-200`]);
      expect(service.sent).toBe(100);
    },
  );

  it('of the whole file is resumed by Range where that works', async () => {
    const { service, reader, request, part } = setup();
    service.cuts = [400];
    const sink = new Collector();

    await reader.read(request('whole'), sink);

    expect(sink.bytes).toEqual(part(0, SIZE));
    expect(service.asked).toEqual(['whole', '400-1000']);
  });

  it.each(['ignored', 'refused'] as const)(
    'is asked for as a whole again, without delivering a byte twice, where Range is %s [read/cut]',
    async (treatment) => {
      const { service, reader, request, part } = setup();
      service.treatment = treatment;
      service.cuts = [0, 1, 400, 999];
      const sink = new Collector();

      await reader.read(request('whole'), sink);

      expect(sink).toMatchObject({ bytes: part(0, SIZE), begins: 1 });
    },
  );

  it('is resumed after a stall too', async () => {
    const { service, reader, request, part } = setup();
    service.cuts = [30];
    service.cutKind = 'timeout';
    const sink = new Collector();

    await reader.read(request({ start: 100, end: 200 }), sink);

    expect(sink.bytes).toEqual(part(100, 200));
  });

  it('ends the read when every answer is cut again', async () => {
    const { service, clock, reader, request } = setup();
    service.cuts = Array.from({ length: 50 }, () => 3);

    const read = reader.read(request({ start: 100, end: 900 }), new Collector());

    await expect(read).rejects.toMatchObject({ kind: 'unavailable' });
    expect(service.gets.length).toBe(6);
    expect(clock.sleeps).toEqual([100, 200, 400, 800, 1600]);
  });

  it('ends the read when no byte has come for a minute [errors/table]', async () => {
    const { service, clock, reader, request } = setup();
    service.cuts = [0, 0];
    service.cutKind = 'timeout';
    const getObject = service.getObject.bind(service);
    service.getObject = (...call) => {
      clock.advance(31_000);
      return getObject(...call);
    };

    const read = reader.read(request({ start: 100, end: 200 }), new Collector());

    await expect(read).rejects.toMatchObject({ kind: 'timeout' });
    expect(service.gets.length).toBe(2);
  });

  it('is resumed any number of times as long as each answer brings something', async () => {
    const { service, reader, request, content } = setup(2_000_000);
    service.chunk = 64 * 1024;
    service.cuts = Array.from({ length: 12 }, () => 131_072);
    let bytes = 0;

    await reader.read(request({ start: 1, end: 2_000_000 }), {
      begin: () => undefined,
      chunk: (data, position) => {
        expect(Buffer.compare(data, content.subarray(position, position + data.length))).toBe(0);
        bytes += data.length;
      },
    });

    expect(bytes).toBe(1_999_999);
    expect(service.gets.length).toBe(13);
  });
});

describe('a foreign change', () => {
  it('is told with the new headers, before any byte, and the body is closed', async () => {
    const { service, reader, request } = setup();
    service.replace(patternedBytes(500, 2), 'second');
    const sink = new Collector();

    const read = reader.read(request({ start: 100, end: 200 }), sink);

    await expect(read).rejects.toThrow(VersionChanged);
    expect(sink.begins).toBe(0);
    expect(service.gets.map(({ closed }) => closed)).toEqual([true]);
    expect(reader.rangeSupport).toBe('unknown');
  });

  it('between a cut body and its continuation is told, and no byte of the new version is delivered [fresh/no-mixing]', async () => {
    const { service, reader, request, part } = setup();
    service.cuts = [50];
    const sink = new Collector();
    const chunk = sink.chunk.bind(sink);
    sink.chunk = (data, position) => {
      chunk(data, position);
      service.replace(patternedBytes(SIZE, 2), 'second');
    };

    const read = reader.read(request({ start: 100, end: 200 }), sink);

    await expect(read).rejects.toThrow(VersionChanged);
    expect(sink.bytes).toEqual(part(100, 150));
  });

  it('is told when only the first answer was accepted by a version without a name', async () => {
    const { service, reader, request, expected } = setup();
    service.cuts = [50];
    const sink: RangeSink = {
      begin: () => {
        service.replace(patternedBytes(SIZE, 2), 'second');
      },
      chunk: () => undefined,
    };
    const unnamed = { ...expected, etag: null, matches: () => true };

    const read = reader.read({ ...request({ start: 100, end: 200 }), expected: unnamed }, sink);

    await expect(read).rejects.toThrow(VersionChanged);
  });

  it('that made the file shorter is no refusal of Range', async () => {
    const { service, reader, request } = setup();
    service.replace(patternedBytes(50, 2), 'second');

    const read = reader.read(request({ start: 100, end: 200 }), new Collector());

    await expect(read).rejects.toThrow(VersionChanged);
    expect(reader.rangeSupport).toBe('unknown');
  });
});

describe('a reader that stops', () => {
  it('by its signal gets no more bytes, and the body is closed', async () => {
    const { service, reader, request } = setup();
    const abort = new AbortController();
    const sink = new Collector();
    const chunk = sink.chunk.bind(sink);
    sink.chunk = (data, position) => {
      chunk(data, position);
      abort.abort();
    };

    const read = reader.read(request({ start: 100, end: 200 }, abort.signal), sink);

    await expect(read).rejects.toMatchObject({ kind: 'aborted' });
    expect(sink.bytes.length).toBe(7);
    expect(service.gets[0]?.closed).toBe(true);
  });

  it('by its signal between two answers does not ask again', async () => {
    const { service, clock, reader, request } = setup();
    const abort = new AbortController();
    service.cuts = [10];
    clock.holdSleeps = true;

    const read = reader.read(request({ start: 100, end: 200 }, abort.signal), new Collector());
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort();

    await expect(read).rejects.toMatchObject({ kind: 'aborted' });
    expect(service.gets.length).toBe(1);
  });

  it('by an error of its own hears that error, and the body is closed', async () => {
    const { service, reader, request } = setup();
    const failure = new Error('disk full');

    const inBegin = reader.read(request('whole'), {
      begin: () => Promise.reject(failure),
      chunk: () => undefined,
    });
    await expect(inBegin).rejects.toBe(failure);
    const inChunk = reader.read(request('whole'), {
      begin: () => undefined,
      chunk: () => Promise.reject(failure),
    });
    await expect(inChunk).rejects.toBe(failure);

    expect(service.gets.map(({ closed }) => closed)).toEqual([true, true]);
  });

  it('hears a refusal of the GET itself as it is', async () => {
    const { service, reader, request } = setup();
    service.refusals = ['missing'];

    await expect(reader.read(request('whole'), new Collector())).rejects.toMatchObject({ kind: 'missing' });
    expect(service.gets.length).toBe(1);
  });
});
