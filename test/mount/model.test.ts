/** SEMANTICS: whatever programs do to files on a mount, in whatever order, they see what POSIX promises. */
import * as fc from 'fast-check';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { FileModel } from '../model/file-model.ts';
import { fileOperations } from '../model/file-operations.ts';
import { programOnDisk } from '../model/program-on-disk.ts';
import { bytesUnder, namesBelow } from '../model/service-contents.ts';
import { TreeOnDisk } from '../model/tree-on-disk.ts';
import { treeOperations } from '../model/tree-operations.ts';
import { TINY_MEMORY } from '../model/world.ts';
import { MountedBucket } from '../support/mounted-bucket.ts';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';

interface Case {
  readonly behaviours: Partial<Behaviours>;
  readonly memoryLimit: number;
}

const cases: Case[] = [
  { behaviours: { range: 'honoured', pages: 'ordinary', folders: 'implicit' }, memoryLimit: TINY_MEMORY },
  { behaviours: { range: 'ignored', pages: 'nasty', folders: 'lasting' }, memoryLimit: 64 * 1024 * 1024 },
];

describe.each(cases)('on a mount with $behaviours', ({ behaviours, memoryLimit }) => {
  let opened: MountedBucket;
  let runs = 0;

  beforeAll(async () => {
    const lifetime = PROPERTY_TIMEOUT;
    opened = await MountedBucket.open({ store: { behaviours }, settings: { memoryLimit }, lifetime });
  });
  afterAll(() => opened.close());

  it(
    'shows programs the same bytes as a model does, and leaves exactly these on the service',
    async () => {
      await fc.assert(
        fc.asyncProperty(fileOperations, async (operations) => {
          runs += 1;
          const folder = `run${runs}`;
          const model = await modelIn(opened, folder, memoryLimit);

          try {
            for (const operation of operations) await model.run(operation);
          } finally {
            await model.closeAll();
          }

          // The kernel reports the end of a descriptor after close(2) has returned.
          await expect.poll(() => problemOf(() => expectStored(opened, folder, model))).toBe('none');
        }),
        propertySettings(50),
      );
    },
    PROPERTY_TIMEOUT,
  );
});

/** A fresh folder a run: what one leaves behind does not disturb the next. */
async function modelIn(opened: MountedBucket, folder: string, memoryLimit: number): Promise<FileModel> {
  const { direct, bucket } = opened;
  await mkdir(join(opened.path, folder, 'd'), { recursive: true });
  return new FileModel({
    files: programOnDisk(opened.path),
    top: `/${folder}`,
    memoryLimit,
    stored: (path) => bytesUnder(direct, bucket, path.slice(1)),
  });
}

async function expectStored(opened: MountedBucket, folder: string, model: FileModel): Promise<void> {
  const { files } = await namesBelow(opened.direct, opened.bucket, folder);
  await model.expectStored(new Set([...files].map((key) => `/${key}`)));
}

async function problemOf(check: () => Promise<void>): Promise<string> {
  try {
    await check();
    return 'none';
  } catch (error) {
    return String(error);
  }
}

describe('on a mount that trusts no earlier answer', () => {
  let opened: MountedBucket;
  let runs = 0;

  beforeAll(async () => {
    opened = await MountedBucket.open({
      store: { behaviours: { range: 'ignored', pages: 'nasty', folders: 'lasting' } },
      settings: { metadataTtl: 0 },
      lifetime: PROPERTY_TIMEOUT,
    });
  });
  afterAll(() => opened.close());

  it(
    'shows programs a tree exactly as the service has it, whoever changed it',
    async () => {
      await fc.assert(
        fc.asyncProperty(treeOperations, async (operations) => {
          runs += 1;
          const folder = `run${runs}`;
          await mkdir(join(opened.path, folder));
          const { direct: service, bucket, path: root } = opened;
          const tree = new TreeOnDisk({ root, folder, service, bucket });

          for (const operation of operations) await tree.run(operation);
        }),
        propertySettings(50),
      );
    },
    PROPERTY_TIMEOUT,
  );
});
