/** Who looks at the service between two tries needs a place among those who ask it, as all who wait with a place do. */
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { HttpService } from '../../src/client/http-service.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { CONNECTIONS_FOR_ALL_GATES, createGates } from '../../src/store/gates.ts';
import { removeObject } from '../../src/store/lasting-change.ts';
import { VersionChanged } from '../../src/store/range-reader.ts';
import { publish } from '../../src/store/replace.ts';
import { Version } from '../../src/store/version.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';

/** More than twice as many as there are places. */
const COUNT = 40;

it('many deletions at once, each of which is tried again after a look, are all done', async () => {
  const { baseUrl, credentials, bucket, direct, faults } = await startEmbeddedServer();
  const connections = CONNECTIONS_FOR_ALL_GATES;
  const service = HttpService.open({ baseUrl, credentials, connections, log: silentLog, random: () => 0 });
  onTestFinished(() => service.close());
  const store = new BucketStore(service, bucket, createGates());
  const keys = Array.from({ length: COUNT }, (_, number) => `k${number}`);
  for (const key of keys) await direct.putObject(bucket, key, uploadOf('x'));
  faults.add({ operation: 'deleteObject', times: COUNT, fault: { kind: 'status', status: 503 } });
  faults.add({ operation: 'headObject', times: Infinity, fault: { kind: 'delay', milliseconds: 60 } });

  const isThere = async (key: string): Promise<boolean> => (await store.head(key)).size === 1;
  await Promise.all(keys.map((key) => removeObject(store, key, () => isThere(key))));

  expect((await direct.listObjects(bucket, { folder: '' })).objects).toEqual([]);
});

it('a file that others replace between two tries to publish it stays private', async () => {
  const { baseUrl, credentials, bucket, direct, faults } = await startEmbeddedServer();
  // Heard before the wait for the second try.
  const debug = (message: string): void => {
    if (message === 'A request is tried again') void direct.putObject(bucket, 'f', uploadOf('theirs'));
  };
  const service = HttpService.open({
    baseUrl,
    credentials,
    log: { ...silentLog, hidesDebug: false, debug },
    random: () => 0,
  });
  onTestFinished(() => service.close());
  const store = new BucketStore(service, bucket, createGates());
  await direct.putObject(bucket, 'f', uploadOf('ours'));
  const ours = Version.told(await direct.headObject(bucket, 'f'));
  faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });

  await expect(publish(store, 'f', ours)).rejects.toBeInstanceOf(VersionChanged);

  expect((await direct.headObject(bucket, 'f')).size).toBe(6);
  expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('private');
});
