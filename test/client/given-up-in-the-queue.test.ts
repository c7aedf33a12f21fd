/** A call that is given up while it waits for a connection is over at once, and the service must never hear of it: it may be a deletion. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { reply, type Script } from '../support/raw-server.ts';
import { openClient, refusalFrom } from './open-client.ts';

const HEAD = reply('200 OK', {
  ETag: '"e"',
  'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
  'Content-Length': '0',
});

it('a deletion that nobody wants any more is not made when a connection becomes free', async () => {
  let answer = (): void => undefined;
  const held: Script = { play: (socket) => void (answer = () => void socket.write(HEAD)) };
  const { service, server } = await openClient([held, HEAD], { connections: 1 });
  const first = service.headObject('b', 'first');
  await server.arrived(1);
  const controller = new AbortController();
  const deletion = refusalFrom(service.deleteObject('b', 'k', { signal: controller.signal }));
  // For it to get in line.
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();

  controller.abort();
  const { kind, neverSent } = await deletion;
  answer();
  await first;
  await service.headObject('b', 'last');

  expect([kind, neverSent]).toEqual(['aborted', true]);
  expect(server.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
});
