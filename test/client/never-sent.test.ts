/** Of which requests without an answer is it known that the service has not done them? Of those that never left. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isOfUnknownEnd, type Refusal } from '../../src/service/refusal.ts';
import { reply, type Script } from '../support/raw-server.ts';
import { openClient, refusalFrom, textBody } from './open-client.ts';

const SILENT: Script = { early: true, play: () => undefined };
const TOO_MANY = reply('429 Too Many Requests');
const HEAD_OK = reply('200 OK', { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' });
const RESET: Script = { play: (socket) => void socket.resetAndDestroy() };

describe('an upload is known not to have arrived', () => {
  it('when the service is down', async () => {
    const { server } = await openClient([]);
    const { baseUrl } = server;
    await server.close();
    const { service } = await openClient([], { baseUrl });

    const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello')));

    expect(refusal.kind).toBe('unavailable');
    expect(isOfUnknownEnd(refusal)).toBe(false);
  });

  it('when the greeting of TLS is never answered', async () => {
    const { server } = await openClient([SILENT]);
    const baseUrl = server.baseUrl.replace('http:', 'https:');
    const { service } = await openClient([], { baseUrl, deadlines: { connect: 20 }, retry: { retries: 1 } });

    const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello')));

    expect(refusal.kind).toBe('timeout');
    expect(isOfUnknownEnd(refusal)).toBe(false);
  });

  it('when what listens there does not speak TLS', async () => {
    const plain = createServer((socket) => socket.on('error', () => undefined).end('no TLS\r\n'));
    plain.listen(0, '127.0.0.1');
    onTestFinished(() => void plain.close());
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const { service } = await openClient([], { baseUrl: `https://127.0.0.1:${port}` });

    const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello')));

    expect(refusal.kind).toBe('unavailable');
    expect(isOfUnknownEnd(refusal)).toBe(false);
  });

  it('when no connection was free until the caller gave up', async () => {
    const { service, server } = await openClient([SILENT], { connections: 1 });
    const controller = new AbortController();
    const first = refusalFrom(service.getBucket('a'));
    await server.arrived(1);

    const second = refusalFrom(service.putObject('b', 'k', textBody('hello'), { signal: controller.signal }));
    controller.abort();
    const { kind, neverSent } = await second;
    await service.close();

    expect({ kind, neverSent }).toEqual({ kind: 'aborted', neverSent: true });
    expect(await first).toMatchObject({ kind: 'aborted', neverSent: false });
  });
});

it('an upload that waited for its turn until the caller gave up has not arrived, unless an earlier try may have', async () => {
  const { service, server, clock } = await openClient([TOO_MANY, HEAD_OK, RESET, SILENT]);
  await service.headObject('b', 'first');
  clock.holdSleeps = true;
  const controller = new AbortController();
  const put = (key: string): Promise<Refusal> =>
    refusalFrom(service.putObject('b', key, textBody('hello'), { signal: controller.signal }));
  const isTried = put('tried');
  const isNot = put('not tried');
  clock.advance(250);
  await server.arrived(3);

  controller.abort();

  expect(await isNot).toMatchObject({ kind: 'aborted', neverSent: true });
  expect(await isTried).toMatchObject({ kind: 'aborted', neverSent: false });
  expect(server.requests).toHaveLength(3);
});

describe('an upload may have arrived', () => {
  it('when the connection was cut under it, whatever becomes of the next tries', async () => {
    const cut: Script = {
      play: async (socket) => {
        const closed = dying.server.close();
        socket.resetAndDestroy();
        await closed;
      },
    };
    const dying = await openClient([cut]);

    const refusal = await refusalFrom(dying.service.putObject('b', 'k', textBody('hello')));

    expect(dying.server.connections).toBe(1);
    expect(refusal.message).toContain('refused');
    expect(isOfUnknownEnd(refusal)).toBe(true);
  });

  it('when a connection kept from before was cut under it', async () => {
    const kept = reply('404 Not Found');
    const { service, server } = await openClient([kept, RESET], { connections: 1, retry: { retries: 0 } });
    await refusalFrom(service.getBucket('b'));

    const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello')));

    expect(server.connections).toBe(1);
    expect(isOfUnknownEnd(refusal)).toBe(true);
  });

  it('when it was on its way until the caller gave up', async () => {
    const { service, server } = await openClient([SILENT]);
    const controller = new AbortController();
    const refused = refusalFrom(
      service.putObject('b', 'k', textBody('hello'), { signal: controller.signal }),
    );
    await server.arrived(1);

    controller.abort();

    expect(await refused).toMatchObject({ kind: 'aborted', neverSent: false });
  });
});
