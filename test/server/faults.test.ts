/** Do requests go wrong as asked for, over HTTP and in process alike? */
import { describe, expect, it } from 'vitest';
import { bytesOf, openEmbeddedService, startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { basic, exchange, headOf, jsonOf, openSocket, type RawAnswer } from '../support/raw-client.ts';
import type { Fault, FaultRule } from '../../src/server/faults.ts';

describe('a fault asked of the server', () => {
  it('hits the requests that match, after those to skip and as often as said, and no others', async () => {
    const { get, faults } = await openFaulty();
    faults.add({
      operation: 'getObject',
      key: 'a',
      skip: 1,
      times: 2,
      fault: { kind: 'status', status: 503 },
    });
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 500 } });
    faults.add({ key: /^b/, fault: { kind: 'status', status: 429, retryAfter: 7 } });

    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await get('a')).status);
    const other = await get('b');

    expect(statuses).toEqual([200, 503, 503, 200]);
    expect(other.status).toBe(429);
    expect(other.headers['retry-after']).toBe('7');
    expect(jsonOf(other)).toHaveProperty('error');
    expect(faults.left).toBe(1);
  });

  it('resets the connection before anything is done', async () => {
    const { put, head, faults } = await openFaulty();
    faults.add({ fault: { kind: 'reset' } });

    await expect(put('new')).rejects.toThrow('ended before an answer');
    expect((await head('new')).status).toBe(404);
  });

  it.each([1, 1_000_000])(
    'resets it after %d bytes of the body, or at its end, and does nothing',
    async (afterBytes) => {
      const { put, head, faults } = await openFaulty();
      faults.add({ fault: { kind: 'reset', afterBytes } });

      await expect(put('new')).rejects.toThrow('ended before an answer');
      expect((await head('new')).status).toBe(404);
      expect(faults.left).toBe(0);
    },
  );

  it('loses the answer of what was done', async () => {
    const { put, head, faults } = await openFaulty();
    faults.add({ fault: { kind: 'lost-answer' } });

    await expect(put('new')).rejects.toThrow('ended before an answer');
    expect((await head('new')).status).toBe(200);
  });

  it.each([0, 3, 100_000])('cuts a body after %d bytes', async (afterBytes) => {
    const { get, faults } = await openFaulty();
    faults.add({ fault: { kind: 'cut', afterBytes } });

    const answer = await get('long');

    expect(answer.status).toBe(200);
    expect(answer.isCut).toBe(true);
    expect(answer.body).toHaveLength(afterBytes);
  });

  it('cuts a JSON document, or spoils it with a fitting length', async () => {
    const { get, faults } = await openFaulty();
    faults.add({ fault: { kind: 'cut', afterBytes: 5 } });
    faults.add({ skip: 0, fault: { kind: 'corrupt-json' } });

    const cut = await get('');
    const corrupt = await get('');

    expect(cut.body).toHaveLength(5);
    expect(cut.isCut).toBe(true);
    expect(corrupt.isCut).toBe(false);
    expect(() => jsonOf(corrupt)).toThrow();
  });

  it('stalls before the headers, until the client has enough', async () => {
    const { baseUrl, path, authorization, faults, get } = await openFaulty();
    faults.add({ fault: { kind: 'stall' } });
    const socket = await openSocket(baseUrl);
    let received = 0;
    socket.on('data', (piece) => (received += piece.length));
    socket.write(headOf('GET', path('long'), { Authorization: authorization }));
    while (faults.left > 0) await new Promise((resolve) => setImmediate(resolve));
    // Other whole exchanges: whatever the stalled one would have sent was sent by then.
    for (let turn = 0; turn < 5; turn += 1) expect((await get('a')).status).toBe(200);

    expect(received).toBe(0);
    socket.destroy();
  });

  it('stalls in the body after the bytes it was told', async () => {
    const { baseUrl, path, authorization, faults, get } = await openFaulty();
    faults.add({ fault: { kind: 'stall', afterBytes: 2 } });
    const socket = await openSocket(baseUrl);
    let text = '';
    socket.on('data', (piece) => (text += piece.toString()));
    socket.write(headOf('GET', path('long'), { Authorization: authorization }));
    while (!text.includes('\r\n\r\nxx')) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 5; turn += 1) expect((await get('a')).status).toBe(200);

    expect(text.split('\r\n\r\n').at(-1)).toBe('xx');
    socket.destroy();
  });

  it('shows another ETag than the right one', async () => {
    const { head, faults } = await openFaulty();
    faults.add({ times: 1, fault: { kind: 'changed-etag', etag: '"other"' } });

    const [first, second] = [await head('a'), await head('a')];

    expect(first.headers['etag']).toBe('"other"');
    expect(second.headers['etag']).not.toBe('"other"');
  });

  it('waits by the clock given', async () => {
    const { get, faults } = await openFaulty();
    faults.add({ fault: { kind: 'delay', milliseconds: 1 } });

    expect((await get('a')).status).toBe(200);
  });
});

