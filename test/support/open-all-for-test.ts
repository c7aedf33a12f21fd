/** How does a test get a file system over all buckets in process? Over the embedded service in memory: no HTTP, no kernel. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { silentLog, type Log } from '../../src/base/log.ts';
import { openAllBuckets, type MountedBuckets } from '../../src/filesystem/all-buckets/open-all-buckets.ts';
import { openFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { StoreOptions } from '../../src/server/embedded-store.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { listAccountBuckets } from '../../src/store/account-buckets.ts';
import { openEmbeddedService, type EmbeddedService } from './embedded-service.ts';
import { ManualClock } from './manual-clock.ts';
import { defaultSettings } from './open-for-test.ts';
import { removeDirectory } from './remove-directory.ts';

export interface AllBucketsForTest extends EmbeddedService {
  readonly fs: FileSystemOperations;
  readonly mounted: MountedBuckets;
  /** Of the file system alone: moving it makes knowledge old. */
  readonly clock: ManualClock;
  /** The operations asked of the service since the last call, in order. */
  readonly asked: () => string[];
}

export interface AllBucketsOptions {
  readonly store?: StoreOptions;
  readonly settings?: Partial<FileSystemSettings> & { readonly bucketAdmin?: boolean };
  readonly log?: Log;
  /** Buckets that exist beside `photos`. */
  readonly others?: readonly string[];
  /** What stands between the file system and the service. */
  readonly between?: (service: ObjectService) => ObjectService;
}

/** Closed by itself at the end of the test that calls this. */
export async function openAllForTest(options: AllBucketsOptions = {}): Promise<AllBucketsForTest> {
  const embedded = await openEmbeddedService(options.store);
  for (const name of options.others ?? []) await embedded.direct.createBucket(name);
  const stateHome = await mkdtemp(join(tmpdir(), 'pailfs-test-'));
  const clock = new ManualClock(Date.now());
  const service = options.between?.(embedded.service) ?? embedded.service;
  const log = options.log ?? silentLog;
  const settings = { ...defaultSettings(stateHome), bucketAdmin: false, ...options.settings };
  const mounted = await openAllBuckets({
    service,
    clock,
    log,
    settings,
    stateHome,
    first: { ...(await listAccountBuckets(service)), askedAt: clock.monotonic() },
    open: async (bucket, given) => {
      const stateDirectory = join(stateHome, bucket.bucket);
      await mkdir(stateDirectory, { recursive: true });
      const own = { ...settings, stateDirectory };
      const fileSystem = await openFileSystem({ service, bucket, clock, log, settings: own, ...given });
      return { fileSystem, stateDirectory, release: () => Promise.resolve() };
    },
    atOnce: [],
  });
  onTestFinished(async () => {
    await mounted.close({ patience: 1000 });
    await removeDirectory(stateHome);
  });
  embedded.requests.reset();
  return {
    ...embedded,
    fs: mounted.operations,
    mounted,
    clock,
    asked: () => {
      const operations = [...embedded.requests.operations];
      embedded.requests.reset();
      return operations;
    },
  };
}
