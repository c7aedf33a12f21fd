/** Are the bytes of a file let go when nobody reads them? Otherwise each such request leaves a file open. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { systemClock } from '../../src/base/clock.ts';
import { defaultBehaviours } from '../../src/server/behaviours.ts';
import { FaultPlan } from '../../src/server/faults.ts';
import { httpFront, type FrontParts } from '../../src/server/http-front.ts';
import { RequestLimit } from '../../src/server/request-limit.ts';
import { RequestLog } from '../../src/server/request-log.ts';
import { startServer } from '../../src/server/start-server.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { basic, exchange } from '../support/raw-client.ts';

interface WatchedBody extends AsyncIterable<Uint8Array> {
  closed: boolean;
}

function watchedBody(): WatchedBody {
  const body: WatchedBody = {
    closed: false,
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: Buffer.from('x') }),
      return: () => {
        body.closed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return body;
}

describe('the bytes of a file', () => {
  it('are let go after HEAD of a link', async () => {
    const { direct } = await openEmbeddedService();
    const body = watchedBody();
    const parts: FrontParts = {
      serviceFor: () => direct,
      credentials: [],
      behaviours: defaultBehaviours,
      limit: new RequestLimit(null, systemClock),
      clock: systemClock,
      log: silentLog,
      requests: new RequestLog(),
      faults: new FaultPlan(),
      answerLink: () => Promise.resolve({ status: 200, headers: { 'content-length': '1' }, body }),
    };
    const app = httpFront(parts);
    onTestFinished(() => app.close());

    const answer = await app.inject({ method: 'HEAD', url: '/public/b/k' });

    expect(answer.statusCode).toBe(200);
    expect(body.closed).toBe(true);
  });

  it('are let go when their answer is lost', async () => {
    const { direct, bucket } = await openEmbeddedService();
    await direct.putObject(bucket, 'k', uploadOf('x'));
    const body = watchedBody();
    const source = new InterceptedService(direct, async (_call, proceed) => ({ ...(await proceed()), body }));
    const server = await startServer({ source });
    onTestFinished(() => server.close());
    server.faults.add({ fault: { kind: 'lost-answer' } });

    const headers = { Authorization: basic(server.credentials) };
    const lost = exchange(server.baseUrl, { method: 'GET', path: `/${bucket}/k`, headers });

    await expect(lost).rejects.toThrow();
    expect(body.closed).toBe(true);
  });
});
