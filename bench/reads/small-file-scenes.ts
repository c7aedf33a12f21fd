/** Which reads of small files are measured? */
import type { Contents, StoredFile } from '../contents/contents.ts';
import { hasNeedle, md5, NEEDLE, smallFiles, texts } from '../contents/file-sets.ts';
import type { HttpFloor } from '../floor/http-floor.ts';
import { run } from '../frame/programs.ts';
import type { Scene, Step } from '../storage/scenes.ts';
import { foundLines, foundSums, requireFound } from './found.ts';

/** Steps that bars name. */
export interface SmallFileSteps {
  readonly oneByOne: Step;
  readonly eightAtATime: Step;
  readonly grep: Step;
}

const LIMIT_MS = 1_100_000;
const FOLDER = 'small';
const TEXTS = 'texts';
/** Files that one program of eight is told. */
const FILES_A_PROGRAM = 25;

/** `count` files in each. */
export function smallFileScenes(count: number): { scenes: readonly Scene[]; steps: SmallFileSteps } {
  const files = smallFiles(FOLDER, count);
  const [oneByOne, eightAtATime] = sumSteps(files);
  const haystack = texts(TEXTS, count);
  const grep = grepStep(haystack);
  const contents: Contents = { files };
  const scenes = [
    { contents, steps: [oneByOne] },
    { contents, steps: [eightAtATime] },
    { contents: { files: haystack }, steps: [grep] },
  ];
  return { scenes, steps: { oneByOne, eightAtATime, grep } };
}

function sumSteps(files: readonly StoredFile[]): [Step, Step] {
  const expected = new Map(
    files.map(({ key, bytes }): [string, string] => [key.slice(FOLDER.length + 1), md5(bytes)]),
  );
  const step = (name: string, script: string, width: number): Step => ({
    name,
    onMount: async (mountpoint, afterwards) => {
      const { output } = await run('sh', ['-c', script, `${mountpoint}/${FOLDER}`], LIMIT_MS);
      afterwards(() => {
        requireFound(foundSums(output), expected);
      });
    },
    onFloor: (floor) => readAll(floor, [FOLDER], files),
    floorWidths: [width],
  });
  return [
    step(`${files.length} small files one by one`, 'cd "$0" && md5sum *', 1),
    step(
      `${files.length} small files 8 at a time`,
      `cd "$0" && ls | xargs -P 8 -n ${FILES_A_PROGRAM} md5sum`,
      8,
    ),
  ];
}

function grepStep(files: readonly StoredFile[]): Step {
  const folders = [...new Set(files.map(({ key }) => key.slice(0, key.lastIndexOf('/'))))];
  const withNeedle = files.filter((_file, index) => hasNeedle(index));
  return {
    name: `grep -r in ${files.length} small files`,
    onMount: async (mountpoint, afterwards) => {
      const { output } = await run('grep', ['-rl', NEEDLE, `${mountpoint}/${TEXTS}`], LIMIT_MS);
      afterwards(() => {
        const expected = withNeedle.map(({ key }): [string, string] => [`${mountpoint}/${key}`, '']);
        requireFound(foundLines(output), new Map(expected));
      });
    },
    onFloor: (floor) => readAll(floor, [TEXTS, ...folders], files),
  };
}

async function readAll(
  floor: HttpFloor,
  folders: readonly string[],
  files: readonly StoredFile[],
): Promise<void> {
  await floor.each(folders, async (folder) => {
    await floor.list(`${folder}/`);
  });
  await floor.each(files, async ({ key, bytes }) => {
    const pieces: Buffer[] = [];
    await floor.get(key, undefined, (piece) => pieces.push(piece));
    if (!Buffer.concat(pieces).equals(bytes)) throw new Error(`wrong bytes in ${key}`);
  });
}
