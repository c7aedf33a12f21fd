import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { RawServer, reply, replyJson } from '../support/raw-server.ts';
import { CREDENTIALS, openClient, refusalFrom, textBody } from './open-client.ts';

const ENTRY = { key: 'a.txt', size: 5, etag: '"e"', last_modified: '2026-01-02T03:04:05Z' };
const PAGE = { bucket: 'b', folder: '', folders: [], objects: [], has_next: false, next_page: null };
const TOP = { folder: '' };

describe('a status', () => {
  it.each([
    [301, 'rejected'],
    [307, 'rejected'],
    [400, 'rejected'],
    [401, 'denied'],
    [402, 'paused'],
    [403, 'denied'],
    [404, 'missing'],
    [409, 'rejected'],
    [410, 'rejected'],
    [413, 'too-large'],
    [416, 'rejected'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [501, 'unavailable'],
    [507, 'no-space'],
  ])('%d is refused as %s [errors/table]', async (status, kind) => {
    const { service } = await openClient([reply(`${status} X`)]);

    const refusal = await refusalFrom(service.putObject('b', 'k', textBody('x')));

    expect(refusal).toMatchObject({ kind, status, operation: 'putObject', subject: 'b/k' });
  });

  it('400 of a listing is a stale bookmark only when a bookmark was sent', async () => {
    const { service } = await openClient([reply('400 Bad Request')]);

    const kinds = [
      await refusalFrom(service.listObjects('b', { folder: '', page: 'x' })),
      await refusalFrom(service.listObjects('b', { folder: '' })),
      await refusalFrom(service.listBuckets({ page: 'x' })),
      await refusalFrom(service.listBuckets()),
      await refusalFrom(service.getLink('b', 'k')),
    ].map((refusal) => refusal.kind);

    expect(kinds).toEqual(['stale-bookmark', 'rejected', 'stale-bookmark', 'rejected', 'missing']);
  });

  it('3xx is never followed, and the refusal says so', async () => {
    const { service, server } = await openClient([reply('302 Found', { Location: '/elsewhere' })]);

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(refusal.message).toContain('redirect');
    expect(server.requests).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])(
    '%d carries nothing, credentials least of all, to another host',
    async (status) => {
      const elsewhere = await RawServer.open(replyJson('200 OK', PAGE));
      onTestFinished(() => elsewhere.close());
      const { service } = await openClient([reply(`${status} X`, { Location: `${elsewhere.baseUrl}/k` })]);

      await refusalFrom(service.listObjects('b', TOP));
      await refusalFrom(service.getObject('b', 'k'));
      await refusalFrom(service.putObject('b', 'k', textBody('x')));

      expect(elsewhere.connections).toBe(0);
    },
  );
});

describe('the text of an error', () => {
  it.each([
    ['the simple error', { error: 'The file does not exist' }],
    ['the refusal', { message: 'The file does not exist', status: 404 }],
  ])('is given in the reason: %s (§7)', async (_title, document) => {
    const { service } = await openClient([replyJson('404 Not Found', document)]);

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(refusal.message).toBe('getBucket: the service answered 404: The file does not exist');
  });

  it.each([
    ['is no JSON', '<html>no</html>'],
    ['is JSON of another shape', '{"error":{"code":1}}'],
    ['is no object', '"no"'],
    ['is null', 'null'],
    ['is too large', `{"error":"${'x'.repeat(70_000)}"}`],
  ])('is left out when the body %s', async (_title, body) => {
    const { service } = await openClient([reply('404 Not Found', {}, body)]);

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(refusal).toMatchObject({ kind: 'missing', message: 'getBucket: the service answered 404' });
  });

  it('is one printable line of at most 200 characters', async () => {
    const { service } = await openClient([
      replyJson('404 Not Found', { error: `a\u001b[31m\nb\u202e${'x'.repeat(500)}` }),
    ]);

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(refusal.message).toMatch(/^getBucket: the service answered 404: a \[31m b x+…$/);
    expect(refusal.message.length).toBeLessThan(250);
  });

  it('never repeats the credentials, nor does anything else', async () => {
    const secret = CREDENTIALS.secretAccessKey;
    const token = Buffer.from(`${CREDENTIALS.accessKeyId}:${secret}`).toString('base64');
    const { service, server, log } = await openClient([
      replyJson('503 Busy', { error: `who is ${secret} or ${token}?` }),
    ]);

    const refusal = await refusalFrom(service.getBucket('b'));

    expect(server.requests[0]?.headers['authorization']).toBe(`Basic ${token}`);
    const shown = inspect([refusal, log.lines, service], { depth: 20, showHidden: true });
    expect(shown).toContain('who is');
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(token);
  });
});

describe('a document', () => {
  it.each([
    ['is no JSON', '{"bucket"'],
    ['is empty', ''],
    ['is larger than a listing can be', ' '.repeat(17 * 1024 * 1024)],
  ])('that %s is malformed', async (_title, body) => {
    const { service } = await openClient([reply('200 OK', {}, body)]);

    const refusal = await refusalFrom(service.listObjects('b', TOP));

    expect(refusal).toMatchObject({ kind: 'malformed', operation: 'listObjects' });
  });

  it.each<[string, unknown, (service: ObjectService) => Promise<unknown>]>([
    ['data.buckets.0.size_bytes', listOfBuckets({ size_bytes: '5' }), (service) => service.listBuckets()],
    ['data.buckets.0.created_at', listOfBuckets({ created_at: 'today' }), (service) => service.listBuckets()],
    ['data.buckets.0.size_bytes', listOfBuckets({ size_bytes: -1 }), (service) => service.listBuckets()],
    ['data', { bucket: 'b' }, (service) => service.getBucket('b')],
    [
      'visibility',
      visibilityOf({ visibility: 'public' }),
      (service) => service.setVisibility('b', 'k', 'private'),
    ],
    ['data.visibility', visibilityOf({ visibility: 'secret' }), (service) => service.getVisibility('b', 'k')],
    [
      'data.share_expires_at',
      visibilityOf({ share_expires_at: 5 }),
      (service) => service.getVisibility('b', 'k'),
    ],
    [
      'data.url',
      { data: { bucket: 'b', key: 'k', visibility: 'public' } },
      (service) => service.getLink('b', 'k'),
    ],
    ['size', { bucket: 'b', key: 'k', size: 1.5 }, (service) => service.putObject('b', 'k', textBody('x'))],
    ['has_next', { ...PAGE, has_next: 'no' }, (service) => service.listObjects('b', TOP)],
    ['next_page', { ...PAGE, has_next: true }, (service) => service.listObjects('b', TOP)],
    ['next_page', { ...PAGE, has_next: true, next_page: '' }, (service) => service.listObjects('b', TOP)],
    ['next_page', { ...PAGE, has_next: true, next_page: 2 }, (service) => service.listObjects('b', TOP)],
    ['folder', { ...PAGE, folder: undefined }, (service) => service.listObjects('b', TOP)],
    ['objects', { ...PAGE, objects: undefined }, (service) => service.listObjects('b', TOP)],
    ['folders', { ...PAGE, folders: 'a/' }, (service) => service.listObjects('b', TOP)],
  ])('with a wrong %s is malformed, and the field is named', async (field, document, ask) => {
    const { service } = await openClient([replyJson('200 OK', document)]);

    const refusal = await refusalFrom(ask(service));

    expect(refusal.kind).toBe('malformed');
    expect(refusal.message).toContain(`the answer's field ${field}: `);
  });

  it.each<[string, (service: ObjectService) => Promise<unknown>]>([
    ['a removal', (service) => service.deleteObject('b', 'k')],
    ['a new folder', (service) => service.createFolder('b', 'd')],
    ['the removal of a bucket', (service) => service.deleteBucket('b')],
  ])('of HTML is no yes to %s, but that of somebody on the way [errors/table]', async (_what, ask) => {
    const page = reply('200 OK', { 'Content-Type': 'text/html' }, '<html>Log in</html>');
    const { service } = await openClient([page]);

    const refusal = await refusalFrom(ask(service));

    expect(refusal.kind).toBe('malformed');
  });

  it('that is no object at all is malformed', async () => {
    const { service } = await openClient([replyJson('200 OK', [1, 2])]);

    const refusal = await refusalFrom(service.listObjects('b', TOP));

    expect(refusal.message).toContain('listObjects: the answer: ');
  });
});

describe('a listing', () => {
  it('understands null lists, older names and further fields', async () => {
    const { service } = await openClient([
      replyJson('200 OK', {
        bucket: 'b',
        prefix: 'a/b/',
        folders: null,
        objects: null,
        has_next: true,
        next_token: 'T+/=',
        further: 1,
      }),
    ]);

    const page = await service.listObjects('b', { folder: 'a/b' });

    expect(page).toEqual({
      bucket: 'b',
      folder: 'a/b',
      folders: [],
      objects: [],
      skipped: 0,
      nextPage: 'T+/=',
    });
  });

  it('ends when has_next says so, whatever next_page is', async () => {
    const { service } = await openClient([replyJson('200 OK', { ...PAGE, next_page: 'more' })]);

    const page = await service.listObjects('b', TOP);

    expect(page.nextPage).toBeNull();
  });

  it('leaves out and counts odd entries [errors/hostile]', async () => {
    const odd = [
      null,
      'a.txt',
      { ...ENTRY, size: undefined },
      { ...ENTRY, size: -1 },
      { ...ENTRY, size: null },
      { ...ENTRY, size: '5' },
      { ...ENTRY, size: 1.5 },
      { ...ENTRY, key: 5 },
      { ...ENTRY, key: '' },
      { ...ENTRY, key: '\ud800' },
      { ...ENTRY, etag: undefined },
      { ...ENTRY, etag: '""' },
      { ...ENTRY, last_modified: 'yesterday' },
      { ...ENTRY, last_modified: '2026-13-45T00:00:00Z' },
      { ...ENTRY, last_modified: null },
    ];
    const { service } = await openClient([
      replyJson('200 OK', { ...PAGE, folders: ['f/', 7, null, ''], objects: [...odd, ENTRY] }),
    ]);

    const page = await service.listObjects('b', TOP);

    expect(page.folders).toEqual(['f/']);
    expect(page.objects).toEqual([
      { key: 'a.txt', size: 5, etag: 'e', lastModified: new Date('2026-01-02T03:04:05Z') },
    ]);
    expect(page.skipped).toBe(odd.length + 3);
    // Those that have a key.
    expect(page.skippedKeys).toEqual(Array.from({ length: 10 }, () => 'a.txt'));
  });

  it.each(['2026-02-31T00:00:00Z', '2026-02-29 12:00:00+02:00'])(
    'leaves out and counts what was changed on a day that there is not: %s [errors/hostile]',
    async (text) => {
      const objects = [{ ...ENTRY, last_modified: text }];
      const { service } = await openClient([replyJson('200 OK', { ...PAGE, objects })]);

      const page = await service.listObjects('b', TOP);

      expect(page).toMatchObject({ objects: [], skipped: 1, skippedKeys: ['a.txt'] });
    },
  );

  it.each([
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
    ['2026-12-31 23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05.123456+01:00', '2026-01-02T02:04:05.123Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05-0130', '2026-01-02T04:34:05.000Z'],
  ])('reads the timestamp %s', async (text, expected) => {
    const { service } = await openClient([
      replyJson('200 OK', { ...PAGE, objects: [{ ...ENTRY, last_modified: text }] }),
    ]);

    const page = await service.listObjects('b', TOP);

    expect(page.objects[0]?.lastModified.toISOString()).toBe(expected);
  });

  it('of buckets follows has_next too', async () => {
    const document = listOfBuckets({});
    Object.assign(document.data, { buckets: null, has_next: true, next_page: 'N' });
    const { service } = await openClient([replyJson('200 OK', document)]);

    const page = await service.listBuckets();

    expect(page.buckets).toEqual([]);
    expect(page.nextPage).toBe('N');
  });
});

function listOfBuckets(change: Readonly<Record<string, unknown>>): { readonly data: object } {
  const bucket = {
    bucket: 'b',
    public_id: 'id',
    name: 'photos',
    aws_region: 'here',
    status: 'ACTIVE',
    status_message: null,
    size_bytes: 0,
    object_count: 0,
    usage_synced_at: '2026-01-02T03:04:05Z',
    created_at: '2026-01-02T03:04:05Z',
    ...change,
  };
  const summary = {
    used_bytes: 0,
    limit_bytes: null,
    bucket_count: 1,
    bucket_limit: 50,
    max_object_size_bytes: 5,
    create_blocked_reason: null,
  };
  return { data: { buckets: [bucket], summary, has_next: false, next_page: null } };
}

function visibilityOf(change: Readonly<Record<string, unknown>>): unknown {
  return { data: { object_key: 'k', visibility: 'public', url: 'u', ...change } };
}
