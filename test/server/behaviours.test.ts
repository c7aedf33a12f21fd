/** Do switches show on the wire where the port hides them? */
import { describe, expect, it } from 'vitest';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { basic, exchange, jsonOf } from '../support/raw-client.ts';

const MD5_OF_A = '0cc175b9c0f1b6a831c399e269772661';

describe('the wire', () => {
  it.each([
    ['bare', MD5_OF_A, `"${MD5_OF_A}"`],
    ['quoted', `"${MD5_OF_A}"`, `"${MD5_OF_A}"`],
    ['weak', `W/"${MD5_OF_A}"`, `W/"${MD5_OF_A}"`],
  ] as const)('has %s ETags in listings', async (etagStyle, inListing, inHeader) => {
    const { listing, head } = await answers({ etagStyle });

    expect(listing).toMatchObject({ objects: [{ etag: inListing }] });
    expect(head['etag']).toBe(inHeader);
  });

  it('has null for empty lists when pages are nasty, and empty lists otherwise (§4.11)', async () => {
    const nasty = await answers({ pages: 'nasty' });
    const ordinary = await answers({});

    expect(nasty.listing).toMatchObject({ folders: null });
    expect(ordinary.listing).toMatchObject({ folders: [] });
  });

  it('has times to the second in listings (§2.3)', async () => {
    const { listing } = await answers({});

    const last_modified: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(listing).toMatchObject({ objects: [{ last_modified }] });
  });

  it('has 429 for requests beyond the first of a second, and takes more as time passes', async () => {
    const clock = new ManualClock();
    const { baseUrl, bucket, credentials } = await startEmbeddedServer({
      behaviours: { requestsPerSecond: 20 },
      clock,
    });
    const headers = { Authorization: basic(credentials) };
    const statuses = async (count: number): Promise<number[]> => {
      const all = [];
      for (let each = 0; each < count; each += 1)
        all.push((await exchange(baseUrl, { method: 'DELETE', path: `/${bucket}/a`, headers })).status);
      return all;
    };

    expect(await statuses(21)).toEqual([...Array.from({ length: 20 }, () => 204), 429]);
    clock.advance(100);
    expect(await statuses(3)).toEqual([204, 204, 429]);
  });

  it.each([200, 201] as const)('has the status %d for what was stored', async (uploaded) => {
    const { baseUrl, bucket, credentials } = await startEmbeddedServer({ behaviours: { uploaded } });
    const headers = { Authorization: basic(credentials) };

    const stored = await exchange(baseUrl, { method: 'PUT', path: `/${bucket}/a`, headers, body: 'a' });

    expect(stored.status).toBe(uploaded);
    expect(jsonOf(stored)).toEqual({ bucket, key: 'a', size: 1 });
  });

  it.each([
    [401, 403],
    [403, 401],
  ] as const)(
    'has the status %d for credentials that are wrong, and %d for those that may only read (§5)',
    async (wrongCredentials, weakCredentials) => {
      const behaviours = { wrongCredentials, weakCredentials };
      const { baseUrl, bucket, readOnlyCredentials } = await startEmbeddedServer({ behaviours });
      const deleting = async (authorization: string): Promise<number> => {
        const headers = { Authorization: authorization };
        return (await exchange(baseUrl, { method: 'DELETE', path: `/${bucket}/a`, headers })).status;
      };

      expect(await deleting('Basic')).toBe(wrongCredentials);
      expect(await deleting(basic(readOnlyCredentials))).toBe(weakCredentials);
    },
  );
});

/** Of a bucket with the one file `a`. */
async function answers(
  behaviours: Partial<Behaviours>,
): Promise<{ listing: unknown; head: Readonly<Record<string, string>> }> {
  const { baseUrl, bucket, direct, credentials } = await startEmbeddedServer({ behaviours });
  await direct.putObject(bucket, 'a', uploadOf('a'));
  const headers = { Authorization: basic(credentials) };
  const listing = jsonOf(await exchange(baseUrl, { method: 'GET', path: `/${bucket}/?limit=10`, headers }));
  const head = (await exchange(baseUrl, { method: 'HEAD', path: `/${bucket}/a`, headers })).headers;
  return { listing, head };
}
