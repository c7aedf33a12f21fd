/** What becomes of a call whose caller lets others go on between two of its tries? The time until it is its turn again is not the service's. */
import { expect, it } from 'vitest';
import type { Pausing } from '../../src/service/object-service.ts';
import { reply, replyJson, type Script } from '../support/raw-server.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { openClient, refusalFrom, textBody, until } from './open-client.ts';

const VERSION = { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };
const HEAD_OK = reply('200 OK', VERSION);
const STORED = replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 });
const BUSY = reply('503 Busy');
const SILENT: Script = { play: () => undefined };
const LONG = 100_000;

/** Others take so long after each pause. */
function othersFor(milliseconds: number, clock: ManualClock): Pausing {
  return async (pause) => {
    await pause();
    clock.advance(milliseconds);
  };
}

it('a call that waits for its turn is tried as often as any', async () => {
  const { service, clock, server } = await openClient([BUSY, BUSY, BUSY, HEAD_OK]);

  const head = await service.headObject('b', 'k', { pausing: othersFor(LONG, clock) });

  expect(head.etag).toBe('e');
  expect(server.requests).toHaveLength(4);
});

it('so is an upload', async () => {
  const { service, clock, server } = await openClient([BUSY, BUSY, BUSY, STORED]);

  await service.putObject('b', 'k', textBody('bytes'), { pausing: othersFor(LONG, clock) });

  expect(server.requests).toHaveLength(4);
});

it('what was left of its time before is what it has after', async () => {
  const { service, clock, server } = await openClient([BUSY, SILENT], { deadlines: { metadata: 10_000 } });

  const refusal = refusalFrom(service.headObject('b', 'k', { pausing: othersFor(LONG, clock) }));
  await until(() => server.requests.length === 2);
  clock.advance(9749);
  expect(clock.pendingTimers).toBeGreaterThan(0);
  clock.advance(1);

  expect(await refusal).toMatchObject({ kind: 'timeout', reason: 'no complete answer within 10 s' });
  expect(clock.pendingTimers).toBe(0);
});

it('it need not wait for its turn to be given up', async () => {
  const { service, clock } = await openClient([BUSY]);
  const caller = new AbortController();
  let isWaiting = false;
  const forever: Pausing = async (pause) => {
    await pause();
    isWaiting = true;
    await new Promise(() => undefined);
  };

  const refusal = refusalFrom(service.headObject('b', 'k', { signal: caller.signal, pausing: forever }));
  await until(() => isWaiting);
  caller.abort();

  expect((await refusal).kind).toBe('aborted');
  expect(clock.pendingTimers).toBe(0);
});
