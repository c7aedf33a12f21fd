/** What do the parts of a mounted file system work with: which caches, how large, over which directories? */
import { stat, statfs } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { PathClaims } from '../base/path-claims.ts';
import { BLOCK_SIZE, BlockCache } from '../content/block-cache.ts';
import { alignedMemory } from '../base/aligned-memory.ts';
import { BlockMemory } from '../base/block-memory.ts';
import { ContentStore } from '../content/content-store.ts';
import { DiskCache } from '../content/disk-cache/disk-cache.ts';
import { nodeLocalFiles, type LocalFiles } from '../content/local-files.ts';
import type { LocalState } from '../content/local-state.ts';
import { SpaceBudget, type CleanBytes } from '../content/space-budget.ts';
import { FolderMemory, NamesRoom } from '../namespace/folder-memory.ts';
import { Namespace } from '../namespace/namespace.ts';
import type { ObjectService } from '../service/object-service.ts';
import type { Bucket } from '../service/records.ts';
import { BucketStore } from '../store/bucket-store.ts';
import { createGates, type Gates } from '../store/gates.ts';
import { RangeReader } from '../store/range-reader.ts';
import { AttributeRecords } from './attributes/attribute-records.ts';
import { FileTable } from './file-table.ts';
import type { FolderTimes } from './names/folder-times.ts';
import { KeptDrafts } from './drafts/kept-drafts.ts';
import type { MountState } from './mount-state.ts';
import { OwnNames } from './names/own-names.ts';
import { RestingDrafts } from './drafts/resting-drafts.ts';
import type { FileSystemSettings } from './settings.ts';

/** For the names of all buckets, bytes: some 130 for each that was only listed. */
const MEMORY_FOR_NAMES = 192 * 1024 * 1024;

/** The part of the memory that blocks may take on their way to the disk cache. */
const SHARE_FOR_DISK = 1 / 8;

export interface MountInputs {
  readonly service: ObjectService;
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: FileSystemSettings;
  /** The local disk; a test may hand in one that is full. */
  readonly localFiles?: LocalFiles;
  /** Called when much memory was let go of that nobody has used for a while: it need not wait for the engine to be in need of some. */
  readonly giveMemoryBack?: (() => void) | undefined;
}

/** What all file systems of one mount share, so that its limits hold for all of them together. */
export interface SharedMeans {
  readonly gates: Gates;
  readonly blocks: BlockCache;
  /** Null: nothing is kept on the disk. */
  readonly disk: DiskCache | null;
  readonly space: SpaceBudget;
  readonly names: NamesRoom;
}

/** Where and how much a mount may keep. */
export interface SharedInputs extends Pick<MountInputs, 'clock' | 'log' | 'localFiles' | 'giveMemoryBack'> {
  readonly settings: Pick<FileSystemSettings, 'cache' | 'cacheDirectory' | 'cacheSize' | 'memoryLimit'>;
  /** Exists, on the disk on which drafts will be. */
  readonly directory: string;
}

interface OpenedMeans {
  readonly local: LocalState;
  readonly shared: SharedMeans;
  readonly folderTimes: FolderTimes;
}

/** `disk.start` and `disk.close` are the caller's. */
export function openSharedMeans(inputs: SharedInputs): SharedMeans {
  const { settings, clock, directory, localFiles: files = nodeLocalFiles } = inputs;
  const disk = settings.cache === 'disk' ? openDiskCache(inputs) : null;
  const memory = disk?.memory ?? new BlockMemory(BLOCK_SIZE);
  const space = new SpaceBudget({
    limit: disk === null ? Infinity : settings.cacheSize,
    disk: () => files.space(directory),
    ...(disk !== null && {
      clean: cleanBytesOf(disk, { directory, cacheDirectory: settings.cacheDirectory }),
    }),
    clock,
  });
  disk?.makeRoomFor(() => space.used);
  const forBlocks = disk === null ? settings.memoryLimit : settings.memoryLimit - waitingFor(settings);
  // Without a disk cache memory is the place that was chosen for what was read.
  const rest = disk === null ? null : { clock, gone: inputs.giveMemoryBack ?? doNothing };
  const blocks = new BlockCache(forBlocks, memory, rest);
  return { gates: createGates(clock), blocks, disk, space, names: new NamesRoom(MEMORY_FOR_NAMES) };
}

