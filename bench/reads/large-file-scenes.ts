/** Which reads of large files are measured? */
import type { Contents } from '../contents/contents.ts';
import { largeFiles } from '../contents/file-sets.ts';
import { Pattern, type PatternedFile } from '../contents/pattern.ts';
import type { HttpFloor } from '../floor/http-floor.ts';
import type { Scene, Step } from '../storage/scenes.ts';
import type { PatternedPath } from './reader-process.ts';
import type { Readers } from './readers.ts';

/** How much of everything. */
export interface LargeFileSizes {
  readonly bytes: number;
  readonly randomReads: number;
}

/** Steps that bars name. */
export interface LargeFileSteps {
  readonly sequential: Step;
  readonly sequentialAgain: Step;
  readonly four: Step;
  readonly random: readonly Step[];
  readonly firstByte: Step;
}

/** Files that are read at the same time. */
export const STREAMS = 4;
/** The first bytes of all of them are read. */
const FILES = 10;
const FOLDER = 'large';
const RANDOM_BYTES: readonly number[] = [4096, 128 * 1024];
/** What the floor asks for at once. */
const PART_BYTES = 8 * 1024 * 1024;
const KIB = 1024;
const RANDOM_PAGE = 4096;

/** The step that reads a local copy, too. */
export const nameOfAgain = (size: number): string => `${nameOfSequential(size)} again from the disk`;

const nameOfSequential = (size: number): string => `cat of ${sizeOf(size)}`;

/** `localCopy`: of the first file, on the disk where caches are; null when nobody needs it. */
export function largeFileScenes(
  sizes: LargeFileSizes,
  readers: Readers,
  localCopy: string | null,
): { scenes: readonly Scene[]; steps: LargeFileSteps } {
  const files = largeFiles(FOLDER, FILES, sizes.bytes);
  const [first] = files;
  if (first === undefined) throw new Error('there is no file');
  const play: Play = { files, first, readers, pattern: new Pattern() };
  const sequential = sequentialStep(play);
  const sequentialAgain = againStep(play, sequential, localCopy);
  const four = fourStep(play);
  const random = RANDOM_BYTES.map((length) => randomStep(play, sizes.randomReads, length));
  const firstByte = firstByteStep(play);
  const contents: Contents = { patterned: files };
  const scenes = [[sequential, sequentialAgain], [four], ...random.map((step) => [step]), [firstByte]];
  return {
    scenes: scenes.map((steps) => ({ contents, steps })),
    steps: { sequential, sequentialAgain, four, random, firstByte },
  };
}

interface Play {
  readonly files: readonly PatternedFile[];
  readonly first: PatternedFile;
  readonly readers: Readers;
  readonly pattern: Pattern;
}

function sequentialStep({ first, readers, pattern }: Play): Step {
  return {
    name: nameOfSequential(first.size),
    onMount: (mountpoint) => readers.readWhole([at(mountpoint, first)]),
    onFloor: (floor) => readWhole(floor, [first], pattern),
  };
}

/** Nothing is in the kernel's caches then: it comes from the mount's own cache on the disk, if it has one. */
function againStep({ first, readers }: Play, { onMount }: Step, localCopy: string | null): Step {
  return {
    name: nameOfAgain(first.size),
    dropsCaches: true,
    onMount,
    ...(localCopy !== null && {
      onDisk: () => readers.readWhole([{ ...first, path: localCopy }]),
    }),
  };
}

function fourStep({ files, first, readers, pattern }: Play): Step {
  const streams = files.slice(0, STREAMS);
  return {
    name: `cat of ${STREAMS} x ${sizeOf(first.size)} at once`,
    onMount: (mountpoint) => readers.readWhole(streams.map((file) => at(mountpoint, file))),
    // One after the other would be another thing.
    floorWidths: [8],
    onFloor: (floor) => readWhole(floor, streams, pattern),
  };
}

function randomStep({ first, readers, pattern }: Play, count: number, length: number): Step {
  const positions = randomPositions(count, first.size - length);
  return {
    name: `${count} random reads of ${length / KIB} KiB`,
    onMount: (mountpoint) => readers.readAt(at(mountpoint, first), positions, length),
    floorWidths: [1],
    onFloor: (floor) =>
      floor.each(positions, (start) => readRange(floor, first, { start, end: start + length }, pattern)),
  };
}

function firstByteStep({ files, readers, pattern }: Play): Step {
  return {
    name: `first byte of ${files.length} files`,
    onMount: (mountpoint) => readers.readFirstBytes(files.map((file) => at(mountpoint, file))),
    floorWidths: [1],
    onFloor: (floor) => floor.each(files, (file) => readRange(floor, file, { start: 0, end: 1 }, pattern)),
  };
}

/** In parts when there are several requests at a time, else each in one. */
async function readWhole(floor: HttpFloor, files: readonly PatternedFile[], pattern: Pattern): Promise<void> {
  const ranges = files.flatMap((file) => partsOf(file, floor.width === 1 ? file.size : PART_BYTES));
  await floor.each(ranges, ({ file, start, end }) => readRange(floor, file, { start, end }, pattern));
}

function partsOf(
  file: PatternedFile,
  length: number,
): readonly { readonly file: PatternedFile; readonly start: number; readonly end: number }[] {
  return Array.from({ length: Math.ceil(file.size / length) }, (_, part) => ({
    file,
    start: part * length,
    end: Math.min(file.size, (part + 1) * length),
  }));
}

async function readRange(
  floor: HttpFloor,
  { key, number }: PatternedFile,
  range: { readonly start: number; readonly end: number },
  pattern: Pattern,
): Promise<void> {
  await floor.get(key, range, (bytes, position) => {
    pattern.check(number, position, bytes);
  });
}

/** The same in every run; multiples of 4 KiB. */
function randomPositions(count: number, end: number): readonly number[] {
  const pages = Math.max(1, Math.floor(end / RANDOM_PAGE));
  let state = 1;
  return Array.from({ length: count }, () => {
    // Park and Miller's.
    state = (state * 48_271) % 2_147_483_647;
    return (state % pages) * RANDOM_PAGE;
  });
}

function at(mountpoint: string, file: PatternedFile): PatternedPath {
  return { path: `${mountpoint}/${file.key}`, number: file.number, size: file.size };
}

const sizeOf = (size: number): string => `${Math.round(size / 2 ** 20)} MiB`;
