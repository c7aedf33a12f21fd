/** How long may an upload take whose service answers, but not to the end, or not at once? */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { reply, replyJson, type Script } from '../support/raw-server.ts';
import { openClient, refusalFrom, textBody, until } from './open-client.ts';

it('one that is tried again has all its time again', async () => {
  let connection: Socket | undefined;
  const late: Script = { play: (socket) => void (connection = socket) };
  const { service, server, clock } = await openClient([reply('503 Busy', { 'Retry-After': '30' }), late]);
  const storing = service.putObject('b', 'k', textBody('hello'));
  await server.arrived(2);
  await until(() => connection !== undefined);

  clock.advance(59_000);
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  connection?.write(replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 }));

  expect(await storing).toMatchObject({ size: 5 });
});

it('an answer of which a byte comes now and then is not waited for without end', async () => {
  let connection: Socket | undefined;
  const dripping: Script = {
    play: (socket) => {
      connection = socket;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    },
  };
  const { service, clock } = await openClient([dripping]);
  let kind: string | undefined;
  const ending = refusalFrom(service.putObject('b', 'k', textBody('hello'))).then((refusal) => {
    kind = refusal.kind;
  });
  await until(() => connection !== undefined);

  for (let bytes = 1; bytes <= 10 && kind === undefined; bytes += 1) {
    connection?.write(' ');
    await until(() => kind !== undefined || service.traffic.facts().bytesReceived >= bytes);
    clock.advance(15_000);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  }

  expect(kind).toBe('timeout');
  await ending;
});
