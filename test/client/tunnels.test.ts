/** What is a request told where the proxy before the service opens no tunnel, while a mount goes on? */
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { HttpService } from '../../src/client/http-service.ts';
import type { HttpServiceOptions } from '../../src/client/open-exchange.ts';
import { isOfUnknownEnd } from '../../src/service/refusal.ts';
import { Authority } from '../support/certificates.ts';
import { ConnectProxy } from '../support/connect-proxy.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { CREDENTIALS, refusalFrom, textBody, until } from './open-client.ts';

function openThrough(proxy: string, options: Partial<HttpServiceOptions> = {}): HttpService {
  const service = HttpService.open({
    baseUrl: 'https://storage.example.com',
    credentials: CREDENTIALS,
    proxy,
    clock: new ManualClock(),
    log: silentLog,
    random: () => 0,
    ...options,
  });
  onTestFinished(() => service.close());
  return service;
}

it.each([
  [407, 1],
  [503, 6],
])('it answers %d: nothing was sent to the service, and it is asked %d times', async (status, tries) => {
  const proxy = await ConnectProxy.open();
  proxy.refusal = status;

  const clock = new ManualClock();
  const service = openThrough(proxy.address, { clock });
  const refusal = await refusalFrom(service.putObject('b', 'k', textBody('bytes')));

  expect(refusal).toMatchObject({
    kind: 'unavailable',
    reason: `no answer from the service (the proxy 127.0.0.1:${proxy.port} answered ${status})`,
  });
  expect(isOfUnknownEnd(refusal)).toBe(false);
  expect(proxy.asked).toHaveLength(tries);
  expect(clock.pendingTimers).toBe(0);
  await expect.poll(() => proxy.open).toBe(0);
});

it('it is silent: the time for a connection ends', async () => {
  const proxy = await ConnectProxy.open();
  proxy.refusal = 'silence';

  const clock = new ManualClock();
  const service = openThrough(proxy.address, { clock, retry: { retries: 0 } });
  const refused = refusalFrom(service.headObject('b', 'k'));
  await until(() => proxy.asked.length > 0);
  clock.advance(5_000);
  const refusal = await refused;

  expect(refusal).toMatchObject({ kind: 'timeout', reason: 'no connection to the service in time' });
});

it('it is not whom its certificate should prove: it is told nothing', async () => {
  const authority = await Authority.make();
  const proxy = await ConnectProxy.open(await authority.issue('proxy', 'IP:127.0.0.1'));
  const address = `https://me:hush@127.0.0.1:${proxy.port}`;

  const refusal = await refusalFrom(openThrough(address).headObject('b', 'k'));

  expect(refusal.reason).toMatch(
    /^no answer from the service \(the proxy 127.0.0.1:\d+ gives no connection \(.*/,
  );
  expect(refusal.reason).not.toContain('hush');
  expect(proxy.asked).toEqual([]);
});
