/** What becomes of a read whose answer to a Range announces no length, and turns out to be longer than its Content-Range says? */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { openClient } from '../client/open-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import type { Script } from '../support/raw-server.ts';

const MEBIBYTE = 1024 * 1024;
const CONTENT = patternedBytes(600_000);
const VERSION = 'ETag: "e"\r\nLast-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\n';
const PART = { start: 100_000, end: 500_000 };
const PART_HEADERS = `HTTP/1.1 206 Partial Content\r\n${VERSION}Content-Range: bytes ${PART.start}-${PART.end - 1}/${CONTENT.length}\r\nConnection: close\r\n\r\n`;

function answer(head: string, body: Uint8Array): Script {
  return {
    play: (socket) => {
      socket.write(head);
      socket.end(body);
    },
  };
}

const whole = answer(`HTTP/1.1 200 OK\r\n${VERSION}Content-Length: ${CONTENT.length}\r\n\r\n`, CONTENT);
const honest = answer(PART_HEADERS, CONTENT.subarray(PART.start, PART.end));
const oneMore = answer(PART_HEADERS, CONTENT.subarray(PART.start, PART.end + 1));
const notAPart = answer(PART_HEADERS, CONTENT);

/** Of whatever is asked for, without its length; each body is cut after `most` bytes. */
function uncounted(content: Uint8Array, most = content.length): Script {
  return {
    play: (socket, { headers }) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '') ?? [];
      const [start, end] = [Number(first), Number(last) + 1];
      socket.write(
        `HTTP/1.1 206 Partial Content\r\n${VERSION}Content-Range: bytes ${start}-${end - 1}/${content.length}\r\nConnection: close\r\n\r\n`,
      );
      socket.end(content.subarray(start, Math.min(end, start + most)));
    },
  };
}

async function setup(...answers: Script[]) {
  const { service, server } = await openClient(answers);
  const clock = new ManualClock();
  const ranges = new RangeReader({ service, bucket: 'b', gate: (task) => task(), clock, log: silentLog });
  let handed = 0;
  const read = async (): Promise<boolean> => {
    const found = new Uint8Array(CONTENT.length);
    const expected = { size: CONTENT.length, matches: () => true };
    await ranges.read(
      { key: 'k', range: PART, expected },
      {
        begin: () => undefined,
        chunk: (data, position) => {
          handed += data.length;
          // Whatever comes for the first time is what a program is given.
          expect(Buffer.compare(data, CONTENT.subarray(position, position + data.length))).toBe(0);
          found.set(data, position);
        },
      },
    );
    return Buffer.compare(found.subarray(PART.start, PART.end), CONTENT.subarray(PART.start, PART.end)) === 0;
  };
  const asked = (): (string | undefined)[] => server.requests.map(({ headers }) => headers['range']);
  return { read, asked, ranges, handed: () => handed };
}

