import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { reply } from '../support/raw-server.ts';
import type { Script } from '../support/raw-server.ts';
import { endlessBody, openClient, piecesBody, refusalFrom, textBody, until } from './open-client.ts';

const SILENT: Script = { early: true, play: () => undefined };
const HEADERS =
  'HTTP/1.1 200 OK\r\nETag: "e"\r\nLast-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\nContent-Length: 10\r\n\r\n';

function sending(text: string): Script {
  return { play: (socket) => void socket.write(text) };
}

describe('a service that keeps silent', () => {
  it('is given 20 s for the headers, then the call times out and is not repeated [errors/table]', async () => {
    const { service, server, clock } = await openClient([SILENT]);

    const refused = refusalFrom(service.headObject('b', 'k'));
    await server.arrived(1);
    clock.advance(19_999);
    expect(clock.pendingTimers).toBeGreaterThan(0);
    clock.advance(1);

    const refusal = await refused;
    expect(refusal.kind).toBe('timeout');
    expect(refusal.message).toBe('headObject: no headers of an answer within 20 s');
    expect(server.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is given 20 s for each further piece of a document', async () => {
    const { service, server, clock } = await openClient([
      sending('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"'),
    ]);

    const refused = refusalFrom(service.getBucket('b'));
    await server.arrived(1);
    await until(() => service.traffic.facts().bytesReceived === 2);
    await nextTurn();
    clock.advance(20_000);

    expect((await refused).kind).toBe('timeout');
  });

  it('is given 30 s in all for a metadata call, tries included [errors/table]', async () => {
    const { service, server, clock } = await openClient([reply('503 Busy', { 'Retry-After': '15' }), SILENT]);

    const refused = refusalFrom(service.headObject('b', 'k'));
    await server.arrived(2);
    clock.advance(15_000);

    expect((await refused).message).toBe('headObject: no complete answer within 30 s');
  });

  it('is given 60 s in all for a read until its headers', async () => {
    const { service, server, clock } = await openClient([
      reply('503 Busy', { 'Retry-After': '25' }),
      reply('503 Busy', { 'Retry-After': '25' }),
      SILENT,
    ]);

    const refused = refusalFrom(service.getObject('b', 'k'));
    await server.arrived(3);
    clock.advance(10_000);

    expect((await refused).message).toBe('getObject: no complete answer within 60 s');
  });

  it('in the middle of a download makes the reader time out, however long the download lasted before', async () => {
    const { service, clock } = await openClient([sending(`${HEADERS}hello`)]);

    const { body } = await service.getObject('b', 'k');
    const pieces = body[Symbol.asyncIterator]();
    const first = await pieces.next();
    clock.advance(500_000);
    const second = refusalFrom(pieces.next());
    clock.advance(20_000);

    expect(Buffer.from(first.value as Uint8Array).toString()).toBe('hello');
    expect((await second).kind).toBe('timeout');
    expect(clock.pendingTimers).toBe(0);
  });

  it('while nobody waits for its bytes is not given up: a reader may take as long as it likes with what it has', async () => {
    let sendRest = (): void => undefined;
    const slow: Script = {
      play: (socket) => {
        socket.write(`${HEADERS}hello`);
        sendRest = () => void socket.write('world');
      },
    };
    const { service, clock } = await openClient([slow]);

    const { body } = await service.getObject('b', 'k');
    const pieces = body[Symbol.asyncIterator]();
    await pieces.next();
    clock.advance(120_000);
    sendRest();

    expect(Buffer.from((await pieces.next()).value ?? []).toString()).toBe('world');
  });

  it('is given 60 s from the last byte of an upload that it took [errors/table]', async () => {
    const { service, server, clock } = await openClient([SILENT]);

    const refused = refusalFrom(service.putObject('b', 'k', piecesBody([Buffer.alloc(200_000)], 200_000)));
    await server.arrived(1);
    await until(() => service.traffic.facts().bytesSent === 200_000);
    clock.advance(59_999);
    expect(clock.pendingTimers).toBe(1);
    clock.advance(1);

    expect((await refused).message).toBe('putObject: no progress of the upload within 60 s');
  });

  it('does not keep a call whose upload moves', async () => {
    const pieces = Array.from({ length: 5 }, () => Buffer.alloc(200_000));
    const { service, server, clock } = await openClient([
      reply('200 OK', {}, '{"bucket":"b","key":"k","size":1000000}'),
    ]);
    const body = piecesBody(pieces, 1_000_000);
    const slow = {
      ...body,
      async *open() {
        for await (const piece of body.open()) {
          clock.advance(50_000);
          yield piece;
        }
      },
    };

    await service.putObject('b', 'k', slow);

    expect(server.requests).toHaveLength(1);
  });

  it('is not asked again for an upload when 60 s went by without a further byte', async () => {
    const clock = new ManualClock();
    const late: Script = {
      play: (socket) => {
        clock.advance(59_900);
        socket.write(reply('503 Busy'));
      },
    };
    const { service, server } = await openClient([late], { clock });

    const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello')));

    expect(refusal.kind).toBe('unavailable');
    expect(server.requests).toHaveLength(1);
  });

  it('while the connection is made is refused as a timeout, after further tries', async () => {
    // A TCP server that never answers the TLS greeting.
    const { server } = await openClient([SILENT]);
    const baseUrl = server.baseUrl.replace('http:', 'https:');
    const { service, clock } = await openClient([], {
      baseUrl,
      deadlines: { connect: 20 },
      retry: { retries: 1 },
    });

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(refusal.kind).toBe('timeout');
    expect(clock.sleeps).toHaveLength(1);
  });
});

describe('a caller who gives up', () => {
  it('before the call sends nothing', async () => {
    const { service, server } = await openClient([SILENT]);

    const refusal = await refusalFrom(service.getBucket('b', { signal: AbortSignal.abort('reason') }));

    expect(refusal.kind).toBe('aborted');
    expect(refusal.cause).toBe('reason');
    expect(server.requests).toHaveLength(0);
  });

  it('is heard while waiting for the headers, without another try', async () => {
    const { service, server, clock } = await openClient([SILENT]);
    const controller = new AbortController();

    const refused = refusalFrom(service.getBucket('b', { signal: controller.signal }));
    await server.arrived(1);
    controller.abort();

    expect((await refused).kind).toBe('aborted');
    expect(server.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is heard while waiting for a free connection', async () => {
    const { service, server } = await openClient([SILENT], { connections: 1 });
    const controller = new AbortController();
    const first = refusalFrom(service.getBucket('a'));
    await server.arrived(1);

    const second = refusalFrom(service.getBucket('b', { signal: controller.signal }));
    controller.abort();

    expect((await second).kind).toBe('aborted');
    await service.close();
    expect((await first).kind).toBe('aborted');
    expect(server.requests).toHaveLength(1);
  });

  it('is heard by the reader of a download', async () => {
    const { service } = await openClient([sending(`${HEADERS}hello`)]);
    const controller = new AbortController();

    const { body } = await service.getObject('b', 'k', { signal: controller.signal });
    const pieces = body[Symbol.asyncIterator]();
    await pieces.next();
    const next = refusalFrom(pieces.next());
    controller.abort();

    expect((await next).kind).toBe('aborted');
  });

  it('is heard in the middle of an upload, and the source is closed', async () => {
    const { service, server } = await openClient([SILENT]);
    const controller = new AbortController();
    const { endless, isClosed } = endlessBody();

    const refused = refusalFrom(service.putObject('b', 'k', endless, { signal: controller.signal }));
    await server.arrived(1);
    controller.abort();

    expect((await refused).kind).toBe('aborted');
    await until(isClosed);
  });

  it('by closing the client ends later calls too', async () => {
    const { service } = await openClient([SILENT]);
    await service.close();

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(refusal.kind).toBe('aborted');
  });
});
