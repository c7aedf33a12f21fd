import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { reply } from '../support/raw-server.ts';
import type { Script } from '../support/raw-server.ts';
import { openClient, refusalFrom, textOf, until } from './open-client.ts';

const LAST_MODIFIED = 'Fri, 02 Jan 2026 03:04:05 GMT';
const VERSION = { ETag: 'W/"e1"', 'Last-Modified': LAST_MODIFIED };

function raw(status: string, headers: Readonly<Record<string, string>>, body: string): Script {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return { play: (socket) => void socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`) };
}

describe('a download', () => {
  it('tells size, bare ETag, date and the absence of a type, and gives the bytes', async () => {
    const { service } = await openClient([reply('200 OK', VERSION, 'hello')]);

    const { head, range, body } = await service.getObject('b', 'k');

    expect(head).toEqual({ size: 5, etag: 'e1', lastModified: new Date(LAST_MODIFIED), contentType: null });
    expect(range).toEqual({ start: 0, end: 5 });
    expect(await textOf(body)).toBe('hello');
  });

  it('is the final answer, whatever the service says before it', async () => {
    const final = `HTTP/1.1 200 OK\r\nETag: "e"\r\nLast-Modified: ${LAST_MODIFIED}\r\nContent-Length: 5\r\n\r\nhello`;
    const hint: Script = {
      play: (socket) => void socket.end(`HTTP/1.1 103 Early Hints\r\nETag: "hint"\r\n\r\n${final}`),
    };
    const { service } = await openClient([hint]);

    const { head, body } = await service.getObject('b', 'k');

    expect(head.etag).toBe('e');
    expect(await textOf(body)).toBe('hello');
  });

  it('of an empty file gives no bytes', async () => {
    const { service, clock } = await openClient([reply('200 OK', VERSION)]);

    const { range, body } = await service.getObject('b', 'k');

    expect(range).toEqual({ start: 0, end: 0 });
    expect(await textOf(body)).toBe('');
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives the whole file when Range is ignored', async () => {
    const { service } = await openClient([reply('200 OK', VERSION, 'hello')]);

    const { range, body } = await service.getObject('b', 'k', { range: { start: 1, end: 3 } });

    expect(range).toEqual({ start: 0, end: 5 });
    expect(await textOf(body)).toBe('hello');
  });

  it('may give less than asked for at the end of the file, also without Content-Length', async () => {
    const part = { ...VERSION, 'Content-Range': 'bytes 3-4/5', Connection: 'close' };
    const { service } = await openClient([raw('206 Partial Content', part, 'lo')]);

    const { head, range, body } = await service.getObject('b', 'k', { range: { start: 3, end: 100 } });

    expect(head.size).toBe(5);
    expect(range).toEqual({ start: 3, end: 5 });
    expect(await textOf(body)).toBe('lo');
  });

  it('cut short is unavailable to the reader, after the bytes that came', async () => {
    const { service } = await openClient([raw('200 OK', { ...VERSION, 'Content-Length': '10' }, 'hello')]);

    const { body } = await service.getObject('b', 'k');
    const pieces = body[Symbol.asyncIterator]();
    const first = await pieces.next();
    const refusal = await refusalFrom(pieces.next());

    expect(Buffer.from(first.value as Uint8Array).toString()).toBe('hello');
    expect(refusal.kind).toBe('unavailable');
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });

  it('cut short before anybody reads gives what came until then all the same', async () => {
    const answer = raw('200 OK', { ...VERSION, 'Content-Length': '10' }, 'hello');
    const { service, server } = await openClient([answer]);

    const { body } = await service.getObject('b', 'k');
    await server.close();
    await sleep(50);
    const pieces = body[Symbol.asyncIterator]();
    const first = await pieces.next();

    expect(Buffer.from(first.value as Uint8Array).toString()).toBe('hello');
    expect((await refusalFrom(pieces.next())).kind).toBe('unavailable');
  });

  it.each([
    ['short', 'l', 'unavailable'],
    ['long', 'llll', 'malformed'],
  ])('of a part that is too %s is refused', async (_title, text, kind) => {
    const part = { ...VERSION, 'Content-Range': 'bytes 2-3/5', Connection: 'close' };
    const { service } = await openClient([raw('206 Partial Content', part, text)]);

    const { body } = await service.getObject('b', 'k', { range: { start: 2, end: 4 } });

    expect((await refusalFrom(textOf(body))).kind).toBe(kind);
  });

  it('that nobody reads gives its connection back when closed', async () => {
    const endless = raw('200 OK', { ...VERSION, 'Content-Length': '10' }, 'hello');
    const { service, server, clock } = await openClient([endless, reply('200 OK', VERSION, 'again')], {
      connections: 1,
    });

    const { body } = await service.getObject('b', 'k');
    await body[Symbol.asyncIterator]().return?.();
    const again = await service.getObject('b', 'k');

    expect(await textOf(again.body)).toBe('again');
    expect(server.requests).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('left in the middle gives its connection back', async () => {
    const { service, clock } = await openClient([
      raw('200 OK', { ...VERSION, 'Content-Length': '10' }, 'hello'),
      reply('200 OK', VERSION, 'again'),
    ]);

    const { body } = await service.getObject('b', 'k');
    for await (const piece of body) {
      expect(piece.byteLength).toBe(5);
      break;
    }

    await until(() => clock.pendingTimers === 0);
  });
});

describe('the headers of a download', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['Saturday, 28-Feb-26 08:49:37 GMT', '2026-02-28T08:49:37.000Z'],
    ['Sat Feb 28 08:49:37 2026', '2026-02-28T08:49:37.000Z'],
  ])('have a time of any format that HTTP has: %s', async (text, time) => {
    const { service } = await openClient([reply('200 OK', { ...VERSION, 'Last-Modified': text })]);

    const head = await service.headObject('b', 'k');

    expect(head.lastModified.toISOString()).toBe(time);
  });

  it.each([
    ['no ETag', '200 OK', { 'Last-Modified': LAST_MODIFIED }],
    ['an empty ETag', '200 OK', { ...VERSION, ETag: '""' }],
    ['no Last-Modified', '200 OK', { ETag: '"e"' }],
    ['a Last-Modified that is no date', '200 OK', { ...VERSION, 'Last-Modified': '2026' }],
    [
      'a date that does not exist',
      '200 OK',
      { ...VERSION, 'Last-Modified': 'Fri, 99 Jan 2026 03:04:05 GMT' },
    ],
    ['a day that there is not', '200 OK', { ...VERSION, 'Last-Modified': 'Sat, 31 Feb 2026 03:04:05 GMT' }],
    ['none either', '200 OK', { ...VERSION, 'Last-Modified': 'Saturday, 31-Feb-26 03:04:05 GMT' }],
    ['none of a third format', '200 OK', { ...VERSION, 'Last-Modified': 'Sat Feb 31 03:04:05 2026' }],
    ['a compressed body', '200 OK', { ...VERSION, 'Content-Encoding': 'gzip' }],
    ['another status', '203 Whatever', VERSION],
    ['no content', '204 No Content', VERSION],
    ['a part that nobody asked for', '206 Partial Content', { ...VERSION, 'Content-Range': 'bytes 0-4/5' }],
  ])('with %s are malformed', async (_title, status, headers) => {
    const { service } = await openClient([reply(status, headers, 'hello')]);

    const refusal = await refusalFrom(service.getObject('b', 'k'));

    expect(refusal.kind).toBe('malformed');
  });

  it('without Content-Length are malformed', async () => {
    const { service } = await openClient([raw('200 OK', { ...VERSION, Connection: 'close' }, 'hello')]);

    const refusal = await refusalFrom(service.getObject('b', 'k'));

    expect(refusal.message).toBe("getObject: the answer's headers: Content-Length is missing");
  });

  it.each([
    ['without Content-Range', {}],
    ['of several parts', { 'Content-Type': 'multipart/byteranges; boundary=x' }],
    ['of unknown total size', { 'Content-Range': 'bytes 1-3/*' }],
    ['that begins elsewhere', { 'Content-Range': 'bytes 0-3/5' }],
    ['that goes further than asked', { 'Content-Range': 'bytes 1-4/9' }],
    ['that goes further than the file', { 'Content-Range': 'bytes 1-3/3' }],
    ['that ends before it begins', { 'Content-Range': 'bytes 1-0/5' }],
    ['of another length than its body', { 'Content-Range': 'bytes 1-2/5' }],
  ])('of a part %s are malformed', async (_title, headers) => {
    const { service } = await openClient([reply('206 Partial Content', { ...VERSION, ...headers }, 'ell')]);

    const refusal = await refusalFrom(service.getObject('b', 'k', { range: { start: 1, end: 4 } }));

    expect(refusal.kind).toBe('malformed');
  });

  it('of a HEAD without size are malformed', async () => {
    const { service } = await openClient([raw('200 OK', { ...VERSION, Connection: 'close' }, '')]);

    const refusal = await refusalFrom(service.headObject('b', 'k'));

    expect(refusal.kind).toBe('malformed');
  });
});

describe('a range', () => {
  it('refused with 416 says so, but only when a range was sent', async () => {
    const { service } = await openClient([reply('416 Range Not Satisfiable')]);

    const ranged = await refusalFrom(service.getObject('b', 'k', { range: { start: 0, end: 1 } }));
    const whole = await refusalFrom(service.getObject('b', 'k'));

    expect(ranged.kind).toBe('range-refused');
    expect(whole.kind).toBe('rejected');
  });

  it.each([
    [5, 5],
    [5, 4],
    [-1, 4],
    [0.5, 4],
  ])('from %d to %d is rejected and sent nowhere', async (start, end) => {
    const { service, server } = await openClient([reply('200 OK', VERSION)]);

    const refusal = await refusalFrom(service.getObject('b', 'k', { range: { start, end } }));

    expect(refusal.kind).toBe('rejected');
    expect(server.requests).toHaveLength(0);
  });
});

describe('connections', () => {
  it('are kept for further requests, HEAD included', async () => {
    const { service, server } = await openClient(
      [reply('200 OK', { ...VERSION, 'Keep-Alive': 'timeout=60' })],
      { connections: 1 },
    );

    for (let index = 0; index < 5; index += 1) await service.headObject('b', 'k');
    await service.deleteObject('b', 'k');

    expect(server.requests).toHaveLength(6);
    expect(server.connections).toBe(1);
  });

  it('are never more than allowed', async () => {
    const { service, server } = await openClient([reply('200 OK', VERSION)], { connections: 2 });

    await Promise.all(Array.from({ length: 20 }, () => service.headObject('b', 'k')));

    expect(server.requests).toHaveLength(20);
    expect(server.connections).toBe(2);
  });
});
