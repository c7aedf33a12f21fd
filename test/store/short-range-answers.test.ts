/** What becomes of a read whose answers hold fewer bytes than were asked for? */
import { describe, expect, it } from 'vitest';
import type { ByteRange } from '../../src/base/byte-range.ts';
import { silentLog } from '../../src/base/log.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import type { RangeSupport } from '../../src/store/range-trust.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { ScriptedDownloads } from '../support/scripted-downloads.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const CONTENT = patternedBytes(2 * MIB);

/** `most`: bytes of the coming answers to a Range, one number each, and of all that follow the last. */
function setup(most: readonly number[]) {
  const service = new ScriptedDownloads(CONTENT);
  const getObject = service.getObject.bind(service);
  let answers = 0;
  service.getObject = (bucket, key, query) => {
    if (query?.range !== undefined) {
      service.shortenTo = most[answers] ?? most.at(-1) ?? 0;
      answers += 1;
    }
    return getObject(bucket, key, query);
  };
  const clock = new ManualClock();
  const reader = new RangeReader({ service, bucket: 'b', gate: (task) => task(), clock, log: silentLog });
  /** What was known at each piece. */
  const supports: RangeSupport[] = [];
  /** The bytes that came, which are to be those of the file. */
  const read = async (range: ByteRange): Promise<ByteRange> => {
    const got: Uint8Array[] = [];
    let given = range;
    await reader.read(
      { key: 'k', range, expected: { size: CONTENT.length, matches: () => true } },
      {
        begin: (target) => {
          given = target;
        },
        chunk: (data) => {
          supports.push(reader.rangeSupport);
          got.push(data.slice());
        },
      },
    );
    expect(Buffer.concat(got).equals(CONTENT.subarray(given.start, given.end))).toBe(true);
    return given;
  };
  return { service, clock, reader, read, supports };
}

const FIRST = { start: 0, end: MIB };
const ONE_BYTE_EACH = ['0', '1', '2', '3', '4', '5'].map((start) => `${start}-${MIB}`);

describe('a stretch of a file, where each answer brings', () => {
  it('a byte, is asked for without Range after six of them, and others from then on [read/no-ranges]', async () => {
    const { service, clock, reader, read } = setup([1]);

    expect(await read(FIRST)).toEqual(FIRST);
    expect(service.asked).toEqual([...ONE_BYTE_EACH, 'whole']);
    expect(await read({ start: MIB, end: 2 * MIB })).toEqual({ start: 0, end: 2 * MIB });

    expect(service.asked).toEqual([...ONE_BYTE_EACH, 'whole', 'whole']);
    expect(reader.rangeSupport).toBe('no');
    expect(clock.sleeps).toEqual([]);
  });

  it('a byte, though longer ones came before, is asked for without Range, too, and others from then on', async () => {
    const { service, reader, read } = setup([MIB, 1]);
    await read({ start: MIB, end: 2 * MIB });

    await read(FIRST);
    await read(FIRST);

    expect(service.asked.slice(1)).toEqual([...ONE_BYTE_EACH, 'whole', 'whole']);
    expect(reader.rangeSupport).toBe('no');
  });

  it('a byte, tells nothing of Range until another comes', async () => {
    const { service, reader, read, supports } = setup([1, 1, MIB]);

    await read({ start: 10, end: MIB });

    expect(service.gets).toHaveLength(3);
    expect(supports.slice(0, 3)).toEqual(['unknown', 'unknown', 'yes']);
    expect(reader.rangeSupport).toBe('yes');
  });

  it.each([64 * KIB, 16 * KIB])(
    '%i bytes of a MiB, has each byte once, by Range [read/ranges]',
    async (most) => {
      const { service, reader, read } = setup([most]);

      await read(FIRST);

      expect(service.gets).toHaveLength(MIB / most);
      expect(service.sent).toBe(MIB);
      expect(reader.rangeSupport).toBe('yes');
    },
  );

  it('what is left of a block of the service’s own, now and then, has each byte once, by Range', async () => {
    const { service, reader, read } = setup(
      Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? 5 : 70_000)),
    );

    await read(FIRST);

    expect(service.gets).toHaveLength(30);
    expect(service.sent).toBe(MIB);
    expect(reader.rangeSupport).toBe('yes');
  });

  it('half of what is missing, has each byte once, by Range, to the last', async () => {
    const { service, read } = setup(Array.from({ length: 20 }, (_, at) => MIB / 2 ** (at + 1)));

    await read(FIRST);

    expect(service.gets).toHaveLength(21);
    expect(service.sent).toBe(MIB);
  });

  it('a byte of whole files, too, fails', async () => {
    const { service, read } = setup([1]);
    const getObject = service.getObject.bind(service);
    service.getObject = (bucket, key, query) =>
      getObject(bucket, key, { ...query, range: query?.range ?? { start: 0, end: 1 } });

    await expect(read(FIRST)).rejects.toMatchObject({ kind: 'malformed' });

    expect(service.gets).toHaveLength(7);
  });
});
