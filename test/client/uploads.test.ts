import { describe, expect, it } from 'vitest';
import { reply, replyJson } from '../support/raw-server.ts';
import type { Script } from '../support/raw-server.ts';
import { endlessBody, openClient, piecesBody, refusalFrom, textBody, until } from './open-client.ts';

const STORED = replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 });
const SILENT: Script = { early: true, play: () => undefined };

describe('an upload', () => {
  it('arrives byte for byte, in pieces of any size', async () => {
    const sizes = [0, 1, 300_000, 0, 7];
    const pieces = sizes.map((size, index) => Buffer.alloc(size, index));
    const answer = replyJson('200 OK', { bucket: 'b', key: 'k', size: 300_008 });
    const { service, server } = await openClient([answer]);

    await service.putObject('b', 'k', piecesBody(pieces, 300_008));

    expect(server.requests[0]?.headers['content-length']).toBe('300008');
    expect(server.requests[0]?.body.equals(Buffer.concat(pieces))).toBe(true);
  });

  it('says between which moments of the clock of the service it was stored, over all tries', async () => {
    const dated = replyJson(
      '200 OK',
      { bucket: 'b', key: 'k', size: 5 },
      { Date: 'Fri, 02 Jan 2026 03:04:05 GMT' },
    );
    const { service } = await openClient([reply('503 Busy', { 'Retry-After': '10' }), dated]);

    const stored = await service.putObject('b', 'k', textBody('hello'));

    expect(stored.storedWithin).toEqual({
      from: Date.UTC(2026, 0, 2, 3, 3, 55),
      to: Date.UTC(2026, 0, 2, 3, 4, 5),
    });
  });

  it('does not know when it was stored without a usable Date', async () => {
    const dated = replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 }, { Date: 'yesterday' });
    const { service } = await openClient([dated]);

    const stored = await service.putObject('b', 'k', textBody('hello'));

    expect(stored.storedWithin).toBeNull();
  });

  it('of which the service stored another size is malformed', async () => {
    const { service, server } = await openClient([STORED]);

    const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello!')));

    expect(refusal.kind).toBe('malformed');
    expect(server.requests).toHaveLength(2);
  });

  it('with a Content-Type that no header can carry is rejected and sent nowhere', async () => {
    const { service, server } = await openClient([STORED]);

    const refusal = await refusalFrom(service.putObject('b', 'k', textBody('hello', 'a/b\r\nX-Evil: 1')));

    expect(refusal.kind).toBe('rejected');
    expect(server.requests).toHaveLength(0);
  });
});

describe('a source that fails', () => {
  it.each([
    ['before its first byte', 0, 10],
    ['in the middle', 1, 10],
    ['before the first of many bytes', 0, 1_000_000],
    ['in the middle of many bytes', 1, 1_000_000],
  ])('%s aborts the upload with its own error, and nothing is tried again', async (_title, count, size) => {
    const { service, server } = await openClient([SILENT, STORED]);
    const failure = new Error('disk on fire');
    let opened = 0;
    const body = {
      size,
      async *open(): AsyncGenerator<Uint8Array> {
        opened += 1;
        for (let index = 0; index < count; index += 1) yield await Promise.resolve(Buffer.alloc(size / 2));
        throw failure;
      },
    };

    const refusal = await refusalFrom(service.putObject('b', 'k', body));

    expect(refusal.kind).toBe('aborted');
    expect(refusal.cause).toBe(failure);
    expect(opened).toBe(1);
    expect(server.requests.every((request) => request.body.length < size)).toBe(true);
  });

  it.each([5, 1_000_000])('to open aborts the upload of %i bytes with its own error', async (size) => {
    const { service } = await openClient([SILENT, STORED]);
    const failure = new Error('no such draft');
    const body = {
      size,
      open: () => {
        throw failure;
      },
    };

    const refusal = await refusalFrom(service.putObject('b', 'k', body));

    expect(refusal).toMatchObject({ kind: 'aborted', cause: failure });
  });
});

