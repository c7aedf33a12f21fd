import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/client/retry.ts';
import { reply, replyJson } from '../support/raw-server.ts';
import type { Script } from '../support/raw-server.ts';
import { openClient, refusalFrom, textBody, textOf, until } from './open-client.ts';

const HEAD_OK = reply('200 OK', {
  ETag: '"e"',
  'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
});
const LISTING = replyJson('200 OK', {
  bucket: 'b',
  folder: '',
  folders: null,
  objects: null,
  has_next: false,
  next_page: null,
});
const RESET: Script = { play: (socket) => void socket.resetAndDestroy() };
const CUT_IN_HEAD: Script = { play: (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le') };

describe('a passing fault', () => {
  it.each(['408', '429', '500', '502', '503', '504'])(
    'of status %s is not seen when the next try succeeds, after one wait [errors/table]',
    async (status) => {
      const { service, server, clock, log } = await openClient([reply(`${status} Passing`), HEAD_OK]);

      const head = await service.headObject('b', 'k');

      expect(head.etag).toBe('e');
      expect(server.requests).toHaveLength(2);
      expect(clock.sleeps).toEqual([250]);
      expect(log.lines.filter(({ message }) => message === 'A request is tried again')).toHaveLength(1);
    },
  );

  it.each([
    ['a reset before the headers', RESET],
    ['a connection cut inside the headers', CUT_IN_HEAD],
  ])('of the network (%s) is not seen when the next try succeeds', async (_title, fault) => {
    const { service, server } = await openClient([fault, fault, HEAD_OK]);

    await service.headObject('b', 'k');

    expect(server.requests).toHaveLength(3);
  });

  it('in the body of a document is tried again', async () => {
    const cut: Script = {
      play: (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"buck'),
    };
    const { service, server } = await openClient([cut, LISTING]);

    const page = await service.listObjects('b', { folder: '' });

    expect(page.objects).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  it('is the end when its caller does not mean the call any more, asked after each wait', async () => {
    const { service, server, clock } = await openClient([reply('503 Busy'), reply('502 Busy'), HEAD_OK]);
    const asked: number[] = [];
    const isStillMeant = (): Promise<boolean> => {
      asked.push(clock.sleeps.length);
      return Promise.resolve(asked.length < 2);
    };

    const refusal = await refusalFrom(service.deleteObject('b', 'k', { isStillMeant }));

    expect(refusal).toMatchObject({ kind: 'unavailable', status: 502 });
    expect(server.requests).toHaveLength(2);
    expect(asked).toEqual([1, 2]);
  });

  it('is the end when nobody can tell whether the call is still meant', async () => {
    const { service, server } = await openClient([reply('503 Busy'), HEAD_OK]);
    const isStillMeant = (): Promise<boolean> => Promise.reject(new Error('the look was refused'));

    const refusal = await refusalFrom(service.deleteObject('b', 'k', { isStillMeant }));

    expect(refusal).toMatchObject({ kind: 'unavailable', status: 503 });
    expect(server.requests).toHaveLength(1);
  });

  it('that lasts is refused as unavailable after doubling waits and six tries', async () => {
    const { service, server, clock } = await openClient([replyJson('503 Busy', { error: 'come back' })]);

    const refusal = await refusalFrom(service.headObject('b', 'k'));

    expect(refusal.kind).toBe('unavailable');
    expect(refusal.status).toBe(503);
    expect(server.requests).toHaveLength(6);
    expect(clock.sleeps).toEqual([250, 500, 1000, 2000, 4000]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits up to half a wait less by chance', async () => {
    const { service, clock } = await openClient([reply('503 Busy'), HEAD_OK], { random: () => 0.5 });

    await service.headObject('b', 'k');

    expect(clock.sleeps).toEqual([187.5]);
  });

  it('of a service that is down is refused as unavailable', async () => {
    const { server } = await openClient([]);
    const baseUrl = server.baseUrl;
    await server.close();
    const { service, clock } = await openClient([], { baseUrl });

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(refusal.kind).toBe('unavailable');
    expect(clock.sleeps).toHaveLength(5);
  });

  it('makes createBucket fail at once: a second POST might create twice', async () => {
    const busy = await openClient([reply('503 Busy')]);
    const reset = await openClient([RESET]);

    const refusals = [
      await refusalFrom(busy.service.createBucket('photos')),
      await refusalFrom(reset.service.createBucket('photos')),
    ];

    expect(refusals.map((refusal) => refusal.kind)).toEqual(['unavailable', 'unavailable']);
    expect(busy.server.requests).toHaveLength(1);
    expect(reset.server.requests).toHaveLength(1);
  });

  it('of an upload reads the source anew', async () => {
    const { service, server } = await openClient([
      reply('500 Oops'),
      replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 }),
    ]);

    const stored = await service.putObject('b', 'k', textBody('hello'));

    expect(stored).toEqual({ bucket: 'b', key: 'k', size: 5, storedWithin: null, mayArriveAgain: true });
    expect(server.requests.map((request) => request.body.toString())).toEqual(['hello', 'hello']);
  });

  it('of a download is repeated before the headers', async () => {
    const answer = reply(
      '200 OK',
      { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' },
      'hello',
    );
    const { service } = await openClient([RESET, reply('502 Bad'), answer]);

    const download = await service.getObject('b', 'k');

    expect(await textOf(download.body)).toBe('hello');
  });
});

describe('another fault', () => {
  it('of shape is tried once more [errors/table]', async () => {
    const odd = replyJson('200 OK', { nonsense: true });
    const good = await openClient([odd, LISTING]);
    const bad = await openClient([odd]);

    await good.service.listObjects('b', { folder: '' });
    const refusal = await refusalFrom(bad.service.listObjects('b', { folder: '' }));

    expect(refusal.kind).toBe('malformed');
    expect(good.server.requests).toHaveLength(2);
    expect(bad.server.requests).toHaveLength(2);
  });

  it.each(['400', '401', '404', '409', '410', '501', '505', '507'])(
    'of status %s is not tried again [errors/table]',
    async (status) => {
      const { service, server } = await openClient([reply(`${status} No`)]);

      await refusalFrom(service.getBucket('b'));

      expect(server.requests).toHaveLength(1);
    },
  );

  it('such as bytes that are not HTTP is malformed', async () => {
    const { service, server } = await openClient(['SSH-2.0-OpenSSH_9.6\r\n\r\n']);

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(refusal.kind).toBe('malformed');
    expect(server.requests).toHaveLength(2);
  });
});

describe('Retry-After', () => {
  it.each([
    ['in seconds', { 'Retry-After': '7' }, 7_000],
    [
      'as a date, by the clock of the service',
      { 'Retry-After': 'Fri, 02 Jan 2026 03:04:17 GMT', Date: 'Fri, 02 Jan 2026 03:04:05 GMT' },
      12_000,
    ],
    ['in seconds, but never less than our own wait', { 'Retry-After': '0' }, 250],
    ['capped, so that one more try fits the deadline', { 'Retry-After': '3600' }, 25_000],
    ['ignored when it is neither', { 'Retry-After': 'soon' }, 250],
  ])('is honoured %s', async (_title, headers, wait) => {
    const { service, clock } = await openClient([reply('503 Busy', headers), HEAD_OK]);

    await service.headObject('b', 'k');

    expect(clock.sleeps).toEqual([wait]);
  });

  it('that leaves no time for a further try ends the call with what the service said', async () => {
    const { service, server } = await openClient([reply('429 Slow down', { 'Retry-After': '3600' })]);

    const refusal = await refusalFrom(service.headObject('b', 'k'));

    expect(refusal).toMatchObject({ kind: 'unavailable', status: 429, retryAfter: 3_600_000 });
    expect(server.requests).toHaveLength(2);
  });

  it('that is short is honoured also when little time is left', async () => {
    const { service, clock } = await openClient([reply('503 Busy', { 'Retry-After': '1' }), HEAD_OK], {
      deadlines: { metadata: 2_000 },
    });

    await service.headObject('b', 'k');

    expect(clock.sleeps).toEqual([1_000]);
  });

  it('as a date without the Date of the service goes by our clock', () => {
    const now = Date.UTC(2026, 0, 2, 3, 4, 5);

    expect(parseRetryAfter('Fri, 02 Jan 2026 03:04:06 GMT', now)).toBe(1000);
    expect(parseRetryAfter('Fri, 02 Jan 2026 03:04:00 GMT', now)).toBe(0);
    expect(parseRetryAfter(undefined, now)).toBeUndefined();
  });

  it('does not outlast the caller: an abort ends the wait', async () => {
    const { service, clock } = await openClient([reply('503 Busy')]);
    clock.holdSleeps = true;
    const controller = new AbortController();

    const refused = refusalFrom(service.headObject('b', 'k', { signal: controller.signal }));
    await until(() => clock.sleeps.length === 1);
    controller.abort();

    expect((await refused).kind).toBe('aborted');
    expect(clock.pendingTimers).toBe(0);
  });
});
