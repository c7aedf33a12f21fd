/** Does the network do what it says? Measured with plain requests before anything else, for the reader of the tables. */
import { HttpFloor } from '../floor/http-floor.ts';
import { median } from '../frame/measurements.ts';
import type { Profile } from './profiles.ts';
import type { Testbed } from './testbed.ts';

const REQUESTS = 40;
const UPLOAD_BYTES = 48_000_000;

/** What was found of each network, by its name. */
export async function checkNetworks(
  testbed: Testbed,
  profiles: readonly Profile[],
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const profile of profiles) {
    const bucket = await testbed.createBucket();
    const address = testbed.addressOf(bucket, profile);
    const direct = { ...address, servicePort: testbed.directPort };
    // Twice, for the first requests that a server ever gets are slow.
    await measure(direct);
    const [near, far] = [await measure(direct), await measure(address)];
    await testbed.deleteBucket(bucket);
    const speed = profile.bytesPerSecond === null ? '' : ` and ${profile.bytesPerSecond / 1e6} MB/s`;
    found[`The network of ${profile.name}${speed}, measured before the first round`] =
      `an empty request takes ${far.requestMs.toFixed(2)} ms instead of ${near.requestMs.toFixed(2)}, an upload runs at ${(far.bytesPerSecond / 1e6).toFixed(0)} MB/s instead of ${(near.bytesPerSecond / 1e6).toFixed(0)}`;
  }
  return found;
}

async function measure(
  address: ConstructorParameters<typeof HttpFloor>[0],
): Promise<{ requestMs: number; bytesPerSecond: number }> {
  const floor = new HttpFloor(address, 1);
  try {
    const times: number[] = [];
    for (let request = 0; request < REQUESTS; request += 1)
      times.push(await millisecondsOf(() => floor.delete('nothing')));
    const requestMs = median(times) ?? NaN;
    const body = Buffer.alloc(UPLOAD_BYTES);
    const uploadMs = (await millisecondsOf(() => floor.put('something', body))) - requestMs;
    return { requestMs, bytesPerSecond: (UPLOAD_BYTES / uploadMs) * 1000 };
  } finally {
    await floor.close();
  }
}

async function millisecondsOf(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
