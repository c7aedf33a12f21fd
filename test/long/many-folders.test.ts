/** Can programs walk a tree of forty thousand folders, and what memory does the mount do with then? */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type { FileEntry, ObjectPage } from '../../src/service/records.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { MountedBucket } from '../support/mounted-bucket.ts';

/** Folders in the top folder, and in each of those; files in each of these. */
const FOLDERS = 200;
const FILES = 10;
/** All of it, and the top folder. */
const NAMES = FOLDERS * FOLDERS * (FILES + 1) + FOLDERS + 1;
const TIME_MS = 600_000;
const MOST_MIB = 480;

/** A service that lists a tree below `tree` that nobody stored. */
class BigTree extends InterceptedService {
  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  override async listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    const page = await super.listObjects(bucket, { ...query, page: undefined });
    const { folder } = query;
    if (folder === '') return { ...page, folders: ['tree/'] };
    const depth = folder.split('/').length;
    if (depth < 3) return { ...page, folders: numbered(FOLDERS).map((number) => `${folder}/${number}/`) };
    return { ...page, objects: numbered(FILES).map((number) => fileAt(`${folder}/file-${number}.txt`)) };
  }
}

function fileAt(key: string): FileEntry {
  return { key, size: 1, etag: '0'.repeat(32), lastModified: new Date(1_700_000_000_000) };
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(index).padStart(4, '0'));
}

// The first process compiles the sources, and has the compiler in its memory: it is not the one that is measured.
beforeAll(async () => {
  await (await MountedBucket.open()).close();
}, TIME_MS);

it(
  'a tree of forty thousand folders is walked twice in the memory of its names',
  async () => {
    const mount = await MountedBucket.open({
      between: (service) => new BigTree(service),
      // However slow this machine is, nothing gets old.
      settings: { metadataTtl: TIME_MS },
      lifetime: TIME_MS,
    });
    onTestFinished(() => mount.close());

    const walks = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const { output } = await mount.run('find tree | wc -l');
      walks.push({ names: Number(output.trim()), peak: await peakMib(mount) });
    }
    console.log('forty thousand folders', walks);

    expect(walks.map(({ names }) => names)).toEqual([NAMES, NAMES]);
    for (const { peak } of walks) expect(peak).toBeLessThan(MOST_MIB);
  },
  TIME_MS,
);

async function peakMib({ mounted }: MountedBucket): Promise<number> {
  const status = await readFile(`/proc/${mounted.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
