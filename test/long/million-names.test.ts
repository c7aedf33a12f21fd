/** Can programs work in a folder of a million names? Says how much memory that takes. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type { FileEntry, ObjectPage } from '../../src/service/records.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { MountedBucket } from '../support/mounted-bucket.ts';

const NAMES = 1_000_000;
const PAGE = 1000;
const MIB = 1024 * 1024;
const TIME_MS = 600_000;

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
    const cold = await peakBytes(mount);
    const pages = big?.pages;
    const again = await mount.run('ls -f big | wc -l');
    console.log('a million names', { cold: cold / MIB, again: (await peakBytes(mount)) / MIB });

    expect(listed.output.trim()).toBe(String(NAMES + 2));
    expect(again.output.trim()).toBe(String(NAMES + 2));
    expect(pages).toBe(NAMES / PAGE);
    expect(big?.pages).toBe(NAMES / PAGE);
  });

  it('costs its pages and nothing else when all attributes are asked for', async () => {
    const listed = await mount.run('ls -l big | wc -l');
    const nodes = await mount.mounted.nodeCount();
    console.log('a million files', { peak: (await peakBytes(mount)) / MIB, nodes });
    await writeFile('/proc/sys/vm/drop_caches', '2');

    expect(listed.output.trim()).toBe(String(NAMES + 1));
    expect(big?.pages).toBe(NAMES / PAGE);
    await expect.poll(() => mount.mounted.nodeCount(), { timeout: 60_000 }).toBeLessThan(1000);
  });
});

/** Of the process that serves, since it began. */
async function peakBytes({ mounted }: MountedBucket): Promise<number> {
  const status = await readFile(`/proc/${mounted.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}
