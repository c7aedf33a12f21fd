/** Can programs work in a folder of a million names, and does the mount do with 400 MiB then? */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type { FileEntry, ObjectPage } from '../../src/service/records.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { MountedBucket } from '../support/mounted-bucket.ts';

const NAMES = 1_000_000;
const PAGE = 1000;
const TIME_MS = 600_000;
const MOST_MIB = 400;

/** A service that lists a folder `big` of so many files, which nobody stored. */
class BigFolder extends InterceptedService {
  pages = 0;

  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  override async listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    const page = await super.listObjects(bucket, { ...query, page: undefined });
    if (query.folder === '') return { ...page, folders: ['big/'] };
    if (query.folder !== 'big') return page;
    this.pages += 1;
    const first = Number(query.page ?? 0);
    const objects = Array.from({ length: Math.min(PAGE, NAMES - first) }, (_, index) =>
      fileAt(first + index),
    );
    const next = first + PAGE;
    return { ...page, objects, nextPage: next < NAMES ? String(next) : null };
  }
}

function fileAt(index: number): FileEntry {
  const digits = String(index).padStart(32, '0');
  const lastModified = new Date(1_700_000_000_000 + index * 1000);
  return { key: `big/file-${digits.slice(-7)}`, size: index, etag: digits, lastModified };
}

describe('a folder of a million names', () => {
  let mount: MountedBucket;
  let big: BigFolder | undefined;
  // The first process compiles the sources, and has the compiler in its memory: it is not the one that is measured.
  beforeAll(async () => {
    await (await MountedBucket.open()).close();
  }, TIME_MS);
  beforeEach(async () => {
    mount = await MountedBucket.open({
      between: (service) => (big = new BigFolder(service)),
      // However slow this machine is, nothing gets old.
      settings: { metadataTtl: TIME_MS },
      lifetime: TIME_MS,
    });
  }, TIME_MS);
  afterEach(() => mount.close(), TIME_MS);

  it('is listed a page at a time, and again for nothing', async () => {
    const listed = await mount.run('ls -f big | wc -l');
    const cold = await peakMib(mount);
    const pages = big?.pages;
    const again = await mount.run('ls -f big | wc -l');
    console.log('a million names', { cold, again: await peakMib(mount) });

    expect(listed.output.trim()).toBe(String(NAMES + 2));
    expect(again.output.trim()).toBe(String(NAMES + 2));
    expect(pages).toBe(NAMES / PAGE);
    expect(big?.pages).toBe(NAMES / PAGE);
    expect(cold).toBeLessThan(MOST_MIB);
  });

  it('costs its pages and nothing else when all attributes are asked for', async () => {
    const listed = await mount.run('ls -l big | wc -l');
    const nodes = await mount.mounted.nodeCount();
    const peak = await peakMib(mount);
    console.log('a million files', { peak, nodes });
    await writeFile('/proc/sys/vm/drop_caches', '2');

    expect(listed.output.trim()).toBe(String(NAMES + 1));
    expect(big?.pages).toBe(NAMES / PAGE);
    expect(peak).toBeLessThan(MOST_MIB);
    await expect.poll(() => mount.mounted.nodeCount(), { timeout: 60_000 }).toBeLessThan(1000);
  });
});

/** Of the process that serves, since it began. */
async function peakMib({ mounted }: MountedBucket): Promise<number> {
  const status = await readFile(`/proc/${mounted.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
