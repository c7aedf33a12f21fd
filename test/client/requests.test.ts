import { describe, expect, it } from 'vitest';
import { BaseUrlError, parseBaseUrl } from '../../src/client/base-url.ts';
import { HttpService } from '../../src/client/http-service.ts';
import { silentLog } from '../../src/base/log.ts';
import { reply, replyJson } from '../support/raw-server.ts';
import { CREDENTIALS, openClient, refusalFrom } from './open-client.ts';

const NO_CONTENT = reply('204 No Content');

describe('a key', () => {
  it.each([
    ['a b', '/b/a%20b'],
    ['%', '/b/%25'],
    ['%2F', '/b/%252F'],
    ['+', '/b/%2B'],
    ['?x=1', '/b/%3Fx%3D1'],
    ['#x', '/b/%23x'],
    ['..', '/b/%2E%2E'],
    ['../x', '/b/%2E%2E/x'],
    ['./x', '/b/%2E/x'],
    ['ü', '/b/%C3%BC'],
    ['u\u0308', '/b/u%CC%88'],
    ['🙂', '/b/%F0%9F%99%82'],
    ['a//b', '/b/a//b'],
    ['a/', '/b/a/'],
    ['/a', '/b//a'],
    ['a\\b', '/b/a%5Cb'],
    ['a\nb', '/b/a%0Ab'],
    ["!'()*", '/b/%21%27%28%29%2A'],
  ])('%j arrives as %s', async (key, path) => {
    const { service, server } = await openClient([NO_CONTENT]);

    await service.deleteObject('b', key);

    expect(server.requests[0]?.path).toBe(path);
  });

  it.each(['\ud800', 'a/\udfff'])('that is not valid Unicode is rejected and sent nowhere', async (key) => {
    const { service, server } = await openClient([NO_CONTENT]);

    const refusal = await refusalFrom(service.deleteObject('b', key));

    expect(refusal.kind).toBe('rejected');
    expect(server.requests).toHaveLength(0);
  });
});

describe('a name that would ask for another thing', () => {
  it.each<[string, (service: HttpService) => Promise<unknown>]>([
    ['an empty key', (service) => service.deleteObject('b', '')],
    ['an empty bucket', (service) => service.deleteBucket('')],
    ['an empty bucket of an object', (service) => service.deleteObject('', 'k')],
    ['an empty bucket of a listing', (service) => service.listObjects('', { folder: '' })],
    ['the bucket "buckets"', (service) => service.deleteObject('buckets', 'precious')],
  ])('(%s) is rejected and sent nowhere', async (_title, ask) => {
    const { service, server } = await openClient([NO_CONTENT]);

    const refusal = await refusalFrom(ask(service));

    expect(refusal.kind).toBe('rejected');
    expect(server.requests).toHaveLength(0);
  });
});

describe('a request', () => {
  it('keeps the path of the base URL in front, byte for byte', async () => {
    const { service, server } = await openClient([NO_CONTENT], {}, '/some/../pre%2Ffix/');

    await service.deleteObject('b', 'k');

    expect(server.requests[0]?.path).toBe('/some/../pre%2Ffix/b/k');
  });

  it('sends a bookmark back exactly as received', async () => {
    const { service, server } = await openClient([replyJson('200 OK', {})]);

    await refusalFrom(service.listObjects('b', { folder: 'a/b c', limit: 7, page: 'x+/=&?' }));

    expect(server.requests[0]?.path).toBe('/b/?folder=a%2Fb%20c&limit=7&page=x%2B%2F%3D%26%3F');
  });

  it('says who asks', async () => {
    const { service, server } = await openClient([NO_CONTENT]);

    await service.deleteObject('b', 'k');

    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': 'pailfs',
      authorization: 'Basic QUtJRDpzM2NyM3QvK8O8',
      'accept-encoding': 'identity',
    });
  });
});

describe('a base URL', () => {
  it.each([
    ['http://h:1/some/prefix', 'http://h:1', '/some/prefix'],
    ['https://Storage.Example/', 'https://storage.example', ''],
    ['HTTPS://h', 'https://h', ''],
    ['http://[::1]:8080//x//', 'http://[::1]:8080', '//x'],
  ])('%s is taken apart', (text, origin, prefix) => {
    expect(parseBaseUrl(text)).toEqual({ origin, prefix });
  });

  it.each([
    '',
    'h:1',
    'ftp://h',
    'http://',
    'http://h?x=1',
    'http://h/#x',
    'http://h:99999',
    'http://user:geheim@h/',
    'http://h/ü',
    'http://h/a b',
  ])('%j is refused in a line that does not repeat it', (text) => {
    const open = (): HttpService =>
      HttpService.open({ baseUrl: text, credentials: CREDENTIALS, log: silentLog });

    expect(open).toThrow(BaseUrlError);
    expect(open).not.toThrow(/geheim/);
  });
});

describe('credentials', () => {
  it.each([
    ['an empty id', { accessKeyId: '', secretAccessKey: 'x' }],
    ['a colon in the id', { accessKeyId: 'a:b', secretAccessKey: 'x' }],
    ['an empty secret', { accessKeyId: 'a', secretAccessKey: '' }],
  ])('with %s are refused', (_title, credentials) => {
    expect(() => HttpService.open({ baseUrl: 'http://h', credentials, log: silentLog })).toThrow(/must not/);
  });
});
