import { describe, expect, it } from 'vitest';
import { areWholePages } from '../../../src/base/aligned-memory.ts';
import { RequestMemory } from '../../../src/fuse/kernel/request-memory.ts';
import { WRITE_DATA_START } from '../../../src/fuse/kernel/requests.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The data of a write that the kernel puts into `requests`. */
function written(requests: RequestMemory, bytes: number, value: number): Buffer {
  const { room } = requests;
  return room.subarray(WRITE_DATA_START, WRITE_DATA_START + bytes).fill(value);
}

describe('the bytes of a write', () => {
  it.each([0, 1, 64 * KIB, 64 * KIB + 1, 128 * KIB, MIB])(
    'are what was written when other requests have come: %i of them',
    (bytes) => {
      const requests = new RequestMemory(new ManualClock());
      const { bytes: held } = requests.hold(written(requests, bytes, 7));
      requests.room.fill(8);

      expect(Buffer.alloc(bytes, 7).equals(held)).toBe(true);
    },
  );

  it('begin where a page does, when they are many: as a disk takes them without a copy', () => {
    const requests = new RequestMemory(new ManualClock());
    const held = [0, 1, 2, 3, 4, 5].map((value) => requests.hold(written(requests, 128 * KIB, value)));

    expect(held.map(({ bytes }) => areWholePages(bytes))).toEqual(Array(6).fill(true));
    expect(held.map(({ bytes }) => bytes[128 * KIB - 1])).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('lie in memory that is used again once they are on the disk, and not before', () => {
    const requests = new RequestMemory(new ManualClock());
    const first = requests.hold(written(requests, MIB, 1));
    const second = requests.hold(written(requests, MIB, 2));

    first.free();
    requests.hold(written(requests, MIB, 3));
    const fourth = requests.hold(written(requests, 128 * KIB, 4));

    expect([fourth.bytes.buffer, fourth.bytes.byteOffset]).toEqual([
      first.bytes.buffer,
      first.bytes.byteOffset,
    ]);
    expect(second.bytes[0]).toBe(2);
  });

  it('are copied where they are not of the last request', () => {
    const requests = new RequestMemory(new ManualClock());
    const data = Buffer.alloc(MIB, 1);

    const { bytes } = requests.hold(data);
    data.fill(2);

    expect(Buffer.alloc(MIB, 1).equals(bytes)).toBe(true);
  });

  it('keep no more memory than they need when nobody has written for a while, and no timer from then on', () => {
    const clock = new ManualClock();
    const requests = new RequestMemory(clock);
    const held = Array.from({ length: 20 }, () => requests.hold(written(requests, MIB, 1)));
    const pieces = new Set(held.map(({ bytes }) => bytes.buffer));

    for (const { free } of held) free();
    clock.advance(60_000);

    const again = Array.from({ length: 20 }, () => requests.hold(written(requests, MIB, 1)));
    expect(again.filter(({ bytes }) => pieces.has(bytes.buffer)).length).toBeLessThanOrEqual(3);
    expect(clock.pendingTimers).toBe(0);
  });
});
