import { describe, expect, it } from 'vitest';
import { allocateRing, RingReader, RingWriter } from '../../../src/fuse/kernel/request-ring.ts';

function opened(): { writer: RingWriter; reader: RingReader } {
  const memory = allocateRing();
  return { writer: new RingWriter(memory), reader: new RingReader(memory) };
}

function put(writer: RingWriter, text: string): void {
  const slot = writer.claim();
  slot.set(Buffer.from(text));
  writer.publish(text.length);
}

function takeText(reader: RingReader): string | undefined {
  let text: string | undefined;
  reader.take((request) => {
    text = request.toString();
  });
  return text;
}

describe('the ring between the two threads', () => {
  it('hands requests over in order, around and around', () => {
    const { writer, reader } = opened();
    for (let round = 0; round < 30; round += 1) {
      put(writer, `first ${round}`);
      put(writer, `second ${round}`);
      expect([takeText(reader), takeText(reader), takeText(reader)]).toEqual([
        `first ${round}`,
        `second ${round}`,
        undefined,
      ]);
    }
  });

  it('wakes the sleeper for the next request, also when it came before the sleep', async () => {
    const { writer, reader } = opened();
    const woken = new Promise<void>((resolve) => {
      reader.sleep(resolve);
    });
    put(writer, 'late');
    await woken;
    expect(takeText(reader)).toBe('late');

    put(writer, 'early');
    await new Promise<void>((resolve) => {
      reader.sleep(resolve);
    });
    expect(takeText(reader)).toBe('early');
  });

  it('waits for the next request where it stands, but not for one that is there, nor after the end', () => {
    const { writer, reader } = opened();
    const longerThanATest = 100_000;
    put(writer, 'there');
    reader.waitBriefly(longerThanATest);
    expect(takeText(reader)).toBe('there');

    reader.waitBriefly(1);
    expect(takeText(reader)).toBeUndefined();

    writer.end(19);
    reader.waitBriefly(longerThanATest);
    takeText(reader);
    reader.waitBriefly(longerThanATest);
    expect(reader.ended).toBe(19);
  });

  it('tells the end, and why, after the last request', () => {
    const { writer, reader } = opened();
    put(writer, 'last');
    writer.end(19);

    expect([reader.ended, takeText(reader), reader.ended]).toEqual([undefined, 'last', undefined]);
    expect([takeText(reader), reader.ended, takeText(reader)]).toEqual([undefined, 19, undefined]);
  });

  it('has room for a write of 1 MiB and what comes before it', () => {
    const { writer } = opened();

    expect(writer.claim().length).toBeGreaterThanOrEqual(1024 * 1024 + 80);
  });
});