describe('a source of the wrong size', () => {
  it.each([
    ['fewer bytes than announced', ['hel'], 5, 1],
    ['more bytes than announced, in a piece of their own', ['hello', '!'], 5, 1],
    ['more bytes than announced, in one piece', ['hello!'], 5, 1],
    ['bytes where none were announced', ['h'], 0, 1],
    ['no bytes where some were announced', [], 5, 1],
    // What is too large to be sent along with the headers.
    ['fewer than many bytes that were announced', ['hel'], 500_000, 100_000],
    ['more than many bytes, in a piece of their own', ['hello', '!'], 500_000, 100_000],
    ['more than many bytes, in one piece', ['hello!'], 500_000, 100_000],
    ['no bytes where many were announced', [], 500_000, 100_000],
  ])('(%s) never completes an object, and aborts', async (_title, texts, size, times) => {
    const received: Buffer[] = [];
    const watching: Script = {
      early: true,
      play: (socket, request) => {
        received.push(request.body);
        socket.on('data', (bytes: Buffer) => received.push(bytes));
      },
    };
    const { service, server } = await openClient([watching]);
    const pieces = texts.map((text) => Buffer.from(text.repeat(times)));

    const refusal = await refusalFrom(service.putObject('b', 'k', piecesBody(pieces, size)));

    expect(refusal.kind).toBe('aborted');
    expect(Buffer.concat(received).length).toBeLessThan(Math.max(size, 1));
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });
});

it('a source that has more bytes than announced only after a while has not completed the object by then', async () => {
  let received = 0;
  const watching: Script = {
    early: true,
    play: (socket, request) => {
      received += request.body.length;
      socket.on('data', (bytes: Buffer) => (received += bytes.length));
    },
  };
  const { service } = await openClient([watching]);
  const size = 300_000;
  const body = {
    size,
    async *open(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(size);
      // For what was sent to arrive.
      await new Promise((resolve) => setTimeout(resolve, 200));
      yield Buffer.alloc(1);
    },
  };

  expect((await refusalFrom(service.putObject('b', 'k', body))).kind).toBe('aborted');

  expect(received).toBeLessThan(size);
});

describe('a service that answers before the body is complete', () => {
  it.each([
    ['402 Payment Required', 'paused'],
    ['413 Content Too Large', 'too-large'],
  ])('with %s is understood, although it hangs up at once', async (status, kind) => {
    const early: Script = {
      early: true,
      play: (socket) => {
        socket.pause();
        socket.end(replyJson(status, { error: 'no more' }));
      },
    };
    const { service, server } = await openClient([early]);
    const pieces = Array.from({ length: 400 }, () => Buffer.alloc(65_536));

    const refusal = await refusalFrom(service.putObject('b', 'k', piecesBody(pieces, 400 * 65_536)));

    expect(refusal.kind).toBe(kind);
    expect(refusal.message).toContain('no more');
    expect(server.requests).toHaveLength(1);
  });

  it('with 200 has not stored it: the rest was never sent', async () => {
    const size = 400 * 65_536;
    const early: Script = {
      early: true,
      play: (socket) => {
        socket.pause();
        socket.write(replyJson('200 OK', { bucket: 'b', key: 'k', size }));
      },
    };
    const { service, server } = await openClient([early]);
    const pieces = Array.from({ length: 400 }, () => Buffer.alloc(65_536));

    const refusal = await refusalFrom(service.putObject('b', 'k', piecesBody(pieces, size)));

    expect(refusal).toMatchObject({ kind: 'malformed', neverSent: false });
    expect(server.requests).toHaveLength(2);
  });

  it('and keeps the connection leaves the source closed', async () => {
    const early: Script = { early: true, play: (socket) => void socket.write(reply('402 Payment Required')) };
    const { service } = await openClient([early]);
    const { endless, isClosed } = endlessBody();

    const refusal = await refusalFrom(service.putObject('b', 'k', endless));

    expect(refusal.kind).toBe('paused');
    await until(isClosed);
  });
});
