/** How do requests and answers look byte for byte, beside the exchanges of test/wire? */
import { describe, expect, it } from 'vitest';
import { bytesOf, startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { basic, exchange, headOf, jsonOf, openSocket, readAnswer } from '../support/raw-client.ts';
import type { RawAnswer, RawRequest } from '../support/raw-client.ts';

function ask(embedded: EmbeddedServer, request: RawRequest): Promise<RawAnswer> {
  const headers = { ...request.headers, Authorization: basic(embedded.credentials) };
  return exchange(embedded.baseUrl, { ...request, headers });
}

describe('the path of a request', () => {
  it.each([
    ['a%2Fb', 'a/b'],
    ['%61%2e%2E', 'a..'],
    ['../b', '../b'],
    ['a/./b', 'a/./b'],
    ['a//b', 'a//b'],
    ['/a', '/a'],
    ['a/', 'a/'],
    ['a+b', 'a+b'],
    ["a;b=c,d:@&$!*'()", "a;b=c,d:@&$!*'()"],
    ['%25%32%30', '%20'],
    ['%F0%9F%99%82', '🙂'],
    ['e%CC%81', 'e\u0301'],
    ['a%00b', 'a\0b'],
  ])('%s is the key %j', async (raw, key) => {
    const embedded = await startEmbeddedServer();
    const { bucket, direct } = embedded;

    const stored = await ask(embedded, { method: 'PUT', path: `/${bucket}/${raw}`, body: 'bytes' });
    const fetched = await ask(embedded, { method: 'GET', path: `/${bucket}/${raw}?unknown=parameter` });

    expect(jsonOf(stored)).toEqual({ bucket, key, size: 5 });
    expect((await bytesOf((await direct.getObject(bucket, key)).body)).toString()).toBe('bytes');
    expect(fetched.body.toString()).toBe('bytes');
  });

  it.each(['%', '%zz', 'a%4', '%ff', '%C3', '%ED%A0%80'])('%s is refused with 400', async (raw) => {
    const embedded = await startEmbeddedServer();
    const { bucket } = embedded;

    const file = await ask(embedded, { method: 'GET', path: `/${bucket}/${raw}` });
    const query = await ask(embedded, { method: 'GET', path: `/buckets/${bucket}/visibility?key=${raw}` });

    expect(file.status).toBe(400);
    expect(jsonOf(file)).toEqual({ error: expect.any(String) as string });
    expect(query.status).toBe(400);
    expect(jsonOf(query)).toEqual({ message: expect.any(String) as string, status: 400 });
  });

  it('is 404 where there is no endpoint and 405 where the endpoint does not know the method', async () => {
    const embedded = await startEmbeddedServer();
    const { bucket } = embedded;

    const statuses = [];
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', `/${bucket}`],
      ['GET', `/buckets/${bucket}/nothing`],
      ['GET', `/buckets/${bucket}/folders/x`],
      ['DELETE', '/buckets'],
      ['PATCH', `/${bucket}/a`],
      ['POST', `/${bucket}/`],
    ] as const)
      statuses.push((await ask(embedded, { method, path })).status);

    expect(statuses).toEqual([404, 404, 404, 404, 405, 405, 405]);
  });
});

describe('an upload', () => {
  it('keeps any Content-Type as it was sent (§4.7)', async () => {
    const embedded = await startEmbeddedServer();
    const { bucket } = embedded;
    for (const type of [
      'text/plain',
      'application/json',
      'no type at all',
      'x/y; a="b c"',
      'multipart/form-data',
    ]) {
      const headers = { 'Content-Type': type };
      await ask(embedded, { method: 'PUT', path: `/${bucket}/a`, body: '{', headers });

      const answer = await ask(embedded, { method: 'HEAD', path: `/${bucket}/a` });

      expect(answer.headers['content-type']).toBe(type);
    }
  });

  it('is refused without Content-Length, chunked or not (§4.7)', async () => {
    const embedded = await startEmbeddedServer();
    const { bucket, direct } = embedded;

    const bare = await ask(embedded, { method: 'PUT', path: `/${bucket}/a` });
    const chunked = await ask(embedded, {
      method: 'PUT',
      path: `/${bucket}/a`,
      headers: { 'Transfer-Encoding': 'chunked' },
    });

    expect(bare.status).toBe(411);
    expect(jsonOf(bare)).toEqual({ error: expect.any(String) as string });
    expect(chunked.status).toBe(411);
    await expect(direct.headObject(bucket, 'a')).rejects.toMatchObject({ kind: 'missing' });
  });

  it('that is cut stores nothing and leaves the old file', async () => {
    const { baseUrl, bucket, direct, credentials, requests } = await startEmbeddedServer();
    await direct.putObject(bucket, 'a', uploadOf('old'));
    const headers = { Authorization: basic(credentials), 'Content-Length': '1000000' };

    const socket = await openSocket(baseUrl);
    socket.write(headOf('PUT', `/${bucket}/a`, headers));
    socket.write(Buffer.alloc(200_000));
    while (requests.count('putObject') === 0) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    const later = await exchange(baseUrl, {
      method: 'PUT',
      path: `/${bucket}/b`,
      body: 'x',
      headers: { Authorization: headers.Authorization },
    });

    expect(later.status).toBe(200);
    expect((await direct.headObject(bucket, 'a')).size).toBe(3);
  });

  it('is not gathered in memory: it is stored while it arrives, and answered when it is whole', async () => {
    const { baseUrl, bucket, direct, credentials } = await startEmbeddedServer();
    const size = 3_000_000;
    const headers = {
      Authorization: basic(credentials),
      'Content-Length': String(size),
      Connection: 'close',
    };

    const socket = await openSocket(baseUrl);
    socket.write(headOf('PUT', `/${bucket}/big`, headers));
    for (let sent = 0; sent < size; sent += 100_000) socket.write(Buffer.alloc(100_000, sent / 100_000));
    const answer = await readAnswer(socket);

    expect(answer.status).toBe(200);
    expect((await direct.headObject(bucket, 'big')).size).toBe(size);
  });
});

