/** What is counted of the requests, for a person who looks at a mount? */
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { HttpService } from '../../src/client/http-service.ts';
import { Traffic } from '../../src/client/traffic.ts';
import { bytesOf, startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';

async function clientOf(): Promise<{ readonly server: EmbeddedServer; readonly service: HttpService }> {
  const server = await startEmbeddedServer();
  const { baseUrl, credentials } = server;
  const service = HttpService.open({ baseUrl, credentials, log: silentLog, retry: { retries: 0 } });
  onTestFinished(() => service.close());
  return { server, service };
}

describe('the traffic of a client', () => {
  it('is its tries and the bytes of their bodies', async () => {
    const { server, service } = await clientOf();
    const { bucket } = server;

    await service.putObject(bucket, 'small', uploadOf(Buffer.alloc(1000)));
    await service.putObject(bucket, 'large', uploadOf(Buffer.alloc(300_000)));
    const before = service.traffic.facts();
    await bytesOf((await service.getObject(bucket, 'large')).body);
    const facts = service.traffic.facts();

    expect(before.bytesSent).toBe(301_000);
    expect(facts.bytesReceived - before.bytesReceived).toBe(300_000);
    expect(facts).toMatchObject({ requests: 3, failed: 0, offlineSince: null });
    expect(facts.perSecond.requests).toBeGreaterThan(0);
  });

  it('has failures, but not that something is missing', async () => {
    const { server, service } = await clientOf();
    server.faults.add({ operation: 'headObject', fault: { kind: 'status', status: 503 } });

    await expect(service.headObject(server.bucket, 'f')).rejects.toThrow('503');
    await expect(service.headObject(server.bucket, 'f')).rejects.toThrow();

    expect(service.traffic.facts()).toMatchObject({ requests: 2, failed: 1, offlineSince: null });
  });

  it('says since when the service has not answered, until it does again', async () => {
    const { server, service } = await clientOf();
    server.faults.add({ operation: 'listObjects', times: 2, fault: { kind: 'reset' } });

    await expect(service.listObjects(server.bucket, { folder: '' })).rejects.toThrow();
    const first = service.traffic.facts().offlineSince;
    await expect(service.listObjects(server.bucket, { folder: '' })).rejects.toThrow();
    const second = service.traffic.facts().offlineSince;
    await service.listObjects(server.bucket, { folder: '' });

    expect(first).toBeInstanceOf(Date);
    expect(second).toEqual(first);
    expect(service.traffic.facts()).toMatchObject({ failed: 2, offlineSince: null });
  });

  it('says since when nothing has come while requests wait for an answer', async () => {
    const { server, service } = await clientOf();
    server.faults.add({ operation: 'headObject', fault: { kind: 'stall' } });
    const given = new AbortController();
    const before = new Date();

    const asked = service.headObject(server.bucket, 'f', { signal: given.signal }).catch(() => undefined);
    await expect.poll(() => service.traffic.facts().silentSince).not.toBeNull();
    const silentSince = service.traffic.facts().silentSince ?? new Date(0);
    given.abort();
    await asked;

    expect(silentSince.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(service.traffic.facts().silentSince).toBeNull();
  });

  it('has not been silent since before the request, where the clock tells no part of a millisecond', () => {
    let at = 0.2;
    const clock = Object.assign(new ManualClock(), { now: () => 1000 + Math.floor(at), monotonic: () => at });
    const traffic = new Traffic(clock);
    traffic.asked();

    at = 0.9;

    expect(traffic.facts().silentSince?.getTime()).toBe(1000);
  });

  it('is not silent while anything comes or goes', () => {
    const clock = new ManualClock(0);
    const traffic = new Traffic(clock);
    const silentAt = (): number | undefined => traffic.facts().silentSince?.getTime();
    const signs = [
      () => {
        traffic.sent(1);
      },
      () => {
        traffic.received(1);
      },
      () => {
        traffic.asked();
        traffic.answered();
        traffic.waited();
      },
    ];
    traffic.asked();

    const seen = signs.map((sign) => {
      clock.advance(1000);
      const before = silentAt();
      sign();
      return [before, silentAt()];
    });

    expect(seen).toEqual([
      [0, 1000],
      [1000, 2000],
      [2000, 3000],
    ]);
  });

  it('has not been silent for a day when somebody sets the clock', () => {
    const clock = new ManualClock();
    const traffic = new Traffic(clock);
    traffic.asked();
    clock.advance(3000);

    const silentFor = [24, -48].map((hours) => {
      clock.sleepThrough(hours * 3_600_000);
      return clock.now() - (traffic.facts().silentSince?.getTime() ?? 0);
    });

    expect(silentFor).toEqual([3000, 3000]);
  });
});
