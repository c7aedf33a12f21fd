/** How fast are reads and listings, beside other mounts, plain HTTP and the local disk? */
import type { Suite, SuiteOptions } from '../frame/suite.ts';
import { isChosen } from '../frame/suite.ts';
import { pailfsMount, rcloneMount, s3fsMount, type WantedSubjects } from '../mounts/subjects.ts';
import { timeOf } from '../storage/metrics.ts';
import { LOCAL_DISK } from '../storage/players.ts';
import { PROFILES } from '../storage/profiles.ts';
import { openStorageSuite } from '../storage/storage-suite.ts';
import { largeFileScenes, nameOfAgain, STREAMS } from './large-file-scenes.ts';
import { listingScenes } from './listing-scenes.ts';
import { makeLocalCopy } from './local-copy.ts';
import { readBars } from './read-bars.ts';
import { Readers } from './readers.ts';
import { smallFileScenes } from './small-file-scenes.ts';

/** The suite's title. */
export const READS = 'Reads and listings';
const FOLDERS: readonly number[] = [1000, 20_000];
const TREE_WIDTH = 100;
const MISSING = 2000;
const SMALL_FILES = 2000;
const LARGE_BYTES = 1024 * 1024 * 1024;
const RANDOM_READS = 300;

const MOUNTS: WantedSubjects = {
  ours: [pailfsMount('pailfs', [])],
  rclone: {
    mounts: ['off', 'full'].map((mode) => rcloneMount(mode, ['--use-server-modtime'])),
    note: 'defaults but for `no_check_bucket` and `--use-server-modtime` (fewer requests). "off" and "full" are its cache modes.',
  },
  s3fs: {
    mounts: [
      s3fsMount('s3fs', () => []),
      s3fsMount('s3fs cache', (folder) => ['-o', `use_cache=${folder}/cache`]),
    ],
    note: 'defaults; "s3fs cache" with `use_cache`.',
  },
};

const NOTES: readonly string[] = [
  'Each workload begins on a fresh mount with empty cache directories, but for those called "again", which follow on the same mount at once; before "again from the disk" the kernel drops its caches.',
  'Every byte and every name is compared with what it should be; who shows anything else is not measured.',
  'A mount with `--write-back` reads as one without, and is left out.',
];

export async function openReadsSuite(options: SuiteOptions): Promise<Suite> {
  const scaled = (usual: number): number => Math.max(1, Math.round(usual * options.scale));
  const readers = await Readers.start(STREAMS);
  const listing = listingScenes({
    folders: FOLDERS.map(scaled),
    treeWidth: scaled(TREE_WIDTH),
    missing: scaled(MISSING),
  });
  const sizes = { bytes: scaled(LARGE_BYTES), randomReads: scaled(RANDOM_READS) };
  const isCopyRead = isLocalCopyRead(sizes.bytes, options);
  const large = largeFileScenes(sizes, readers, isCopyRead ? await makeLocalCopy(sizes.bytes) : null);
  const small = smallFileScenes(scaled(SMALL_FILES));
  const scenes = [...listing.scenes, ...large.scenes, ...small.scenes];
  return openStorageSuite(options, {
    title: READS,
    mounts: MOUNTS,
    scenes,
    bars: readBars(scenes, { ...listing.steps, ...large.steps, ...small.steps }),
    rivals: () => [],
    notes: NOTES,
  });
}

/** A gigabyte is not written for nothing. */
function isLocalCopyRead(size: number, { workloads, subjects }: SuiteOptions): boolean {
  const times = PROFILES.map((profile) => timeOf(nameOfAgain(size), profile));
  return isChosen(LOCAL_DISK, subjects) && times.some((time) => isChosen(time, workloads));
}
