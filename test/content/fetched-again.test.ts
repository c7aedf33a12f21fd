import { expect, it } from 'vitest';
import { STAYING } from '../../src/base/waiter.ts';
import { Fetching } from '../../src/content/fetching.ts';
import { ReadRun, ReadStream } from '../../src/content/read-stream.ts';
import { VersionBytes } from '../../src/content/version-bytes.ts';
import { Reading, settle, SMALL } from './reading.ts';

it('bytes fetched ahead that have gone again are fetched from the beginning of a block on, wherever the program reads', async () => {
  const reading = await Reading.begin({ ...SMALL, size: 2000 });
  await reading.reads(0, 10);
  const bytes = new VersionBytes(reading.context, 'k', reading.version, () => false);
  const run = new ReadRun(0);
  run.until = 1000;
  const piece = { start: 201, end: 207 };

  const demand = { sequential: true, from: 201, range: piece, run, waiter: STAYING, asker: null };
  new Fetching(reading.context, bytes).landingFor(piece, demand);
  void bytes.dispose();

  expect(run.until).toBe(192);
});

it('a program that pauses within a block is read ahead of from the beginning of a block on', async () => {
  const reading = await Reading.begin({ ...SMALL, size: 2000 });
  const { stream, clock } = reading;
  await reading.reads(0, 64);
  await reading.reads(64, 35);
  const { run } = stream.note(90, 99);

  clock.advance(20_000);

  expect(run.until).toBe(96);
});

it('a program that reads one place again and again, and then goes back, is read ahead of from the beginning of a block on', async () => {
  const reading = await Reading.begin({ ...SMALL, size: 300 });
  const { memory } = reading.cache;
  const used = Array.from({ length: 20 }, () => memory.take(SMALL.blockSize));
  for (const block of used) memory.letGo(block.fill(0xee));
  const newStream = (): ReadStream => new ReadStream(2 * SMALL.blockSize, 64);
  // Another program has brought the blocks of both places, in the last part and before it.
  await reading.reads(212, 10, newStream());
  await reading.reads(180, 12, newStream());

  const stream = newStream();
  for (let read = 0; read < 8; read += 1) await reading.reads(212, 10, stream);
  await reading.reads(180, 12, stream);
  await settle();

  expect(reading.service.asked.at(-1)).toBe('224-300');
  expect(await reading.reads(192, 108, newStream())).toBe(true);
});

it('a read of which one part fails ends when no other part of it is on its way into the program’s buffer any more', async () => {
  const reading = await Reading.begin({ ...SMALL, size: 2000 });
  await reading.reads(336, 16);
  reading.service.holdAt = 352;
  reading.service.refusals = ['denied', null];
  const into = new Uint8Array(48);
  let atItsEnd: Uint8Array | null = null;

  const end = reading.reader.read(into, 320, reading.stream).catch(() => {
    atItsEnd = into.slice();
  });
  await settle();
  reading.service.resume();
  await end;
  await settle();

  expect(reading.service.asked).toEqual(['336-352', '320-336', '352-368']);
  expect(atItsEnd).toEqual(into);
});