describe('the request log', () => {
  it('names each request with its key or folder, refused ones included', async () => {
    const { server, bucket, baseUrl } = await startEmbeddedServer();
    const headers = { Authorization: basic(server.credentials) };
    const body = JSON.stringify({ object_key: 'a', visibility: 'public', folder_path: 'x/y' });

    await exchange(baseUrl, { method: 'PUT', path: `/${bucket}/a%20b`, body: 'x', headers });
    await exchange(baseUrl, { method: 'GET', path: `/${bucket}/?folder=f`, headers });
    await exchange(baseUrl, { method: 'POST', path: `/buckets/${bucket}/folders`, body, headers });
    await exchange(baseUrl, { method: 'PUT', path: `/buckets/${bucket}/visibility`, body, headers });
    await exchange(baseUrl, { method: 'GET', path: `/buckets/${bucket}/visibility?key=a`, headers });
    await exchange(baseUrl, { method: 'HEAD', path: `/${bucket}/none` });

    expect(server.requests.all).toEqual([
      { operation: 'putObject', bucket, key: 'a b' },
      { operation: 'listObjects', bucket, folder: 'f' },
      { operation: 'createFolder', bucket, folder: 'x/y' },
      { operation: 'setVisibility', bucket, key: 'a' },
      { operation: 'getVisibility', bucket, key: 'a' },
      { operation: 'headObject', bucket, key: 'none' },
    ]);
    expect(server.requests.count('putObject')).toBe(1);
    server.requests.reset();
    expect(server.requests.count()).toBe(0);
  });
});

describe('a fault asked of the service in process', () => {
  it.each<[Fault, string]>([
    [{ kind: 'status', status: 503, retryAfter: 2 }, 'unavailable'],
    [{ kind: 'status', status: 402 }, 'paused'],
    [{ kind: 'status', status: 413 }, 'too-large'],
    [{ kind: 'status', status: 418 }, 'rejected'],
    [{ kind: 'status', status: 404 }, 'missing'],
    [{ kind: 'status', status: 404, isPage: true }, 'unavailable'],
    [{ kind: 'reset' }, 'unavailable'],
    [{ kind: 'stall' }, 'timeout'],
    [{ kind: 'corrupt-json' }, 'malformed'],
    [{ kind: 'lost-answer' }, 'unavailable'],
  ])('%j is the refusal %s', async (fault, kind) => {
    const { service, direct, bucket, faults, requests } = await openEmbeddedService();
    faults.add({ operation: 'putObject', key: 'a', fault });

    await expect(service.putObject(bucket, 'a', uploadOf('x'))).rejects.toMatchObject({ kind });

    const isDone = fault.kind === 'lost-answer' || fault.kind === 'corrupt-json';
    expect((await direct.listObjects(bucket, { folder: '' })).objects).toHaveLength(isDone ? 1 : 0);
    expect(requests.operations).toEqual(['putObject']);
  });

  it('cuts a download short and changes an ETag', async () => {
    const { service, direct, bucket, faults } = await openEmbeddedService();
    await direct.putObject(bucket, 'a', uploadOf('0123456789'));
    faults.add({ operation: 'getObject', fault: { kind: 'cut', afterBytes: 4 } });
    faults.add({ operation: 'headObject', fault: { kind: 'changed-etag', etag: 'other' } });

    const { body } = await service.getObject(bucket, 'a');

    await expect(bytesOf(body)).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await service.headObject(bucket, 'a')).etag).toBe('other');
  });
});

interface Faulty {
  readonly baseUrl: string;
  readonly authorization: string;
  readonly path: (key: string) => string;
  readonly faults: { add(rule: FaultRule): void; readonly left: number };
  readonly get: (key: string) => Promise<RawAnswer>;
  readonly head: (key: string) => Promise<RawAnswer>;
  readonly put: (key: string) => Promise<RawAnswer>;
}

/** A server with the files `a`, `b` and `long`. */
async function openFaulty(): Promise<Faulty> {
  const { baseUrl, bucket, direct, credentials, faults } = await startEmbeddedServer();
  await direct.putObject(bucket, 'a', uploadOf('a'));
  await direct.putObject(bucket, 'b', uploadOf('b'));
  await direct.putObject(bucket, 'long', uploadOf('x'.repeat(200_000)));
  const authorization = basic(credentials);
  const path = (key: string): string => `/${bucket}/${key}`;
  const ask = (method: string, key: string, body?: string): Promise<RawAnswer> =>
    exchange(baseUrl, { method, path: path(key), headers: { Authorization: authorization }, body });
  return {
    baseUrl,
    authorization,
    path,
    faults,
    get: (key) => ask('GET', key),
    head: (key) => ask('HEAD', key),
    put: (key) => ask('PUT', key, 'new bytes'),
  };
}
