/** A download of which nobody wants the rest must not hold its connection: there are few, and the service may go on sending, or never end. */
import { expect, it } from 'vitest';
import { reply, type Script } from '../support/raw-server.ts';
import { openClient, refusalFrom, textOf } from './open-client.ts';

const VERSION = { ETag: '"e1"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };

/** Says that so many bytes will come, sends some, and keeps the connection. */
function unfinished(length: number, sent: string): Script {
  const headers = Object.entries({ ...VERSION, 'Content-Length': length });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return { play: (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n${sent}`) };
}

it.each([0, 1])('whoever leaves it after %i pieces gives its connection back', async (pieces) => {
  const { service, clock } = await openClient([unfinished(10, 'hello'), reply('200 OK', VERSION, 'again')], {
    connections: 1,
  });
  const { body } = await service.getObject('b', 'k');
  const iterator = body[Symbol.asyncIterator]();
  for (let piece = 0; piece < pieces; piece += 1) expect((await iterator.next()).done).toBe(false);

  await iterator.return?.();

  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  const again = await service.getObject('b', 'k');
  expect(await textOf(again.body)).toBe('again');
  expect(clock.pendingTimers).toBe(0);
});

it('a body that stalls gives its connection back when its time is over', async () => {
  const { service, clock } = await openClient([unfinished(10, 'hello'), reply('200 OK', VERSION, 'again')], {
    connections: 1,
  });
  const { body } = await service.getObject('b', 'k');
  const iterator = body[Symbol.asyncIterator]();
  await iterator.next();

  const stalling = refusalFrom(Promise.resolve(iterator.next()));
  clock.advance(60_000);

  expect((await stalling).kind).toBe('timeout');
  const again = await service.getObject('b', 'k');
  expect(await textOf(again.body)).toBe('again');
});
