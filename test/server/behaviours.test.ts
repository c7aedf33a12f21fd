/** Do switches show on the wire where the port hides them? */
import { describe, expect, it } from 'vitest';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
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
