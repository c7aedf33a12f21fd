/** What a read leaves behind when its program is interrupted, and what it does not disturb. */
import { describe, expect, it } from 'vitest';
import { Interrupted, RETURN_TIME } from '../../src/base/waiter.ts';
import { ReadStream } from '../../src/content/read-stream.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openCache } from './disk-cache-for-test.ts';
import { KIB, MIB, Reading, settle, SMALL } from './reading.ts';

/** One program's read, which can be interrupted. */
function reader(reading: Reading, position: number, length: number) {
  const into = new Uint8Array(length);
  const controller = new AbortController();
  const waiter = { signal: controller.signal };
  const done = reading.reader.read(into, position, reading.stream, waiter);
  const interrupted = async (): Promise<void> => {
    controller.abort();
    await expect(done).rejects.toThrow(Interrupted);
  };
  return { into, done, interrupted };
}

describe('a read that is interrupted', () => {
  it('leaves the bytes to another program that waits for the same [interrupt/shared]', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });
    reading.service.holdAt = 1000;
    const one = reader(reading, 0, 64 * KIB);
    const other = reading.reads(0, 64 * KIB);
    await one.interrupted();
    reading.clock.advance(10 * RETURN_TIME);
    reading.service.resume();

    expect(await other).toBe(true);
    expect(reading.service.asked).toEqual([`0-${MIB}`]);
  });

  it('gives its GET up when nobody else waits, and a later read fetches anew [interrupt/given-up]', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });
    reading.service.holdAt = 1000;
    const both = [reader(reading, 0, 64 * KIB), reader(reading, 10, 64 * KIB)];
    for (const { interrupted } of both) await interrupted();
    reading.clock.advance(RETURN_TIME);
    await settle();
    const isClosed = reading.service.gets[0]?.closed;
    reading.service.resume();

    expect(isClosed).toBe(true);
    expect(await reading.readsAll()).toBe(true);
    expect(await reading.hasAll()).toBe(true);
    expect(reading.service.asked).toEqual([
      `0-${MIB}`,
      `0-${MIB}`,
      `${MIB}-${9 * MIB}`,
      `${9 * MIB}-${17 * MIB}`,
      `${17 * MIB}-${20 * MIB}`,
    ]);
  });

  it('finds its GET still under way when its program asks again at once', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });
    reading.service.holdAt = 1000;
    for (let times = 0; times < 5; times += 1) {
      await reader(reading, 0, 64 * KIB).interrupted();
      reading.clock.advance(RETURN_TIME - 1);
    }
    const again = reading.reads(0, 64 * KIB);
    reading.service.resume();

    expect(await again).toBe(true);
    reading.clock.advance(RETURN_TIME);
    expect(await reading.reads(MIB - 10, 10)).toBe(true);
    expect(reading.service.asked).toEqual([`0-${MIB}`]);
  });

  it('does not end a GET that gets on', async () => {
    const reading = await Reading.begin({ size: 40 * MIB });
    reading.service.treatment = 'ignored';
    reading.service.holdAt = 5 * MIB;
    const far = reader(reading, 30 * MIB, 10);
    await expect.poll(() => reading.service.sent).toBe(5 * MIB);
    await far.interrupted();
    reading.service.resume();
    await expect.poll(() => reading.service.sent).toBe(40 * MIB);
    reading.clock.advance(RETURN_TIME);

    expect(await reading.reads(30 * MIB, 10)).toBe(true);
    expect(reading.service.asked).toHaveLength(1);
  });

  it('leaves its buffer alone', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });
    reading.service.holdAt = 1000;
    const { into, interrupted } = reader(reading, 0, 512 * KIB);
    await settle();
    await interrupted();
    into.fill(0);
    reading.service.resume();
    await settle();

    expect(into.every((byte) => byte === 0)).toBe(true);
  });

  it('asks for nothing when its program left before', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 500 });
    const waiter = { signal: AbortSignal.abort() };

    await expect(reading.reader.read(new Uint8Array(10), 0, new ReadStream(), waiter)).rejects.toThrow(
      Interrupted,
    );
    expect(reading.service.asked).toEqual([]);
  });

  it('asks for nothing when its program left while the local disk was looked at [interrupt/given-up]', async () => {
    const disk = openCache(await temporaryDirectory());
    const reading = await Reading.begin({ ...SMALL, size: 50, disk });
    const program = new AbortController();
    const opening = reading.reader.fetchSmall({ signal: program.signal });
    program.abort();

    await expect(opening).rejects.toThrow(Interrupted);
    expect(reading.service.asked).toEqual([]);
    expect(reading.cache.spokenFor).toBe(0);
  });

  it('gives back what it might read ahead: reads go on as far ahead as before', async () => {
    const reading = await Reading.begin({ size: 40 * MIB, cacheBytes: 64 * MIB });
    reading.service.holdAt = 9 * MIB;
    const sequential = new ReadStream();
    for (let position = 0; position < 9 * MIB; position += 128 * KIB) {
      await reading.reads(position, 128 * KIB, sequential);
    }
    const stalled = reader(reading, 9 * MIB, 128 * KIB);
    await stalled.interrupted();
    reading.clock.advance(RETURN_TIME);
    await settle();
    reading.service.resume();
    await settle();

    expect(await reading.readsAll()).toBe(true);
    reading.reader.release();
    expect(reading.cache.spokenFor).toBe(0);
  });

  it('while it waits for the answer about ranges leaves alone, and the other goes on', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });
    reading.service.holdAt = 0;
    const first = reader(reading, 0, 10);
    const second = reader(reading, 10 * MIB, 10);
    await second.interrupted();
    await first.interrupted();
    reading.clock.advance(RETURN_TIME);
    reading.service.resume();

    expect(await reading.reads(10 * MIB, 10)).toBe(true);
  });
});
