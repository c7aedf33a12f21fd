/** What becomes of a call during which the process could not run: it was stopped, or its machine slept, was frozen, or swapped? */
import { expect, it } from 'vitest';
import { reply, replyJson, type Script } from '../support/raw-server.ts';
import { openClient, piecesBody, refusalFrom, textBody, until } from './open-client.ts';

const HOUR = 3_600_000;
const VERSION = { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };
const SILENT: Script = { play: () => undefined };
const BUSY = reply('503 Busy');

/** Answers when it is let. */
function later(text: string): { readonly script: Script; readonly answer: () => void } {
  let answer = (): void => undefined;
  const script: Script = {
    play: (socket) => {
      answer = () => void socket.write(text);
    },
  };
  return {
    script,
    answer: () => {
      answer();
    },
  };
}

it('the answer about a name is still waited for [errors/stopped]', async () => {
  const { script, answer } = later(reply('200 OK', VERSION));
  const { service, server, clock } = await openClient([script]);

  const head = service.headObject('b', 'k');
  await server.arrived(1);
  clock.advance(10_000);
  clock.standStill(HOUR);
  clock.advance(5000);
  answer();

  expect((await head).etag).toBe('e');
  expect(server.requests).toHaveLength(1);
});

it('so is that of an upload [errors/stopped]', async () => {
  const { script, answer } = later(replyJson('200 OK', { bucket: 'b', key: 'k', size: 200_000 }));
  const { service, server, clock } = await openClient([script]);

  const stored = service.putObject('b', 'k', piecesBody([Buffer.alloc(200_000)], 200_000));
  await server.arrived(1);
  await until(() => service.traffic.facts().bytesSent === 200_000);
  clock.standStill(HOUR);
  answer();

  expect((await stored).size).toBe(200_000);
});

it('an upload that fails on waking, since its connection is gone, is tried again [errors/stopped]', async () => {
  let cut = (): void => undefined;
  const script: Script = {
    play: (socket) => {
      cut = () => void socket.resetAndDestroy();
    },
  };
  const stored = replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 });
  const { service, server, clock } = await openClient([script, stored]);

  const upload = service.putObject('b', 'k', textBody('bytes'));
  await server.arrived(1);
  clock.standStill(HOUR);
  cut();

  expect((await upload).size).toBe(5);
  expect(server.requests).toHaveLength(2);
});

it('a download goes on [errors/stopped]', async () => {
  let more = (): void => undefined;
  const script: Script = {
    play: (socket) => {
      socket.write(reply('200 OK', { ...VERSION, 'Content-Length': '10' }, 'hello'));
      more = () => void socket.write('world');
    },
  };
  const { service, clock } = await openClient([script]);

  const { body } = await service.getObject('b', 'k');
  const pieces = body[Symbol.asyncIterator]();
  await pieces.next();
  const second = pieces.next();
  clock.standStill(HOUR);
  more();

  expect(Buffer.from((await second).value as Uint8Array).toString()).toBe('world');
  await body[Symbol.asyncIterator]().return?.();
});

it('a service that is silent also after it is given up when its time is over [errors/stopped]', async () => {
  const { service, server, clock } = await openClient([SILENT]);

  const refused = refusalFrom(service.headObject('b', 'k'));
  await server.arrived(1);
  clock.advance(5000);
  clock.standStill(HOUR);
  clock.advance(14_899);
  expect(clock.pendingTimers).toBeGreaterThan(0);
  clock.advance(1);

  expect((await refused).message).toBe('headObject: no headers of an answer within 20 s');
  expect(clock.pendingTimers).toBe(0);
});

it('what is asked after the computer slept goes over a new connection: the other end of a kept one may be gone without a word [errors/stopped]', async () => {
  const { service, server, clock } = await openClient([reply('200 OK', VERSION)], { connections: 1 });
  await service.headObject('b', 'k');
  await service.headObject('b', 'k');
  const before = server.connections;

  clock.sleepThrough(HOUR);
  await service.headObject('b', 'k');
  await service.headObject('b', 'k');

  expect([before, server.connections]).toEqual([1, 2]);
});

it('an answer that was on its way before the computer slept is taken all the same [errors/stopped]', async () => {
  const { script, answer } = later(reply('200 OK', VERSION));
  const { service, server, clock } = await openClient([script, reply('200 OK', { ...VERSION, ETag: '"f"' })]);

  const first = service.headObject('b', 'k');
  await server.arrived(1);
  clock.sleepThrough(HOUR);
  const second = await service.headObject('b', 'k');
  answer();

  expect([second.etag, (await first).etag]).toEqual(['f', 'e']);
});

it('the end of the client is the end of a call whose answer was on its way before the computer slept, too', async () => {
  const { script } = later(reply('200 OK', VERSION));
  const { service, server, clock } = await openClient([script, reply('200 OK', VERSION)]);
  const first = refusalFrom(service.headObject('b', 'k'));
  await server.arrived(1);
  clock.sleepThrough(HOUR);
  await service.headObject('b', 'k');

  await service.close();

  expect((await first).kind).toBe('aborted');
});

it('a call that waited for its next try is tried then, at once [errors/stopped]', async () => {
  const { service, server, clock } = await openClient([BUSY, reply('200 OK', VERSION)]);
  clock.holdSleeps = true;

  const head = service.headObject('b', 'k');
  await until(() => clock.sleeps.length === 1);
  clock.standStill(HOUR);

  expect((await head).etag).toBe('e');
  expect(server.requests).toHaveLength(2);
});