describe('a JSON body', () => {
  it.each(['', '{', 'null', '[]', '"text"', '{"name":5}', '{}', '{"name":"\xff'])(
    '%j is refused with 400',
    async (body) => {
      const embedded = await startEmbeddedServer();

      const answer = await ask(embedded, { method: 'POST', path: '/buckets', body });

      expect(answer.status).toBe(400);
      expect(jsonOf(answer)).toEqual({ message: expect.any(String) as string, status: 400 });
    },
  );

  it('may come with any Content-Type, or none', async () => {
    const embedded = await startEmbeddedServer();
    const body = JSON.stringify({ name: 'no-type' });

    const none = await ask(embedded, { method: 'POST', path: '/buckets', body });
    const odd = await ask(embedded, {
      method: 'POST',
      path: '/buckets',
      body: body.replace('no', 'odd'),
      headers: { 'Content-Type': 'text/plain' },
    });

    expect([none.status, odd.status]).toEqual([201, 201]);
  });

  it('must say public or private to Set visibility (§4.13)', async () => {
    const embedded = await startEmbeddedServer();
    const { bucket, direct } = embedded;
    await direct.putObject(bucket, 'a', uploadOf('a'));
    const body = JSON.stringify({ object_key: 'a', visibility: 'secret' });

    const answer = await ask(embedded, { method: 'PUT', path: `/buckets/${bucket}/visibility`, body });

    expect(answer.status).toBe(400);
  });
});

describe('an answer', () => {
  it('keeps the connection for the next request, after HEAD and refusals too', async () => {
    const { baseUrl, bucket, direct, credentials } = await startEmbeddedServer();
    await direct.putObject(bucket, 'a', uploadOf('bytes'));
    const headers = { Authorization: basic(credentials) };
    const socket = await openSocket(baseUrl);

    for (const [method, key] of [
      ['HEAD', 'a'],
      ['HEAD', 'missing'],
      ['GET', 'missing'],
      ['GET', 'a'],
    ] as const)
      socket.write(headOf(method, `/${bucket}/${key}`, headers));
    socket.write(headOf('DELETE', `/${bucket}/a`, { ...headers, Connection: 'close' }));
    const answers = await readAnswer(socket);

    const statuses = `${answers.statusLine}\n${answers.body.toString()}`.match(/HTTP\/1\.1 \d+/g);
    expect(statuses).toEqual(['200', '404', '404', '200', '204'].map((status) => `HTTP/1.1 ${status}`));
  });

  it('has the Date that it is switched to', async () => {
    const now = Date.UTC(2026, 4, 5, 6, 7, 8);
    const clock = { now: () => now } as never;
    const dates = [];
    for (const date of [0, 90, 'missing'] as const) {
      const embedded = await startEmbeddedServer({ clock, behaviours: { date } });
      dates.push((await ask(embedded, { method: 'GET', path: '/buckets' })).headers['date']);
    }

    expect(dates).toEqual(['Tue, 05 May 2026 06:07:08 GMT', 'Tue, 05 May 2026 06:08:38 GMT', undefined]);
  });

  it.each(['bytes=-3', 'bytes=7-', 'bytes=7-9', 'bytes=7-99'])('to Range: %s is the part', async (range) => {
    const embedded = await startEmbeddedServer();
    const { bucket, direct } = embedded;
    await direct.putObject(bucket, 'a', uploadOf('0123456789'));

    const answer = await ask(embedded, { method: 'GET', path: `/${bucket}/a`, headers: { Range: range } });

    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe('bytes 7-9/10');
    expect(answer.body.toString()).toBe('789');
  });

  it('to a range beyond the end is 416 and says the size; to one it cannot read, the whole', async () => {
    const embedded = await startEmbeddedServer();
    const { bucket, direct } = embedded;
    await direct.putObject(bucket, 'a', uploadOf('0123456789'));
    const get = (range: string): Promise<RawAnswer> =>
      ask(embedded, { method: 'GET', path: `/${bucket}/a`, headers: { Range: range } });

    const beyond = await get('bytes=10-12');
    const whole = await get('bytes=0-1,3-4');

    expect(beyond.status).toBe(416);
    expect(beyond.headers['content-range']).toBe('bytes */10');
    expect(whole.status).toBe(200);
    expect(whole.body.toString()).toBe('0123456789');
  });
});
