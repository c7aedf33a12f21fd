/** SEMANTICS: what is believed of a name when nobody knows whether our own change of it was done. */
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { Version } from '../../src/store/version.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { ScheduledBucket } from '../support/scheduled-bucket.ts';
import { nothingKept } from '../support/nothing-kept.ts';

/** Everything waits until `step` lets the next thing happen. */
function open(): { bucket: ScheduledBucket; namespace: Namespace; step: () => Promise<void> } {
  const held: (() => void)[] = [];
  const bucket = new ScheduledBucket(
    {
      schedule: () =>
        new Promise((resolve) =>
          held.push(() => {
            resolve(undefined);
          }),
        ),
    },
    1000,
  );
  const store = new BucketStore(bucket, 'photos', createGates());
  const namespace = new Namespace({
    store,
    clock: new ManualClock(),
    log: silentLog,
    ttl: 10_000,
    folders: new FolderMemory(new NamesRoom(9000)),
    locals: nothingKept,
  });
  const step = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    held.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { bucket, namespace, step };
}

it('lists a folder anew when a change whose answer was lost overtook the listing', async () => {
  const { bucket, namespace, step } = open();
  namespace.known.changed('/a', { kind: 'file', version: uploaded('old') });
  const storing = bucket.change('/a', 'file old');
  await step();
  await step();
  await storing;
  const listing = namespace.list('/');
  await step();
  await step();
  const deleting = bucket.change('/a', 'missing');
  await step();
  await step();
  await deleting;
  namespace.refresh('/');
  const overtaken = namespace.list('/');
  await step();
  namespace.known.changed('/a', { kind: 'unknown' });
  const joined = namespace.list('/');
  for (let rest = 0; rest < 6; rest += 1) await step();

  expect((await listing).recall('a')?.kind).toBe('file');
  expect((await overtaken).recall('a')?.kind).toBe('missing');
  expect((await joined).recall('a')?.kind).toBe('missing');
});

function uploaded(md5: string): Version {
  const own = { size: 1, md5, storedWithin: null, contentType: 'text/plain' };
  return Version.uploaded(own, new Date(Date.UTC(2026, 0, 1)));
}
