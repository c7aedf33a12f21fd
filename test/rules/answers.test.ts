/** Is each answer what §4 says, also where pailfs itself does not look? Over a raw connection. */
import { describe, expect, it } from 'vitest';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { basic, exchange, jsonOf, type RawAnswer } from '../support/raw-client.ts';
import { SERVICES } from './scene.ts';

const BYTES = 'twelve bytes';
const TEXT = expect.any(String) as string;

interface Scene extends EmbeddedServer {
  readonly ask: (method: string, path: string, body?: object | string) => Promise<RawAnswer>;
  /** Status and document. */
  readonly told: (method: string, path: string, body?: object | string) => Promise<object>;
}

describe.each(SERVICES)('an answer of %s', (_service, behaviours) => {
  /** With the file `f`. */
  async function open(): Promise<Scene> {
    const server = await startEmbeddedServer({ behaviours });
    await server.direct.putObject(server.bucket, 'f', uploadOf(BYTES, 'image/png'));
    const headers = { Authorization: basic(server.credentials) };
    const ask: Scene['ask'] = (method, path, body) =>
      exchange(server.baseUrl, {
        method,
        path,
        headers,
        body: typeof body === 'object' ? JSON.stringify(body) : body,
      });
    const told: Scene['told'] = async (...asked) => {
      const answer = await ask(...asked);
      return { status: answer.status, document: jsonOf(answer) };
    };
    return { ...server, ask, told };
  }

  it('to who lists buckets says so', async () => {
    const { told } = await open();

    expect(await told('GET', '/buckets')).toMatchObject({
      status: 200,
      document: { message: expect.stringMatching(/fetched/i) as string, status: 200 },
    });
  });

  it('to who creates a bucket is 201 with the bucket', async () => {
    const { told } = await open();

    expect(await told('POST', '/buckets', { name: 'music' })).toMatchObject({
      status: 201,
      document: { message: TEXT, status: 201, data: { name: 'music', bucket: TEXT } },
    });
  });

  it('to who may not create a bucket has a message and the status', async () => {
    const { told } = await open();

    expect(await told('POST', '/buckets', { name: '-' })).toEqual({
      status: 400,
      document: { message: TEXT, status: 400 },
    });
  });

  it('to who deletes a bucket is 200, says so, and has no data', async () => {
    const { told, bucket } = await open();

    expect(await told('DELETE', `/buckets/${bucket}`)).toEqual({
      status: 200,
      document: { message: expect.stringMatching(/deleted/i) as string, status: 200, data: {} },
    });
  });

  it.each(['d', 'd/e'])(
    'to who creates the folder %s is 201, names it with a slash, and has no data',
    async (path) => {
      const { told, bucket } = await open();

      expect(await told('POST', `/buckets/${bucket}/folders`, { folder_path: path })).toEqual({
        status: 201,
        document: { message: expect.stringContaining(` ${path}/ `) as string, status: 201, data: {} },
      });
    },
  );

  it('to who uploads tells bucket, key and size', async () => {
    const { told, bucket } = await open();

    expect(await told('PUT', `/${bucket}/d/new`, BYTES)).toEqual({
      status: 200,
      document: { bucket, key: 'd/new', size: 12 },
    });
  });

  it('to who uploads without a Content-Length is no, and nothing is stored', async () => {
    const { baseUrl, credentials, direct, bucket } = await open();

    const { status } = await exchange(baseUrl, {
      method: 'PUT',
      path: `/${bucket}/new`,
      headers: { Authorization: basic(credentials), 'Transfer-Encoding': 'chunked' },
    });

    expect(Math.floor(status / 100)).toBe(4);
    await expect(direct.headObject(bucket, 'new')).rejects.toMatchObject({ kind: 'missing' });
  });

  it.each([
    ['to who downloads has the header Content-Type', /^image\/png$/],
    ['to who downloads has the header Content-Length', /^12$/],
    ['to who downloads has the header ETag', /^(W\/)?"[^"]+"$/],
    ['to who downloads has the header Last-Modified', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/],
  ])('%s', async (title, pattern) => {
    const { ask, bucket } = await open();

    const { status, headers } = await ask('GET', `/${bucket}/f`);

    expect(status).toBe(200);
    expect(headers[title.split(' ').at(-1)?.toLowerCase() ?? '']).toMatch(pattern);
  });

  it('to who downloads what is not there is 404 with {error}, which says so', async () => {
    const { told, bucket } = await open();

    expect(await told('GET', `/${bucket}/none`)).toEqual({
      status: 404,
      document: { error: expect.stringContaining('does not exist') as string },
    });
  });

  it('to who asks with HEAD has the headers of a download', async () => {
    const { ask, bucket } = await open();
    const names = ['content-type', 'content-length', 'etag', 'last-modified'];
    const told = ({ headers }: RawAnswer): unknown[] => names.map((name) => headers[name]);

    const head = await ask('HEAD', `/${bucket}/f`);

    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(told(head)).toEqual(told(await ask('GET', `/${bucket}/f`)));
  });

  it('to who asks with HEAD has a quoted ETag', async () => {
    const { ask, bucket } = await open();

    expect((await ask('HEAD', `/${bucket}/f`)).headers['etag']).toMatch(/^(W\/)?"[^"]+"$/);
  });

  it('to who deletes a file is 204 without a body', async () => {
    const { ask, bucket } = await open();

    expect(await ask('DELETE', `/${bucket}/f`)).toMatchObject({ status: 204, body: Buffer.alloc(0) });
  });

  it('to who deletes what is gone is the same', async () => {
    const { ask, bucket } = await open();
    await ask('DELETE', `/${bucket}/f`);

    expect(await ask('DELETE', `/${bucket}/f`)).toMatchObject({ status: 204, body: Buffer.alloc(0) });
  });

  it('to who lists files tells the bucket', async () => {
    const { told, bucket } = await open();

    expect(await told('GET', `/${bucket}/`)).toMatchObject({ document: { bucket } });
  });

  it.each(['d', 'd/e'])('to who lists the folder %s tells which it is', async (folder) => {
    const { told, bucket, direct } = await open();
    await direct.createFolder(bucket, 'd/e');

    expect(await told('GET', `/${bucket}/?folder=${folder}`)).toMatchObject({ document: { folder } });
  });

  it('to who lists the last page has no bookmark', async () => {
    const { direct, bucket, told } = await open();
    let page: string | null | undefined;
    let last: object = {};
    while (page !== null) {
      last = await told(
        'GET',
        `/${bucket}/?limit=1${page === undefined ? '' : `&page=${encodeURIComponent(page)}`}`,
      );
      page = (
        await direct.listObjects(bucket, { folder: '', limit: 1, ...(page === undefined ? {} : { page }) })
      ).nextPage;
    }

    expect(last).toMatchObject({ document: { has_next: false, next_page: null } });
  });

  it('to who asks for a visibility names the file', async () => {
    const { told, bucket } = await open();

    expect(await told('GET', `/buckets/${bucket}/visibility?key=f`)).toMatchObject({
      document: { message: TEXT, status: 200, data: { object_key: 'f' } },
    });
  });

  it.each(['public', 'private'])('to who makes a file %s names the file', async (visibility) => {
    const { told, bucket } = await open();

    expect(await told('PUT', `/buckets/${bucket}/visibility`, { object_key: 'f', visibility })).toMatchObject(
      { document: { message: TEXT, status: 200, data: { object_key: 'f', visibility } } },
    );
  });

  it('to who asks for a link names bucket, file and visibility', async () => {
    const { told, bucket } = await open();

    expect(await told('POST', `/buckets/${bucket}/url`, { object_key: 'f' })).toMatchObject({
      document: { message: TEXT, status: 200, data: { bucket, key: 'f', visibility: 'private' } },
    });
  });

  it('to who asks for a link of a public file has no end', async () => {
    const { told, bucket, direct } = await open();
    await direct.setVisibility(bucket, 'f', 'public');

    expect(await told('POST', `/buckets/${bucket}/url`, { object_key: 'f' })).toMatchObject({
      document: { data: { visibility: 'public', expires_at: null } },
    });
  });

  it('to who asks for a link of a private file has an end, with its offset', async () => {
    const { told, bucket } = await open();

    expect(await told('POST', `/buckets/${bucket}/url`, { object_key: 'f' })).toMatchObject({
      document: { data: { expires_at: expect.stringMatching(/^\d{4}-\S+[+-]\d\d:\d\d$/) as string } },
    });
  });

  it('to who asks for a link of what is not there is 400 with {message}, which says so', async () => {
    const { told, bucket } = await open();

    expect(await told('POST', `/buckets/${bucket}/url`, { object_key: 'none' })).toEqual({
      status: 400,
      document: { message: expect.stringContaining('does not exist') as string },
    });
  });
});
