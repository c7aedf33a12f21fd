/** Who is let in, and how are others told? (§5, §7) */
import { describe, expect, it } from 'vitest';
import { STRANGER, startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { basic, exchange, jsonOf } from '../support/raw-client.ts';

describe('the server', () => {
  it.each([
    ['no credentials', undefined],
    ['a wrong secret', basic({ accessKeyId: 'TESTKEY', secretAccessKey: 'wrong' })],
    ['an unknown key', basic({ accessKeyId: 'NOBODY', secretAccessKey: 'test:secret' })],
    ['another scheme', 'Bearer TESTKEY'],
    ['nonsense', 'Basic'],
  ])('answers %s with 401 in the format of the endpoint asked', async (_what, authorization) => {
    const { baseUrl, bucket } = await startEmbeddedServer();
    const headers = authorization === undefined ? {} : { Authorization: authorization };

    const management = await exchange(baseUrl, { method: 'GET', path: `/buckets/${bucket}`, headers });
    const file = await exchange(baseUrl, { method: 'GET', path: `/${bucket}/a`, headers });

    expect(management.status).toBe(401);
    expect(management.headers['www-authenticate']).toMatch(/^Basic /);
    expect(jsonOf(management)).toEqual({ message: expect.any(String) as string, status: 401 });
    expect(file.status).toBe(401);
    expect(jsonOf(file)).toEqual({ error: expect.any(String) as string });
  });

  it('lets a read-only credential do all that reads, a link included, and nothing that writes (§4, §4.14)', async () => {
    const { baseUrl, bucket, direct, readOnlyCredentials } = await startEmbeddedServer();
    await direct.putObject(bucket, 'a', uploadOf('bytes'));
    const ask = async (method: string, path: string, body?: object): Promise<number> => {
      const headers = { Authorization: basic(readOnlyCredentials) };
      const text = body === undefined ? undefined : JSON.stringify(body);
      return (await exchange(baseUrl, { method, path, headers, body: text })).status;
    };

    expect(await ask('GET', '/buckets')).toBe(200);
    expect(await ask('GET', `/buckets/${bucket}`)).toBe(200);
    expect(await ask('GET', `/${bucket}/`)).toBe(200);
    expect(await ask('GET', `/${bucket}/a`)).toBe(200);
    expect(await ask('HEAD', `/${bucket}/a`)).toBe(200);
    expect(await ask('GET', `/buckets/${bucket}/visibility?key=a`)).toBe(200);
    expect(await ask('POST', `/buckets/${bucket}/url`, { object_key: 'a' })).toBe(200);

    expect(await ask('POST', '/buckets', { name: 'new' })).toBe(403);
    expect(await ask('DELETE', `/buckets/${bucket}`)).toBe(403);
    expect(await ask('POST', `/buckets/${bucket}/folders`, { folder_path: 'x' })).toBe(403);
    expect(await ask('PUT', `/buckets/${bucket}/visibility`, { object_key: 'a', visibility: 'public' })).toBe(
      403,
    );
    expect(await ask('PUT', `/${bucket}/a`, {})).toBe(403);
    expect(await ask('DELETE', `/${bucket}/a`)).toBe(403);
    expect((await direct.getVisibility(bucket, 'a')).visibility).toBe('private');
    expect((await direct.headObject(bucket, 'a')).size).toBe(5);
  });

  it('tells the credential of another account that a bucket does not exist (§4.4)', async () => {
    const { baseUrl, bucket } = await startEmbeddedServer();
    const headers = { Authorization: basic(STRANGER) };

    const answer = await exchange(baseUrl, { method: 'GET', path: `/buckets/${bucket}`, headers });

    expect(answer.status).toBe(404);
    expect(jsonOf(answer)).toMatchObject({ status: 404 });
  });
});
