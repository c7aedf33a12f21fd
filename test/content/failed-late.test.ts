/** SEMANTICS: what does a program wait for when the service says nothing? The kernel asks again, by itself, for bytes whose read-ahead failed. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ReadStream } from '../../src/content/read-stream.ts';
import { Refusal, type RefusalKind } from '../../src/service/refusal.ts';
import { Reading, settle, SMALL } from './reading.ts';

const MINUTE = 60_000;

async function failing(kind: RefusalKind, after: number, size = 60): Promise<Reading> {
  const reading = await Reading.begin({ ...SMALL, size });
  const getObject = reading.service.getObject.bind(reading.service);
  reading.service.refusals = [kind];
  reading.service.getObject = async (...request) => {
    const fails = reading.service.refusals.length > 0;
    // Time passes when all reads have been asked for.
    await nextTurn();
    if (fails) reading.clock.advance(after);
    return getObject(...request);
  };
  return reading;
}

it.each([
  ['timeout', 20_000],
  ['timeout', MINUTE],
  ['unavailable', MINUTE],
] as const)(
  'a read that fails (%s, %d ms) has failed for the page that the kernel asks for at once, too [errors/once]',
  async (kind, after) => {
    const reading = await failing(kind, after);

    await expect(reading.reads(0, 60)).rejects.toMatchObject({ kind });
    reading.clock.advance(300);
    await expect(reading.reads(0, 16)).rejects.toMatchObject({ kind });
    await expect(reading.reads(32, 16)).rejects.toMatchObject({ kind });

    expect(reading.service.gets).toHaveLength(1);
  },
);

it('a program that waited in the kernel for what was asked for by the handle of another has waited, too [errors/once]', async () => {
  const reading = await failing('timeout', MINUTE);
  const stream = new ReadStream();
  stream.rests.opened(reading.clock.monotonic());

  await expect(reading.reads(0, 60)).rejects.toMatchObject({ kind: 'timeout' });
  reading.clock.advance(300);
  await expect(reading.reads(0, 16, stream)).rejects.toMatchObject({ kind: 'timeout' });
  await expect(reading.reads(16, 16, stream)).rejects.toMatchObject({ kind: 'timeout' });

  expect(reading.service.gets).toHaveLength(1);
});

it('a program that has read other bytes meanwhile has the service asked again [errors/once]', async () => {
  const reading = await failing('timeout', MINUTE, 4000);
  reading.service.refusals = [];
  const stream = new ReadStream();
  stream.rests.opened(reading.clock.monotonic());
  expect(await reading.reads(3000, 16, stream)).toBe(true);
  const getObject = reading.service.getObject.bind(reading.service);
  reading.service.getObject = async (...request) => {
    reading.clock.advance(MINUTE - 1000);
    expect(await reading.reads(3000, 16, stream)).toBe(true);
    reading.clock.advance(1000);
    reading.service.refusals = ['timeout'];
    return getObject(...request);
  };
  await expect(reading.reads(0, 16)).rejects.toMatchObject({ kind: 'timeout' });
  reading.service.getObject = getObject;

  expect(await reading.reads(0, 16, stream)).toBe(true);
});

it('who has waited does not wait for what another has asked for anew, but takes what that has brought [errors/once]', async () => {
  const reading = await failing('timeout', MINUTE);
  await expect(reading.reads(0, 60)).rejects.toMatchObject({ kind: 'timeout' });
  reading.service.holdAt = 40;
  const anew = reading.reads(0, 60, new ReadStream());
  await settle();

  expect(await reading.reads(0, 16)).toBe(true);
  const rest = reading.reads(48, 12).catch((error: unknown) => error);
  await settle();
  reading.service.resume();

  expect(await rest).toMatchObject({ kind: 'timeout' });
  expect(await anew).toBe(true);
});

it('a moment later the service is asked again', async () => {
  const reading = await failing('timeout', MINUTE);
  await expect(reading.reads(0, 60)).rejects.toBeInstanceOf(Refusal);
  reading.clock.advance(1000);

  expect(await reading.reads(0, 16)).toBe(true);
});

it('whoever opens the file anew has the service asked again at once [errors/once]', async () => {
  const reading = await failing('timeout', MINUTE);
  await expect(reading.reads(0, 60)).rejects.toBeInstanceOf(Refusal);

  expect(await reading.reads(0, 16, new ReadStream())).toBe(true);
});

it('what has failed soon is asked for again at once', async () => {
  const reading = await failing('unavailable', 9000);
  await expect(reading.reads(0, 60)).rejects.toBeInstanceOf(Refusal);

  expect(await reading.reads(0, 16)).toBe(true);
});

it('other bytes of the file are asked for', async () => {
  const reading = await failing('timeout', MINUTE, 4000);
  reading.service.refusals = [];
  expect(await reading.reads(3000, 16)).toBe(true);
  reading.service.refusals = ['timeout'];
  await expect(reading.reads(0, 16)).rejects.toBeInstanceOf(Refusal);

  expect(await reading.reads(2000, 16)).toBe(true);
});

it('who came only a moment before it failed has the service asked again [errors/once]', async () => {
  const reading = await failing('timeout', 0, 4000);
  reading.service.refusals = ['timeout'];
  const getObject = reading.service.getObject.bind(reading.service);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  reading.service.getObject = async (...request) => {
    if (reading.service.refusals.length > 0) await held;
    return getObject(...request);
  };
  const first = reading.reads(0, 16).catch((error: unknown) => error);
  await nextTurn();
  reading.clock.advance(MINUTE - 1000);
  const stream = new ReadStream();
  const late = reading.reads(0, 16, stream).catch(() => false);
  await nextTurn();
  reading.clock.advance(1000);
  letGo();

  expect(await first).toMatchObject({ kind: 'timeout' });
  // As the kernel does by itself.
  expect((await late) || (await reading.reads(0, 16, stream))).toBe(true);
});

it('reads that waited whether Range is honoured do not wait one after the other [errors/once]', async () => {
  const reading = await failing('timeout', MINUTE, 4000);
  const reads = [0, 1000, 2000].map((position) => reading.reads(position, 16, new ReadStream()));

  const ends = await Promise.allSettled(reads);

  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(reading.service.gets).toHaveLength(1);
});
