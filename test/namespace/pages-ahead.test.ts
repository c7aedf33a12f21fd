/** Does the line wait while the names of a page are looked at? */
import { expect, it } from 'vitest';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { nothingKept } from '../support/nothing-kept.ts';
import { LogForTest } from '../support/program-acts.ts';

const TTL = 10_000;

it('the second page of a folder that is listed is asked for before the names of the first are taken in', async () => {
  const { service, direct, bucket, requests } = await openEmbeddedService();
  for (const name of ['a', 'b', 'c']) await direct.putObject(bucket, `folder/${name}`, uploadOf('x'));
  const short = new InterceptedService(service, (_call, proceed) => proceed());
  short.listObjects = (id, query) => service.listObjects(id, { ...query, limit: 1 });
  // What is kept of a folder on this machine is read before its first page is taken in.
  let read: () => void = () => undefined;
  const beingRead = new Promise<void>((resolve) => (read = resolve));
  const names = new Namespace({
    store: new BucketStore(short, bucket, createGates()),
    clock: new ManualClock(),
    log: new LogForTest(),
    ttl: TTL,
    folders: new FolderMemory(new NamesRoom(10_000_000)),
    locals: {
      ...nothingKept,
      ofFolder: async (path) => {
        await beingRead;
        return nothingKept.ofFolder(path);
      },
    },
  });

  const listing = names.list('/folder');
  await expect.poll(() => requests.count('listObjects')).toBe(2);
  read();

  expect([...(await listing).names.keys()].sort()).toEqual(['a', 'b', 'c']);
  expect(requests.count('listObjects')).toBe(3);
});
