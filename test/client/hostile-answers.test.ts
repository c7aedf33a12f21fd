import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { reply } from '../support/raw-server.ts';
import type { Answering } from '../support/raw-server.ts';
import { openClient, refusalFrom, textBody, textOf, until } from './open-client.ts';

const VERSION = { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };
const FILE = reply('200 OK', VERSION, 'hello');
const TOP = { folder: '' };

/** As it stands, and then the end of the connection. */
function last(text: string): Answering {
  return { play: (socket) => void socket.end(text, 'latin1') };
}

describe('an answer that is encoded although nobody asked for it', () => {
  it('is malformed, be it a HEAD, or a download that says so twice', async () => {
    const { service } = await openClient([
      reply('200 OK', { ...VERSION, 'Content-Encoding': 'gzip' }),
      reply('200 OK', { ...VERSION, 'Content-Encoding': 'gzip' }),
      reply('200 OK', { ...VERSION, 'Content-Encoding': 'gzip\r\nContent-Encoding: br' }, 'hello'),
    ]);

    const head = await refusalFrom(service.headObject('b', 'k'));
    const download = await refusalFrom(service.getObject('b', 'k'));

    expect([head.kind, download.kind]).toEqual(['malformed', 'malformed']);
  });
});

describe('a listing whose names are not UTF-8', () => {
  it('leaves those out and counts them, and shows the others', async () => {
    const entry = (key: string): string =>
      `{"key":"${key}","size":1,"etag":"e","last_modified":"2026-01-02T03:04:05Z"}`;
    const odd = `{"bucket":"b","folder":"","folders":["\xff/","f/"],"objects":[${entry('a\xffb')},${entry('c')}],"has_next":false}`;
    const { service } = await openClient([
      {
        play: (socket) =>
          void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${odd.length}\r\n\r\n${odd}`, 'latin1'),
      },
    ]);

    const page = await service.listObjects('b', TOP);

    expect(page.folders).toEqual(['f/']);
    expect(page.objects.map(({ key }) => key)).toEqual(['c']);
    expect(page.skipped).toBe(2);
  });
});

describe('an answer to an upload that comes a byte now and then', () => {
  it.each([
    ['200 OK', 'timeout'],
    ['401 Unauthorized', 'denied'],
    ['403 Forbidden', 'denied'],
    ['503 Busy', 'unavailable'],
  ])('is given 60 s in all (%s)', async (status, kind) => {
    const head = `HTTP/1.1 ${status}\r\nContent-Length: 1000\r\n\r\n`;
    let drip: () => void = () => undefined;
    const { service, server, clock } = await openClient([
      {
        play: (socket) => {
          socket.write(head);
          drip = () => void socket.write(' ');
        },
      },
    ]);

    const refused = refusalFrom(service.putObject('b', 'k', textBody('hello')));
    await server.arrived(1);
    for (let elapsed = 0; elapsed < 60_000; elapsed += 15_000) {
      const { bytesReceived } = service.traffic.facts();
      drip();
      await until(() => service.traffic.facts().bytesReceived > bytesReceived);
      await nextTurn();
      clock.advance(15_000);
    }

    expect((await refused).kind).toBe(kind);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a refusal whose text stalls', () => {
  it.each([
    ['401 Unauthorized', 'denied'],
    ['403 Forbidden', 'denied'],
    ['404 Not Found', 'missing'],
  ])('is still the refusal that its status says (%s)', async (status, kind) => {
    const { service, server, clock } = await openClient([
      { play: (socket) => void socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 50\r\n\r\n{`) },
    ]);

    const refused = refusalFrom(service.getBucket('b'));
    await server.arrived(1);
    await until(() => service.traffic.facts().bytesReceived === 1);
    await nextTurn();
    clock.advance(20_000);

    expect((await refused).kind).toBe(kind);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is not heard by a caller who gave up', async () => {
    const { service, server } = await openClient([
      { play: (socket) => void socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 50\r\n\r\n{') },
    ]);
    const controller = new AbortController();

    const refused = refusalFrom(service.getBucket('b', { signal: controller.signal }));
    await server.arrived(1);
    controller.abort();

    expect((await refused).kind).toBe('aborted');
  });
});

describe('a connection', () => {
  it('whose answer cannot be used, and has not ended, keeps nobody waiting', async () => {
    const endless = 'HTTP/1.1 200 OK\r\nETag: "e"\r\nContent-Length: 50000000\r\n\r\nhello';
    const { service } = await openClient(
      [
        { play: (socket) => void socket.write(endless) },
        { play: (socket) => void socket.write(endless) },
        FILE,
      ],
      { connections: 1 },
    );
    expect((await refusalFrom(service.getObject('b', 'k'))).kind).toBe('malformed');

    const { body } = await service.getObject('b', 'k');

    expect(await textOf(body)).toBe('hello');
  });

  it.each<[string, Answering]>([
    ['is no HTTP', last('SSH-2.0-x\r\n')],
    ['is cut in its body', last(`HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"buck`)],
    ['is longer than its Content-Length', `${reply('200 OK', VERSION, '{}')}further`],
    [
      'has two different lengths',
      reply('200 OK', { ...VERSION, 'Content-Length': '5\r\nContent-Length: 6' }),
    ],
    ['was not asked to switch protocols', 'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    [
      'is an unasked part',
      reply('206 Partial Content', { ...VERSION, 'Content-Range': 'bytes 0-4/5' }, 'hello'),
    ],
    ['is a redirect', reply('302 Found', { Location: 'http://127.0.0.1:1/' }, 'elsewhere')],
    ['is a refusal with a long text', reply('403 Forbidden', {}, 'x'.repeat(200_000))],
    ['has endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`],
  ])('is free for the next call after an answer that %s', async (_title, answer) => {
    const failing = Array.from({ length: 20 }, () => answer);
    const { service } = await openClient([...failing, FILE], { connections: 2, retry: { retries: 0 } });

    const outcomes = Array.from({ length: 20 }, async (_, index) => {
      if (index % 2 === 0) return refusalFrom(service.listObjects('b', TOP));
      return refusalFrom(service.getObject('b', 'k').then(({ body }) => textOf(body)));
    });
    await Promise.allSettled(outcomes);
    const { body } = await service.getObject('b', 'k');

    expect(await textOf(body)).toBe('hello');
  });
});
