/** SEMANTICS: what a listing from before still tells when nobody knows whether our own change of one of its names was done. */
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { wholeBatch } from '../../src/namespace/whole-batch.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { nothingKept } from '../support/nothing-kept.ts';

/** A listed folder with a file, in which nobody knows whether `new` was stored, or `old` deleted. */
async function open(name: 'new' | 'old') {
  const { service, direct, bucket, requests } = await openEmbeddedService();
  await direct.putObject(bucket, 'd/old', uploadOf('old'));
  const namespace = new Namespace({
    store: new BucketStore(service, bucket, createGates()),
    clock: new ManualClock(1000),
    log: silentLog,
    ttl: 10_000,
    folders: new FolderMemory(new NamesRoom(1_000_000)),
    locals: nothingKept,
  });
  await namespace.lookup('/d');
  const before = wholeBatch(namespace.known, '/d', await namespace.list('/d')).whole;
  namespace.known.changed(`/d/${name}`, { kind: 'unknown' });
  requests.reset();
  return { namespace, requests, direct, bucket, before };
}

it.each(['new', 'old'] as const)('tells that other names are missing (%s)', async (name) => {
  const { namespace, requests } = await open(name);

  expect((await namespace.lookup('/d/other')).kind).toBe('missing');
  expect(requests.operations).toEqual([]);
});

it.each(['new', 'old'] as const)(
  'tells nothing of the name itself, which is asked for (%s)',
  async (name) => {
    const { namespace, requests, direct, bucket } = await open(name);
    if (name === 'new') await direct.putObject(bucket, 'd/new', uploadOf('new'));
    else await direct.deleteObject(bucket, 'd/old');

    expect(namespace.known.recallFresh(`/d/${name}`)).toBeUndefined();
    expect((await namespace.lookup(`/d/${name}`)).kind).toBe(name === 'new' ? 'file' : 'missing');
    expect(requests.operations[0]).toBe('headObject');
  },
);

it.each(['new', 'old'] as const)('is not the whole folder, which is listed again (%s)', async (name) => {
  const { namespace, requests, before } = await open(name);
  const empty = namespace.known.folder('/d')?.isEmpty();

  const listed = await namespace.list('/d');

  expect(empty).not.toBe(true);
  expect(before?.stillFor()).toBe(0);
  expect(requests.operations).toEqual(['listObjects']);
  expect([...listed.names.keys()]).toEqual(['old']);
  expect(namespace.known.listedFresh('/d')).toBe(listed);
});

it('is the whole folder again when the name itself was asked for', async () => {
  const { namespace, requests, direct, bucket } = await open('new');
  await direct.putObject(bucket, 'd/new', uploadOf('new'));
  await namespace.lookup('/d/new');
  requests.reset();

  const listed = await namespace.list('/d');

  expect([...listed.names.keys()].sort()).toEqual(['new', 'old']);
  expect(requests.operations).toEqual([]);
});

it('does for a reader who has a file of his own under the name', async () => {
  const { namespace, requests } = await open('new');
  const names: string[] = [];

  for await (const batch of namespace.batches('/d', undefined, (name) => name === 'new'))
    names.push(...batch.names);

  expect(names).toEqual(['old']);
  expect(requests.operations).toEqual([]);
});
