/** What is known of names: what a look costs, and what answers in flight may say. */
import { describe, expect, it } from 'vitest';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { Version } from '../../src/store/version.ts';
import type { Operation } from '../../src/service/refusal.ts';
import { openEmbeddedService, uploadOf, type EmbeddedService } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { LogForTest } from '../support/program-acts.ts';
import { nothingKept } from '../support/nothing-kept.ts';

const TTL = 1000;

interface Setup extends EmbeddedService {
  readonly names: Namespace;
  readonly clock: ManualClock;
  /** Somebody else stores a file. */
  readonly foreignWrite: (key: string) => Promise<void>;
  /** Lets the next answer of `operation` arrive only when the returned function is called; its request has left by then. */
  readonly hold: (operation: Operation) => { arrived: Promise<void>; release: () => void };
}

async function setup(): Promise<Setup> {
  const embedded = await openEmbeddedService();
  const held = new Map<Operation, { arrived: () => void; until: Promise<void> }>();
  const service: ObjectService = new InterceptedService(embedded.service, async (call, proceed) => {
    const hold = held.get(call.operation);
    held.delete(call.operation);
    try {
      return await proceed();
    } finally {
      hold?.arrived();
      await hold?.until;
    }
  });
  const clock = new ManualClock();
  const store = new BucketStore(service, embedded.bucket, createGates());
  const names = new Namespace({
    store,
    clock,
    log: new LogForTest(),
    ttl: TTL,
    folders: new FolderMemory(new NamesRoom(10_000_000)),
    locals: nothingKept,
  });
  return {
    ...embedded,
    names,
    clock,
    foreignWrite: async (key) => {
      await embedded.direct.putObject(embedded.bucket, key, uploadOf('x'));
    },
    hold: (operation) => {
      let release = (): void => undefined;
      let arrive = (): void => undefined;
      const until = new Promise<void>((resolve) => (release = resolve));
      const arrived = new Promise<void>((resolve) => (arrive = resolve));
      held.set(operation, { arrived: arrive, until });
      return { arrived, release };
    },
  };
}

function ours(size = 1): Version {
  const own = { size, md5: '0'.repeat(32), storedWithin: null, contentType: 'a/b' };
  return Version.uploaded(own, new Date(0));
}

describe('a look', () => {
  it('that keeps nothing leaves a name as small as its listing made it, and finds what others are given', async () => {
    const { names, foreignWrite, clock } = await setup();
    await foreignWrite('d/f');
    const folder = await names.list('/d');
    const { bytes } = folder.names;

    const glanced = names.known.glanceFresh('/d/f');
    const afterGlance = folder.names.bytes;
    const kept = names.known.recallFresh('/d/f');
    const absent = names.known.glanceFresh('/d/absent');
    clock.advance(TTL);

    expect([afterGlance, folder.names.bytes > bytes]).toEqual([bytes, true]);
    expect(glanced).toEqual(kept);
    expect(absent?.kind).toBe('missing');
    expect(names.known.glanceFresh('/d/f')).toBeUndefined();
  });

  it('asks once, however many want to know', async () => {
    const { names, foreignWrite, requests } = await setup();
    await foreignWrite('f');

    const found = await Promise.all([1, 2, 3].map(() => names.lookup('/f')));

    expect(found.map(({ kind }) => kind)).toEqual(['file', 'file', 'file']);
    expect([...requests.operations].sort()).toEqual(['headObject', 'listObjects']);
  });

  it('at a file that is gone asks one HEAD, one page and the listing, and no HEAD twice', async () => {
    const { names, foreignWrite, requests, direct, bucket, clock } = await setup();
    for (let index = 0; index < 1001; index += 1) await foreignWrite(`f${index}`);
    await names.list('/');
    await direct.deleteObject(bucket, 'f7');
    clock.advance(TTL);
    requests.reset();

    expect((await names.lookup('/f7')).kind).toBe('missing');

    expect(requests.operations.filter((operation) => operation === 'headObject')).toHaveLength(1);
  });

  it('below a file finds nothing without asking', async () => {
    const { names, foreignWrite, requests } = await setup();
    await foreignWrite('f');
    await names.list('/');
    requests.reset();

    expect((await names.lookup('/f/x/y')).kind).toBe('under-file');
    expect((await names.lookup('/absent/x')).kind).toBe('missing');

    expect(requests.count()).toBe(0);
  });

  it('keeps the version that it had when the service still shows it', async () => {
    const { names, foreignWrite, clock } = await setup();
    await foreignWrite('f');
    const before = await names.lookup('/f');
    clock.advance(TTL);

    const after = await names.lookup('/f');

    expect(after).not.toBe(before);
    expect(before.kind === 'file' && after.kind === 'file' && before.version === after.version).toBe(true);
  });

  it('keeps it also after a change whose end nobody knows', async () => {
    const { names, foreignWrite } = await setup();
    await foreignWrite('f');
    const before = await names.lookup('/f');

    names.known.changed('/f', { kind: 'unknown' });
    const after = await names.lookup('/f');

    expect(before.kind === 'file' && after.kind === 'file' && before.version === after.version).toBe(true);
  });

  it('fails without learning anything', async () => {
    const { names, foreignWrite, faults } = await setup();
    await foreignWrite('f');
    faults.add({ times: 2, fault: { kind: 'reset' } });

    await expect(names.lookup('/f')).rejects.toMatchObject({ kind: 'unavailable' });

    expect((await names.lookup('/f')).kind).toBe('file');
  });
});

