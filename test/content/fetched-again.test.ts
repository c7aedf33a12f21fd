import { expect, it } from 'vitest';
import { STAYING } from '../../src/base/waiter.ts';
import { Fetching } from '../../src/content/fetching.ts';
import { ReadRun } from '../../src/content/read-stream.ts';
import { VersionBytes } from '../../src/content/version-bytes.ts';
import { Reading, SMALL } from './reading.ts';

it('bytes fetched ahead that have gone again are fetched from the beginning of a block on, wherever the program reads', async () => {
  const reading = await Reading.begin({ ...SMALL, size: 2000 });
  await reading.reads(0, 10);
  const bytes = new VersionBytes(reading.context, 'k', reading.version);
  const run = new ReadRun(0);
  run.until = 1000;
  const piece = { start: 201, end: 207 };

  const demand = { sequential: true, from: 201, range: piece, run, waiter: STAYING };
  new Fetching(reading.context, bytes).landingFor(piece, demand);
  bytes.dispose();

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
