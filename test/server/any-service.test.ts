/** Does the front serve any service, and say each kind of refusal in HTTP? (§7) */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmbeddedService, startServer } from '../../src/server/start-server.ts';
import { Refusal, type RefusalKind } from '../../src/service/refusal.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { basic, exchange, jsonOf } from '../support/raw-client.ts';

const STATUSES: readonly [RefusalKind, number][] = [
  ['missing', 404],
  ['denied', 403],
  ['paused', 402],
  ['too-large', 413],
  ['no-space', 507],
  ['stale-bookmark', 400],
  ['rejected', 400],
  ['unavailable', 503],
  ['timeout', 504],
  ['malformed', 502],
  ['aborted', 503],
];

describe('the front over a service that is no store', () => {
  it('answers as that service does, and has no links of its own', async () => {
    const { service, direct, bucket, requests } = await openEmbeddedService();
    await direct.putObject(bucket, 'a', uploadOf('bytes'));
    await direct.setVisibility(bucket, 'a', 'public');
    const server = await startServer({ source: service });
    onTestFinished(() => server.close());
    const headers = { Authorization: basic(server.credentials) };

    const file = await exchange(server.baseUrl, { method: 'GET', path: `/${bucket}/a`, headers });
    const link = await exchange(server.baseUrl, { method: 'GET', path: `/public/${bucket}/a` });

    expect(file.body.toString()).toBe('bytes');
    expect(link.status).toBe(404);
    expect(requests.operations).toEqual(['getObject']);
  });

  it.each(STATUSES)('says %s with %d', async (kind, status) => {
    const { direct } = await openEmbeddedService();
    const refusing = new InterceptedService(direct, ({ operation }) =>
      Promise.reject(new Refusal(kind, 'because', { operation, retryAfter: 1500 })),
    );
    const server = await startServer({ source: refusing });
    onTestFinished(() => server.close());
    const headers = { Authorization: basic(server.credentials) };

    const file = await exchange(server.baseUrl, { method: 'GET', path: '/b/a', headers });
    const management = await exchange(server.baseUrl, { method: 'GET', path: '/buckets/b', headers });

    expect([file.status, management.status]).toEqual([status, status]);
    expect(file.headers['retry-after']).toBe('2');
    expect(jsonOf(file)).toEqual({ error: expect.any(String) as string });
    expect(jsonOf(management)).toEqual({ message: expect.any(String) as string, status });
  });

  it('says 500 and no more of what is no refusal', async () => {
    const { direct } = await openEmbeddedService();
    const broken = new InterceptedService(direct, () => Promise.reject(new Error('secret detail')));
    const server = await startServer({ source: broken });
    onTestFinished(() => server.close());
    const headers = { Authorization: basic(server.credentials) };

    const answer = await exchange(server.baseUrl, { method: 'GET', path: '/b/a', headers });

    expect(answer.status).toBe(500);
    expect(answer.body.toString()).not.toContain('secret');
  });

  it('lets links begin with another host', async () => {
    const { store, direct, bucket } = await openEmbeddedService();
    await direct.putObject(bucket, 'a', uploadOf('bytes'));
    const server = await startServer({ source: store, publicLinksHost: 'https://links.example' });
    onTestFinished(() => server.close());

    const { url } = await direct.setVisibility(bucket, 'a', 'public');

    expect(url).toBe(`https://links.example/public/${bucket}/a`);
  });

  it('keeps no more requests than it is to, however many there are', async () => {
    const { direct } = await openEmbeddedService();
    const server = await startServer({ source: direct, requestsKept: 1 });
    onTestFinished(() => server.close());
    const headers = { Authorization: basic(server.credentials) };

    for (const path of ['/buckets', '/buckets/none'])
      await exchange(server.baseUrl, { method: 'GET', path, headers });

    expect(server.requests.operations).toEqual(['listBuckets']);
  });

  it('is refused an address that is in use', async () => {
    const { direct } = await openEmbeddedService();
    const server = await startServer({ source: direct });
    onTestFinished(() => server.close());
    const port = Number(new URL(server.baseUrl).port);

    await expect(startServer({ source: direct, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(startEmbeddedService({ directory: null, port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