describe('a stretch of a file, answered by a part without Content-Length', () => {
  it.each([
    ['a byte longer than it says', oneMore],
    ['the whole file', notAPart],
  ])('that is %s is asked for without Range, and from then on [read/no-ranges]', async (_what, odd) => {
    const { read, asked } = await setup(odd, whole, whole);

    expect(await read()).toBe(true);
    expect(await read()).toBe(true);

    expect(asked()).toEqual([`bytes=${PART.start}-${PART.end - 1}`, undefined, undefined]);
  });

  it('that is what it says it is, is all that is asked for', async () => {
    const { read, asked, ranges } = await setup(honest, honest);

    expect(await read()).toBe(true);
    expect(await read()).toBe(true);

    expect(asked()).toHaveLength(2);
    expect(ranges.rangeSupport).toBe('yes');
  });

  it('that is longer after others were not is refused: what came of it may be in use [errors/hostile]', async () => {
    const { read, asked, ranges } = await setup(honest, oneMore);
    await read();

    await expect(read()).rejects.toMatchObject({ kind: 'malformed' });
    expect(asked()).toHaveLength(2);
    expect(ranges.rangeSupport).toBe('yes');
  });

  it('that holds the whole file after others were what they said hands on none of it [errors/hostile]', async () => {
    const { read, asked, handed } = await setup(honest, notAPart);
    await read();
    const before = handed();

    await expect(read()).rejects.toMatchObject({ kind: 'malformed' });

    expect(handed()).toBe(before);
    expect(asked()).toHaveLength(2);
  });

  it('and is large, is asked for in a first piece that is held, and then in one with all the rest', async () => {
    const content = patternedBytes(5 * MEBIBYTE);
    const part = { start: 100_000, end: content.length };
    const { service, server } = await openClient([uncounted(content)]);
    const clock = new ManualClock();
    const ranges = new RangeReader({ service, bucket: 'b', gate: (task) => task(), clock, log: silentLog });
    const found: Uint8Array[] = [];
    const asked: number[] = [];

    await ranges.read(
      { key: 'k', range: part, expected: { size: content.length, matches: () => true } },
      {
        begin: () => undefined,
        chunk: (data) => {
          found.push(Uint8Array.from(data));
          asked.push(server.requests.length);
        },
      },
    );

    expect(Buffer.concat(found).equals(content.subarray(part.start))).toBe(true);
    expect(server.requests.map(({ headers }) => headers['range'])).toEqual([
      `bytes=${part.start}-${part.end - 1}`,
      `bytes=${part.start}-${part.start + MEBIBYTE - 1}`,
      `bytes=${part.start + MEBIBYTE}-${part.end - 1}`,
    ]);
    // The piece was handed on before the rest was asked for: no more than that was ever held.
    expect(asked[0]).toBe(2);
  });

  it('and is larger than may be held, is asked for piece by piece', async () => {
    const content = patternedBytes(20 * MEBIBYTE);
    const { found, handed, widths } = await readFrom(MEBIBYTE, content, uncounted(content));

    expect(found.equals(content.subarray(MEBIBYTE))).toBe(true);
    expect(widths).toEqual([19, 1, 8, 8, 2].map((mebibytes) => mebibytes * MEBIBYTE));
    expect(handed).toEqual([1, 8, 8, 2].map((mebibytes) => mebibytes * MEBIBYTE));
  });

  it('and is cut where it is large, hands on nothing of what was cut, and is asked for in smaller pieces', async () => {
    const content = patternedBytes(3 * MEBIBYTE);
    const { found, handed } = await readFrom(MEBIBYTE, content, uncounted(content, 600 * 1024));

    expect(found.equals(content.subarray(MEBIBYTE))).toBe(true);
    // 600 KiB are what came of those that were cut.
    expect(handed).not.toContain(600 * 1024);
  });

  it('and is cut now and then, goes on to its end however often that is [read/cut]', async () => {
    const content = patternedBytes(20 * MEBIBYTE);
    const [whole, cut] = [uncounted(content), uncounted(content, 1024)];
    let answers = 0;
    const everySecondCut: Script = {
      play: (socket, request) => {
        answers += 1;
        return (answers % 2 === 0 ? cut : whole).play(socket, request);
      },
    };

    const { found } = await readFrom(MEBIBYTE, content, everySecondCut);

    expect(found.equals(content.subarray(MEBIBYTE))).toBe(true);
    // More cuts than a read stands in a row.
    expect(answers).toBeGreaterThan(12);
  });
});

/** Reads all from `start` on: what the sink was given, each as long as it was, and how much each request asked for. */
async function readFrom(start: number, content: Uint8Array, answers: Script) {
  const { service, server } = await openClient([answers]);
  const clock = new ManualClock();
  const ranges = new RangeReader({ service, bucket: 'b', gate: (task) => task(), clock, log: silentLog });
  const found: Uint8Array[] = [];
  await ranges.read(
    {
      key: 'k',
      range: { start, end: content.length },
      expected: { size: content.length, matches: () => true },
    },
    {
      begin: () => undefined,
      chunk: (data) => {
        found.push(Uint8Array.from(data));
      },
    },
  );
  const widths = server.requests.map(({ headers }) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '') ?? [];
    return Number(last) + 1 - Number(first);
  });
  return { found: Buffer.concat(found), handed: found.map(({ length }) => length), widths };
}
