import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBucket, mayWrite } from '../../src/cli/connecting/connect.ts';
import { checkReachable } from '../../src/cli/connecting/reachable.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { Bucket } from '../../src/service/records.ts';
import type { RefusalKind } from '../../src/service/refusal.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { openEmbeddedService } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';

const NEVER = new AbortController().signal;

function find(service: ObjectService, wanted: string): Promise<Bucket> {
  return findBucket({ service, wanted, baseUrl: 'https://storage.example.com', signal: NEVER });
}

/** `service` with another answer to one question. */
function altered(service: ObjectService, change: Partial<ObjectService>): ObjectService {
  return new Proxy(service, {
    get: (target, name) => {
      const changed = change[name as keyof ObjectService];
      if (changed !== undefined) return changed;
      return target[name as keyof ObjectService].bind(target);
    },
  });
}

describe('the bucket that is meant', () => {
  it('is found by name or identifier on whichever page it is', async () => {
    const { direct, bucket } = await openEmbeddedService({ behaviours: { pages: 'nasty' } });
    for (let n = 0; n < 30; n += 1) await direct.createBucket(`bucket-${n}`);
    const onePerPage = altered(direct, {
      listBuckets: (query) => direct.listBuckets({ ...query, limit: 1 }),
    });

    expect((await find(onePerPage, 'bucket-29')).name).toBe('bucket-29');
    expect((await find(onePerPage, bucket)).name).toBe('photos');
  });

  it('is the one with that identifier, even if another has it as its name', async () => {
    const { direct } = await openEmbeddedService();
    const page = await direct.listBuckets();
    const [photos] = page.buckets;
    if (photos === undefined) throw new Error('no bucket');
    const impostor = { ...photos, bucket: 'other', name: photos.bucket };
    const service = altered(direct, {
      listBuckets: () => Promise.resolve({ ...page, buckets: [impostor, photos] }),
    });

    expect(await find(service, photos.bucket)).toBe(photos);
  });

  it('is not looked for without end', async () => {
    const { direct } = await openEmbeddedService();
    const page = await direct.listBuckets();
    const service = altered(direct, {
      listBuckets: () => Promise.resolve({ ...page, buckets: [], nextPage: 'again' }),
    });

    await expect(find(service, 'photos')).rejects.toThrow('lists buckets without end: check --base-url');
  });

  it.each<[RefusalKind, string]>([
    [
      'denied',
      'refuses the credentials (401): check PAILFS_ACCESS_KEY_ID and PAILFS_SECRET_ACCESS_KEY, the config file, or what the credentials file or command gives',
    ],
    ['missing', 'not like an object storage service (status 401): check --base-url'],
    ['malformed', 'not like an object storage service (status 401): check --base-url'],
    ['timeout', 'does not answer in time: check the network'],
    ['unavailable', 'is not available (why): try again later'],
  ])('is explained when the answer is %s', async (kind, complaint) => {
    const { direct } = await openEmbeddedService();
    const refusal = new Refusal(kind, 'why', { operation: 'listBuckets', status: 401 });
    const service = altered(direct, { listBuckets: () => Promise.reject(refusal) });

    await expect(find(service, 'photos')).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(complaint) as string,
    });
  });
});

describe('a service that is asked before the mount', () => {
  it('is there, though the process was stopped while it connected', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const clock = new ManualClock();

    const reached = checkReachable({ baseUrl: `http://127.0.0.1:${port}`, proxy: undefined }, clock);
    clock.standStill(60_000);

    await expect(reached).resolves.toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('has half a minute to answer, of time in which the process could run', async () => {
    const { direct } = await openEmbeddedService();
    const clock = new ManualClock();
    const late = new Refusal('aborted', 'why', { operation: 'listBuckets' });
    const given: AbortSignal[] = [];
    const listBuckets: ObjectService['listBuckets'] = (query) =>
      new Promise((_resolve, reject) => {
        const signal = query?.signal ?? NEVER;
        given.push(signal);
        signal.addEventListener('abort', () => {
          reject(late);
        });
      });
    const silent = altered(direct, { listBuckets });

    const found = findBucket({
      service: silent,
      wanted: 'photos',
      baseUrl: 'https://storage.example.com',
      clock,
    });
    clock.standStill(60_000);
    const whenItWoke = given.map(({ aborted }) => aborted);
    clock.advance(30_000);

    await expect(found).rejects.toThrow('does not answer in time');
    expect([whenItWoke, clock.pendingTimers]).toEqual([[false], 0]);
  });
});

describe('asking whether a credential may write', () => {
  it('changes nothing in the bucket', async () => {
    const { direct, bucket, service, requests } = await openEmbeddedService();
    const record = await direct.getBucket(bucket);

    expect(await mayWrite(service, record, NEVER)).toBe(true);

    expect(requests.operations).toEqual(['deleteObject']);
    expect((await direct.listObjects(bucket, { folder: '' })).objects).toEqual([]);
  });

  it.each<[RefusalKind, boolean]>([
    ['denied', false],
    ['unavailable', true],
    ['rejected', true],
  ])('takes %s as %s', async (kind, answer) => {
    const { direct, bucket } = await openEmbeddedService();
    const refusal = new Refusal(kind, 'why', { operation: 'deleteObject' });
    const service = altered(direct, { deleteObject: () => Promise.reject(refusal) });

    expect(await mayWrite(service, await direct.getBucket(bucket), NEVER)).toBe(answer);
  });
});
