/** Something stands in the place of the service for a while, and answers 404 with a page: is anything gone for that? */
import { describe, expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { reply, replyJson } from '../support/raw-server.ts';
import { openClient, refusalFrom, textBody } from './open-client.ts';

const PAGE = reply('404 Not Found', { 'Content-Type': 'text/html; charset=utf-8' }, '<h1>No such app</h1>');
const MISSING = replyJson('404 Not Found', { error: 'the file does not exist' });
const OBJECT = { ETag: '"e"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };
const HEAD_PAGE = 'HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n';
const HEAD_OK = reply('200 OK', OBJECT);

const ASKED: readonly [string, (service: ObjectService) => Promise<unknown>][] = [
  ['a bucket', (service) => service.getBucket('b')],
  ['a listing', (service) => service.listObjects('b', { folder: 'd' })],
  ['a download', (service) => service.getObject('b', 'k')],
  ['an upload', (service) => service.putObject('b', 'k', textBody('hello'))],
  ['a removal', (service) => service.deleteObject('b', 'k')],
  ['a visibility', (service) => service.getVisibility('b', 'k')],
  ['a link', (service) => service.getLink('b', 'k')],
];

describe('a page of HTML with 404', () => {
  it.each(ASKED)('in place of %s passes, and is tried again [errors/missing]', async (_what, ask) => {
    const { service, server } = await openClient([PAGE]);

    const refusal = await refusalFrom(ask(service));

    expect(refusal).toMatchObject({ kind: 'unavailable', status: 404 });
    expect(refusal.reason).toContain('404 with a web page');
    expect(server.requests).toHaveLength(6);
  });

  it.each(ASKED)('is one of the service itself where it is no page: of %s', async (_what, ask) => {
    const { service, server } = await openClient([MISSING]);

    expect((await refusalFrom(ask(service))).kind).toBe('missing');

    expect(server.requests).toHaveLength(1);
  });

  it('is none where it holds what the service answers: some have that type on everything', async () => {
    const text = JSON.stringify({ error: 'the file does not exist' });
    const { service, server } = await openClient([
      reply('404 Not Found', { 'Content-Type': 'text/html' }, text),
    ]);

    expect((await refusalFrom(service.getObject('b', 'k'))).kind).toBe('missing');

    expect(server.requests).toHaveLength(1);
  });

  it('that passes is not seen', async () => {
    const stored = replyJson('200 OK', { bucket: 'b', key: 'k', size: 5 });
    const { service } = await openClient([PAGE, PAGE, stored]);

    await expect(service.putObject('b', 'k', textBody('hello'))).resolves.toBeDefined();
  });
});

describe('a 404 to a HEAD that has the type of a page', () => {
  it('means that the file is gone where the service says so itself [errors/missing]', async () => {
    const { service, server } = await openClient([HEAD_PAGE, MISSING]);

    expect((await refusalFrom(service.headObject('b', 'k'))).kind).toBe('missing');

    expect(server.requests.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
  });

  it('means nothing where a page answers the GET, too [errors/missing]', async () => {
    const { service, server } = await openClient([HEAD_PAGE, PAGE]);

    expect((await refusalFrom(service.headObject('b', 'k'))).kind).toBe('unavailable');

    expect(server.requests.map(({ method }) => method)).toEqual(['HEAD', ...Array<string>(6).fill('GET')]);
  });

  it('is asked again where the file is there', async () => {
    const { service, server } = await openClient([HEAD_PAGE, reply('200 OK', OBJECT, 'hello'), HEAD_OK]);

    expect(await service.headObject('b', 'k')).toMatchObject({ etag: 'e' });

    expect(server.requests.map(({ method }) => method)).toEqual(['HEAD', 'GET', 'HEAD']);
  });
});