function doNothing(): void {
  // Whoever opened the mount leaves it to the engine.
}

/** Bytes of the memory for what waits to be written to the disk cache: a block at least, or none would ever be. */
function waitingFor({ memoryLimit }: Pick<FileSystemSettings, 'memoryLimit'>): number {
  return Math.min(memoryLimit / 2, Math.max(BLOCK_SIZE, memoryLimit * SHARE_FOR_DISK));
}

function openDiskCache({ settings, clock, log }: SharedInputs): DiskCache {
  const { cacheDirectory: directory, cacheSize: limit } = settings;
  return new DiskCache({
    directory,
    limit,
    mostWaiting: waitingFor(settings),
    memory: new BlockMemory(BLOCK_SIZE, alignedMemory),
    clock,
    log,
  });
}

export function mountState(means: OpenedMeans, inputs: MountInputs): MountState {
  const { service, bucket, clock, log, settings } = inputs;
  const { local, shared, folderTimes } = means;
  const resting = new RestingDrafts(local.drafts);
  const store = new BucketStore(service, bucket.bucket, shared.gates);
  const attributes = new AttributeRecords(local.attributes, folderTimes);
  const folders = new FolderMemory(shared.names, bucket.bucket);
  const known = { ttl: settings.metadataTtl, folders, locals: attributes };
  const namespace = new Namespace({ store, clock, log, ...known });
  const table = new FileTable();
  return {
    store,
    namespace,
    content: contentStore(means, inputs),
    claims: new PathClaims(),
    table,
    ownNames: new OwnNames({ namespace, table, clock, etags: store.etags }),
    kept: keptDrafts(local, resting, inputs),
    resting,
    attributes,
    settings,
    clock,
    log,
  };
}

function keptDrafts(
  { journal, attributes }: LocalState,
  resting: RestingDrafts,
  { settings, clock, log }: MountInputs,
): KeptDrafts {
  const visibility = settings.visibility === 'preserve' ? null : settings.visibility;
  return new KeptDrafts({ journal, resting, attributes, clock, log, visibility });
}

function contentStore({ local, shared }: OpenedMeans, inputs: MountInputs): ContentStore {
  const { service, bucket, clock, log, settings, localFiles: files = nodeLocalFiles } = inputs;
  const { baseUrl } = settings;
  const { gates, blocks, disk, space } = shared;
  return new ContentStore({
    ranges: new RangeReader({ service, bucket: bucket.bucket, gate: gates.reads, clock, log }),
    cache: blocks,
    keepsBlocks: settings.cache !== 'off',
    ...(disk !== null && {
      onDisk: (content) => disk.content({ service: baseUrl, bucket: bucket.bucket, ...content }),
    }),
    files,
    space,
    drafts: local.drafts,
    stateDirectory: local.directory,
    clock,
    log,
  });
}

interface Places {
  readonly directory: string;
  readonly cacheDirectory: string;
}

/** What gives way to drafts in `directory`. */
function cleanBytesOf(disk: DiskCache, { directory, cacheDirectory }: Places): CleanBytes {
  return {
    get used() {
      return disk.used;
    },
    areElsewhere: () => areApart(directory, cacheDirectory).catch(() => false),
    shrinkTo: (bytes) => disk.shrinkTo(bytes),
  };
}

/** Whether they are on disks that share no room: parts of one disk with a number each (btrfs) say the same of it. */
async function areApart(one: string, other: string): Promise<boolean> {
  const [mine, its] = await Promise.all([stat(one), stat(other)]);
  if (mine.dev === its.dev) return false;
  const [here, there] = await Promise.all([statfs(one), statfs(other)]);
  return here.blocks * here.bsize !== there.blocks * there.bsize;
}