describe('an own change', () => {
  it('is not undone by a listing that left before it [fresh/own-changes]', async () => {
    const { names, foreignWrite, hold } = await setup();
    await foreignWrite('old');
    const held = hold('listObjects');
    const listing = names.list('/');
    await held.arrived;

    names.known.changed('/new', { kind: 'file', version: ours() });
    names.known.changed('/old', { kind: 'missing' });
    names.known.folderMade('/made');
    held.release();
    const listed = await listing;

    expect(listed.recall('new')?.kind).toBe('file');
    expect(listed.recall('old')?.kind).toBe('missing');
    expect(listed.recall('made')?.kind).toBe('folder');
  });

  it('is not undone by a HEAD that left before it [fresh/own-changes]', async () => {
    const { names, hold, requests } = await setup();
    const held = hold('headObject');
    const looking = names.lookup('/f');
    await held.arrived;

    names.known.changed('/f', { kind: 'file', version: ours() });
    held.release();

    expect((await looking).kind).toBe('file');
    expect(requests.count('headObject')).toBe(1);
  });

  it('keeps a folder emptied while a listing that still shows it is on its way', async () => {
    const { names, foreignWrite, hold, clock, direct, bucket } = await setup();
    await foreignWrite('d/x');
    await names.list('/d');
    clock.advance(TTL);
    const held = hold('listObjects');
    const listing = names.list('/');
    await held.arrived;
    await direct.deleteObject(bucket, 'd/x');
    names.known.changed('/d/x', { kind: 'missing' });
    held.release();
    await listing;

    clock.advance(TTL);

    expect((await names.list('/')).recall('d')?.kind).toBe('folder');
  });

  it('whose end is unknown makes the next look ask', async () => {
    const { names, foreignWrite, requests } = await setup();
    await foreignWrite('f');
    await names.list('/');
    names.known.changed('/f', { kind: 'unknown' });
    requests.reset();

    expect((await names.lookup('/f')).kind).toBe('file');
    expect((await names.list('/')).recall('f')?.kind).toBe('file');

    expect(requests.count()).toBeGreaterThan(0);
  });
});

describe('kept folders', () => {
  it('need no request once a listing of the parent does not show them', async () => {
    const { names, foreignWrite, direct, bucket } = await setup();
    await foreignWrite('d/x');
    await names.list('/d');
    await direct.deleteObject(bucket, 'd/x');
    names.known.changed('/d/x', { kind: 'missing' });
    expect(names.known.kept.get('/d')).toMatchObject({ onService: 'unknown', emptied: 'surely' });

    await names.relist('/');

    expect(names.known.kept.get('/d')).toMatchObject({ onService: 'absent', emptied: 'surely' });
    expect((await names.lookup('/d')).kind).toBe('folder');
  });

  it('are dropped when something is in them again', async () => {
    const { names, foreignWrite } = await setup();
    await foreignWrite('d/e/x');
    await names.list('/d/e');
    names.known.changed('/d/e/x', { kind: 'missing' });

    names.known.changed('/d/e/f/y', { kind: 'file', version: ours() });

    expect(names.known.kept.paths()).toEqual([]);
  });

  it('are not made of a folder that has other names, and only perhaps of one never listed', async () => {
    const { names, foreignWrite } = await setup();
    for (const key of ['a/x', 'a/y', 'b/x', 'b/y']) await foreignWrite(key);
    await names.list('/a');
    await names.lookup('/b/x');
    names.known.changed('/a/x', { kind: 'missing' });
    names.known.changed('/b/x', { kind: 'missing' });

    expect(names.known.kept.get('/a')).toBeUndefined();
  });
});
