/** How is a file system over all buckets of an account put together, and how does it end? */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { KnownBuckets } from '../../namespace/known-buckets.ts';
import type { ObjectService } from '../../service/object-service.ts';
import type { Bucket } from '../../service/records.ts';
import { listAccountBuckets, type AccountBuckets } from '../../store/account-buckets.ts';
import { openSharedMeans, type MountInputs, type SharedMeans } from '../mount-means.ts';
import type { MountCounts, MountedFileSystem } from '../open-file-system.ts';
import { readOnly } from '../read-only.ts';
import { changesRefusedWith, type FileSystemSettings } from '../settings.ts';
import { AccountChanges } from './account-changes.ts';
import { AccountTop } from './account-top.ts';
import { AllBucketsFileSystem } from './all-buckets-file-system.ts';
import { bucketPathOf, pathInMount } from './bucket-path.ts';
import { OpenBuckets, type BucketFileSystem } from './open-buckets.ts';
import { UnsentOfAll } from './unsent-of-all.ts';

export interface AllBucketsInputs extends Pick<MountInputs, 'localFiles' | 'giveMemoryBack'> {
  readonly service: ObjectService;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Omit<FileSystemSettings, 'stateDirectory'> & {
    /** Whether mkdir and rmdir make and remove buckets. */
    readonly bucketAdmin: boolean;
  };
  /** Exists; on the disk on which all drafts will be. */
  readonly stateHome: string;
  /** What the service answered to a listing that was asked at `askedAt`, monotonic milliseconds. */
  readonly first: AccountBuckets & { readonly askedAt: number };
  /** Opens the file system of one bucket, with these. Rejects with the local disk's error. */
  readonly open: (bucket: Bucket, given: GivenMeans) => Promise<BucketFileSystem>;
  /** Buckets of which dead mounts may have left something: it is shown, and stored, from the beginning. */
  readonly atOnce: readonly Bucket[];
}

/** What the file systems of all buckets have in common. */
export interface GivenMeans {
  readonly shared: SharedMeans;
  /** When the mount began, milliseconds since 1970. */
  readonly since: number;
}

export interface MountedBuckets extends MountedFileSystem {
  /** Of the buckets that are open. */
  readonly stateDirectories: readonly string[];
  /** Gives the state directories up; after `close`. */
  release(): Promise<void>;
}

/** Asks the service nothing but what the buckets `atOnce` need. Rejects with the local disk's error, leaving nothing open. */
export async function openAllBuckets(inputs: AllBucketsInputs): Promise<MountedBuckets> {
  const { clock, log, settings, stateHome: directory, first } = inputs;
  const shared = openSharedMeans({ ...inputs, directory });
  const since = clock.now();
  const buckets = new OpenBuckets((bucket) => inputs.open(bucket, { shared, since }), log);
  const known = new KnownBuckets({
    ask: (signal) =>
      shared.gates.metadata((pausing) => listAccountBuckets(inputs.service, { signal, pausing })),
    clock,
    log,
    ttl: settings.metadataTtl,
  });
  known.told(first, first.askedAt);
  shared.disk?.start();
  const mounted = mountedBuckets(inputs, { shared, since, buckets, known });
  try {
    for (const bucket of inputs.atOnce) await buckets.of(bucket);
    return mounted;
  } catch (error) {
    await mounted.close({ patience: 0 });
    await mounted.release();
    throw error;
  }
}

interface Parts extends GivenMeans {
  readonly buckets: OpenBuckets;
  readonly known: KnownBuckets;
}

function mountedBuckets(inputs: AllBucketsInputs, parts: Parts): MountedBuckets {
  const { shared, buckets, known } = parts;
  return {
    operations: operationsOf(inputs, parts),
    get setAside() {
      return buckets.all.flatMap(({ bucket, fileSystem }) =>
        fileSystem.setAside.map((draft) => ({ ...draft, key: `${bucket.name}/${draft.key}` })),
      );
    },
    get lost() {
      return buckets.all.flatMap(({ bucket, fileSystem }) =>
        fileSystem.lost.map((key) => `${bucket.name}/${key}`),
      );
    },
    get stateDirectories() {
      return buckets.all.map(({ stateDirectory }) => stateDirectory);
    },
    unsent: new UnsentOfAll(buckets),
    refresh: (path) => {
      refresh(parts, path);
    },
    hasWaiting: () => buckets.all.some(({ fileSystem }) => fileSystem.hasWaiting()),
    shelf: () =>
      buckets.all.flatMap(({ bucket, fileSystem }) =>
        fileSystem.shelf().map((file) => ({ ...file, path: pathInMount(bucket.name, file.path) })),
      ),
    counts: () => countsOf(parts),
    buckets: () => [...known.latest.values()],
    bytesSent: () => buckets.bytesSent(),
    close: async (end) => {
      try {
        return await buckets.close(end);
      } finally {
        await shared.disk?.close();
      }
    },
    release: () => buckets.release(),
  };
}

function operationsOf(
  { service, settings, clock, log }: AllBucketsInputs,
  { shared, since, buckets, known }: Parts,
): MountedBuckets['operations'] {
  const { bucketAdmin } = settings;
  const changes = new AccountChanges({ service, gates: shared.gates, known, buckets, bucketAdmin });
  const top = new AccountTop({ known, buckets, changes, settings, since, clock, log });
  const operations = new AllBucketsFileSystem({ known, buckets, top, log });
  const refusal = changesRefusedWith(settings);
  return refusal === null ? operations : readOnly(operations, refusal);
}

function refresh({ buckets, known }: Parts, path: string): void {
  const place = bucketPathOf(path);
  if (place === null || place.path === '/') known.refresh();
  for (const { bucket, fileSystem } of buckets.all) {
    if (place === null) fileSystem.refresh('/');
    else if (bucket.name === place.name) fileSystem.refresh(place.path);
  }
}

function countsOf({ shared, buckets, known }: Parts): MountCounts {
  const counts = buckets.all.map(({ fileSystem }) => fileSystem.counts());
  const served = (where: keyof MountCounts['served']): number =>
    counts.reduce((sum, one) => sum + one.served[where], 0);
  return {
    served: { memory: served('memory'), disk: served('disk'), service: served('service') },
    inMemory: shared.blocks.used,
    onDisk: shared.disk?.used ?? null,
    hiddenKeys: counts.reduce((sum, { hiddenKeys }) => sum + hiddenKeys, known.hidden),
  };
}
