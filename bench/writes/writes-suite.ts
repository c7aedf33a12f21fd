/** How fast are writes, counted until the store holds them, beside other mounts and beside plain HTTP? */
import type { Suite, SuiteOptions } from '../frame/suite.ts';
import { pailfsMount, rcloneMount, s3fsMount, type WantedSubjects } from '../mounts/subjects.ts';
import { openStorageSuite } from '../storage/storage-suite.ts';
import { makeSources } from './sources.ts';
import { BACK, HONEST_PEER, THROUGH, writeBars } from './write-bars.ts';
import { writeScenes, writeSteps } from './write-scenes.ts';

/** The suite's title. */
export const WRITES = 'Writes';
const TREE_FILES = 1000;
const MANY_FILES = 200;
const BIG_BYTES = 512 * 1024 * 1024;

/** Peers whose close(2) returns before the store has the bytes. */
const LATE_PEERS: readonly string[] = ['rclone writes', 'rclone full'];

const MOUNTS: WantedSubjects = {
  ours: [pailfsMount(THROUGH, []), pailfsMount(BACK, ['--write-back'])],
  rclone: {
    mounts: ['off', 'writes', 'full'].map((mode) => rcloneMount(mode, ['--vfs-write-back', '1ms'])),
    note: 'defaults but for `no_check_bucket` (fewer requests) and `--vfs-write-back 1ms` (its 5 s before each upload would be all that one sees). "off", "writes" and "full" are its cache modes; in the last two close returns before anything is sent, and errors are only logged.',
  },
  s3fs: { mounts: [s3fsMount('s3fs', () => [])], note: 'defaults.' },
};

const NOTES: readonly string[] = [
  'A write is over when its programs have ended and the store holds every file, byte for byte, and nothing else.',
  'The S3 front puts the parts of a multipart upload together when it is completed, which costs the peers 1.5 s of the copy of 512 MiB that a real S3 would not.',
];

export async function openWritesSuite(options: SuiteOptions): Promise<Suite> {
  const scaled = (usual: number): number => Math.max(1, Math.round(usual * options.scale));
  const sources = await makeSources({
    treeFiles: scaled(TREE_FILES),
    manyFiles: scaled(MANY_FILES),
    bigBytes: scaled(BIG_BYTES),
  });
  const steps = writeSteps(sources);
  const scenes = writeScenes(steps);
  return openStorageSuite(options, {
    title: WRITES,
    mounts: MOUNTS,
    scenes,
    bars: writeBars(scenes, steps),
    rivals: (peers) => [{ name: HONEST_PEER, subjects: peers.filter((name) => !LATE_PEERS.includes(name)) }],
    notes: NOTES,
  });
}
