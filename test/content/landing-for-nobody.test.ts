import { expect, it } from 'vitest';
import { KIB, MIB, Reading, settle } from './reading.ts';

it('what lands for a program that has not read for ten seconds makes room for others, too [read/memory]', async () => {
  const reading = await Reading.begin({ size: 100 * MIB, cacheBytes: 64 * MIB });
  const readUntil = async (from: number, to: number): Promise<void> => {
    for (let position = from; position < to; position += 128 * KIB) await reading.reads(position, 128 * KIB);
    await settle();
  };
  await readUntil(0, 9 * MIB);
  // From here on the line is slow.
  reading.service.holdAt = 26 * MIB;
  await readUntil(9 * MIB, 20 * MIB);
  reading.clock.advance(20_000);

  reading.service.resume();

  await expect.poll(() => reading.cache.spokenFor).toBe(0);
});
