import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { BLOCK_SIZE, BlockCache } from '../../src/content/block-cache.ts';
import { ContentStore } from '../../src/content/content-store.ts';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { ReadStream } from '../../src/content/read-stream.ts';
import { RangeReader } from '../../src/store/range-reader.ts';
import { Version } from '../../src/store/version.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { ScriptedDownloads } from '../support/scripted-downloads.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function setup(content = patternedBytes(1000), cacheBytes = 2 ** 20) {
  const service = new ScriptedDownloads(content);
  const stateDirectory = await temporaryDirectory();
  const clock = new ManualClock();
  const disk = new FailingDisk();
  const gate = <Result>(task: () => Promise<Result>): Promise<Result> => task();
  const store = new ContentStore({
    ranges: new RangeReader({ service, bucket: 'b', gate, clock, log: silentLog }),
    cache: new BlockCache(cacheBytes),
    keepsBlocks: true,
    files: disk,
    drafts: new DraftFolder(await temporaryDirectory(), disk),
    space: disk.budget(clock),
    stateDirectory,
    clock,
    log: silentLog,
  });
  await store.prepare();
  const told = (): Version =>
    Version.told({ size: content.length, etag: 'first', lastModified: new Date(0), contentType: null });
  return { store, service, disk, told, content, clock };
}

describe('the readers of a version', () => {
  it('are one, so that two programs share what is under way, and a third finds what they left', async () => {
    const { store, service, told } = await setup();
    const version = told();
    const readers = [store.acquireReader('k', version), store.acquireReader('k', version)] as const;

    await Promise.all(readers.map((reader) => reader.read(new Uint8Array(1000), 0, new ReadStream())));
    store.releaseReader(version);
    store.releaseReader(version);
    const third = store.acquireReader('moved', version);

    expect(readers[0]).toBe(readers[1]);
    expect(third).toBe(readers[0]);
    expect(third.key).toBe('moved');
    expect(service.gets.length).toBe(1);
    store.releaseReader(version);
    store.releaseReader(version);
  });

  it('leave nothing in memory of a file that is gone, once nobody reads it', async () => {
    const { store, service, told } = await setup();
    const version = told();
    const read = (): Promise<unknown> =>
      store.acquireReader('k', version).read(new Uint8Array(1000), 0, new ReadStream());
    await read();

    store.forget(version);
    await read();
    const whileRead = [service.gets.length, store.counts.inMemory];
    store.releaseReader(version);
    store.releaseReader(version);

    expect([...whileRead, store.counts.inMemory]).toEqual([1, 1000, 0]);
  });

  it('leave no temporary file behind when the store is closed', async () => {
    const { store, service, disk, told } = await setup(patternedBytes(3_000_000));
    service.treatment = 'ignored';
    const version = told();
    await store.acquireReader('k', version).read(new Uint8Array(1000), 2_999_000, new ReadStream());
    const during = disk.left.size;

    store.releaseReader(version);
    store.close();

    expect([during, disk.left.size]).toEqual([1, 0]);
  });
});

describe('the room on the disk', () => {
  it('counts drafts, what an earlier mount left, copies and spools', async () => {
    const { store, service, disk, told, clock } = await setup(patternedBytes(3_000_000));
    service.treatment = 'ignored';
    const all = 10 + 10 + 10 + 3_000_000;
    disk.told = { free: all, total: 0 };
    const draft = await store.createDraft(draftFactsOf('f'));
    await draft.write(text('0123456789'), 0);
    await draft.close();
    const found = await store.openDraft(draft.id, 10);
    const copy = await store.createCopy(draftFactsOf('f'));
    await copy.write(text('0123456789'), 0);
    await store.acquireReader('k', told()).read(new Uint8Array(1000), 2_999_000, new ReadStream());

    await found.write(text('ABCDEFGHIJ'), 0);
    await found.write(text('0123456789'), 10);
    disk.told = { free: 0, total: 0 };
    clock.advance(1001);
    await expect(copy.write(text('0'), 10)).rejects.toMatchObject({ code: 'ENOSPC' });

    store.close();
    await found.remove();
    await copy.remove();
  });

  it('is not filled by reading: what the disk cannot take is read all the same', async () => {
    const { store, service, disk, told, content } = await setup(patternedBytes(3_000_000));
    service.treatment = 'ignored';
    disk.told = { free: 500_000, total: 10_000_000 };
    const into = new Uint8Array(1000);

    await store.acquireReader('k', told()).read(into, 2_999_000, new ReadStream());

    expect(Buffer.from(into).equals(Buffer.from(content.subarray(2_999_000)))).toBe(true);
    expect(disk.left.size).toBe(0);
    store.close();
  });
});

describe('an upload', () => {
  it.each([1, 65_536, BLOCK_SIZE, BLOCK_SIZE + 1, 600_000])(
    'leaves its %d bytes for the readers of the version that it made',
    async (size) => {
      const { store, service } = await setup(patternedBytes(1000), 32 * BLOCK_SIZE);
      const draft = await store.createDraft(draftFactsOf('f'));
      await draft.write(patternedBytes(size), 0);
      const upload = store.upload(draft, 'text/plain');
      // Begun in vain first.
      await upload.body.open()[Symbol.asyncIterator]().next();
      let sent = 0;
      for await (const chunk of upload.body.open()) sent += chunk.length;
      const own = { size, md5: await draft.md5(), storedWithin: null, contentType: 'text/plain' };
      const version = Version.uploaded(own, new Date(0));

      upload.stored(version);
      await draft.write(Buffer.alloc(size), 0);
      const into = new Uint8Array(size);
      await store.acquireReader('k', version).read(into, 0, new ReadStream());

      expect(sent).toBe(size);
      expect(Buffer.from(into).equals(patternedBytes(size))).toBe(true);
      expect(service.gets).toEqual([]);
      await draft.remove();
    },
  );

  it('counts as sent when the service asks for more and in the end, not when a try has read the first bytes in vain', async () => {
    const { store } = await setup();
    const size = 600_000;
    const draft = await store.createDraft(draftFactsOf('f'));
    await draft.write(patternedBytes(size), 0);
    const upload = store.upload(draft, 'text/plain');
    const sent: number[] = [];

    for (let tries = 0; tries < 3; tries += 1) {
      await upload.body.open()[Symbol.asyncIterator]().next();
      sent.push(store.bytesSent);
    }
    for await (const chunk of upload.body.open()) sent.push(store.bytesSent + chunk.length);
    const own = { size, md5: await draft.md5(), storedWithin: null, contentType: 'text/plain' };
    upload.stored(Version.uploaded(own, new Date(0)));

    expect(sent).toEqual([0, 0, 0, 131_072, 262_144, 393_216, 524_288, size]);
    expect(store.bytesSent).toBe(size + 1);
    await draft.remove();
  });
});
