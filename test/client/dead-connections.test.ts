/** What becomes of a request whose connection is dead, though nobody has said so: its packets are dropped on the way? */
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { reply, replyJson, type Script } from '../support/raw-server.ts';
import { openClient, refusalFrom, textBody, type Setting } from './open-client.ts';

const VERSION = { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };
const FOUND = reply('200 OK', VERSION);
const STORED = replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 });

interface Connected extends Setting {
  /** In the order of the requests: which connection brought each, the first one first. */
  readonly ways: () => number[];
}

/** Answers each request in turn, and further ones as the last; where that is null it keeps silent. So many `connections` at most. */
async function openWith(connections: number, ...answers: readonly (string | null)[]): Promise<Connected> {
  const sockets: Socket[] = [];
  const scripts = answers.map((answer): Script => ({
    play: (socket) => {
      sockets.push(socket);
      if (answer !== null) socket.write(answer);
    },
  }));
  const setting = await openClient(scripts, { connections });
  const ways = (): number[] => {
    const all = [...new Set(sockets)];
    return sockets.map((socket) => all.indexOf(socket));
  };
  return { ...setting, ways };
}

it('a look over a connection that had brought an answer is tried again over a new one [errors/new-connection]', async () => {
  const { service, server, clock, ways } = await openWith(1, FOUND, null, FOUND);
  await service.headObject('b', 'k');

  const head = service.headObject('b', 'k');
  await server.arrived(2);
  clock.advance(20_000);

  expect((await head).etag).toBe('e');
  expect(ways()).toEqual([0, 0, 1]);
});

it('a read is not tried again, since its program shall wait once, but the next one goes over a new one [errors/new-connection]', async () => {
  const bytes = reply('200 OK', VERSION, 'bytes');
  const { service, server, clock, ways } = await openWith(2, FOUND, FOUND, null, bytes);
  await Promise.all([service.headObject('b', 'k'), service.headObject('b', 'l')]);

  const refused = refusalFrom(service.getObject('b', 'k'));
  await server.arrived(3);
  clock.advance(20_000);
  const { message } = await refused;
  const { body } = await service.getObject('b', 'k');
  await body[Symbol.asyncIterator]().return?.();

  expect(message).toBe('getObject: no headers of an answer within 20 s');
  expect(ways().at(-1)).toBe(2);
});

it('a removal that is tried again may have been done the first time [errors/new-connection]', async () => {
  const { service, server, clock } = await openWith(1, FOUND, null, reply('204 No Content'));
  await service.headObject('b', 'k');

  const removal = service.deleteObject('b', 'k');
  await server.arrived(2);
  clock.advance(20_000);

  expect(await removal).toEqual({ mayArriveAgain: true });
});

it('where the new one is silent, too, the call ends with its time [errors/new-connection]', async () => {
  const { service, server, clock } = await openWith(1, FOUND, null);
  await service.headObject('b', 'k');

  const refused = refusalFrom(service.headObject('b', 'k'));
  await server.arrived(2);
  clock.advance(20_000);
  await server.arrived(3);
  clock.advance(10_000);

  expect((await refused).message).toBe('headObject: no complete answer within 30 s');
  expect(server.requests).toHaveLength(3);
  expect(clock.pendingTimers).toBe(0);
});

it('what is asked next goes over new ones, and is not tried again while these have brought nothing [errors/new-connection]', async () => {
  const { service, server, clock, ways } = await openWith(2, FOUND, FOUND, null);
  await Promise.all([service.headObject('b', 'k'), service.headObject('b', 'l')]);
  const first = refusalFrom(service.headObject('b', 'k'));
  await server.arrived(3);
  clock.advance(20_000);
  await server.arrived(4);
  clock.advance(10_000);
  await first;

  const second = refusalFrom(service.headObject('b', 'l'));
  await server.arrived(5);
  clock.advance(20_000);

  expect((await second).message).toBe('headObject: no headers of an answer within 20 s');
  const [, , , tried, next] = ways();
  expect([tried, next].map((way) => way !== undefined && way > 1)).toEqual([true, true]);
});

it('an upload is not tried again, but what is asked next goes over a new one [errors/new-connection]', async () => {
  const { service, server, clock, ways } = await openWith(2, FOUND, FOUND, null, STORED);
  await Promise.all([service.headObject('b', 'k'), service.headObject('b', 'l')]);

  const refused = refusalFrom(service.putObject('b', 'k', textBody('bytes')));
  await server.arrived(3);
  clock.advance(60_000);
  const { kind } = await refused;
  await service.putObject('b', 'k', textBody('bytes'));

  expect(kind).toBe('timeout');
  expect(ways().at(-1)).toBe(2);
});
