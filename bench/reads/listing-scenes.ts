/** Which listings are measured? */
import type { Contents, StoredFile } from '../contents/contents.ts';
import { namedFiles, tree } from '../contents/file-sets.ts';
import type { FloorListing } from '../floor/http-floor.ts';
import { run } from '../frame/programs.ts';
import type { Scene, Step } from '../storage/scenes.ts';
import { foundLines, listedSizes, requireFound, type Found } from './found.ts';

/** How much of everything. */
export interface ListingSizes {
  /** Names in folders. */
  readonly folders: readonly number[];
  /** So many folders of so many files. */
  readonly treeWidth: number;
  readonly missing: number;
}

/** Steps that bars name. */
export interface ListingSteps {
  readonly listings: readonly Step[];
  readonly listingsAgain: readonly Step[];
  readonly find: Step;
  readonly findAgain: Step;
  readonly missing: Step;
}

const LIMIT_MS = 1_100_000;
const FOLDER = 'names';
const TREE = 'tree';

export function listingScenes(sizes: ListingSizes): { scenes: readonly Scene[]; steps: ListingSteps } {
  const folders = sizes.folders.map((count) => namedFiles(FOLDER, count));
  const listings = folders.map(longListing);
  const listingsAgain = listings.map(again);
  const branches = tree(TREE, sizes.treeWidth, sizes.treeWidth);
  const find = findStep(branches, sizes.treeWidth);
  const findAgain = again(find);
  const [smallest = []] = folders;
  const missing = missingStep(smallest, sizes.missing);
  const contents = folders.map((files): Contents => ({ files }));
  const scenes: Scene[] = contents.map((each, index) => ({
    contents: each,
    steps: [listings[index], listingsAgain[index]].filter((step) => step !== undefined),
  }));
  scenes.push({ contents: { files: branches }, steps: [find, findAgain] });
  scenes.push({ contents: contents[0] ?? { files: [] }, steps: [missing] });
  return { scenes, steps: { listings, listingsAgain, find, findAgain, missing } };
}

/** On the same mount, at once. No request would be the least. */
function again({ name, onMount }: Step): Step {
  return { name: `${name} again`, onMount };
}

function longListing(files: readonly StoredFile[]): Step {
  const expected = new Map(
    files.map(({ key, bytes }): [string, string] => [nameOf(key), String(bytes.length)]),
  );
  return {
    name: `ls -l of ${files.length} names`,
    onMount: async (mountpoint, afterwards) => {
      const { output } = await run('ls', ['-l', `${mountpoint}/${FOLDER}`], LIMIT_MS);
      afterwards(() => {
        requireFound(listedSizes(output), expected);
      });
    },
    onFloor: async (floor, afterwards) => {
      const listing = await floor.list(`${FOLDER}/`);
      afterwards(() => {
        requireFound(sizesOf(listing), expected);
      });
    },
  };
}

function findStep(files: readonly StoredFile[], width: number): Step {
  const keys = files.flatMap(({ key }) => [key, key.slice(0, key.lastIndexOf('/'))]);
  const expected = (top: string): Found =>
    new Map([TREE, ...keys].map((key): [string, string] => [`${top}${key}`, '']));
  return {
    name: `find in ${width} x ${width} files`,
    onMount: async (mountpoint, afterwards) => {
      const { output } = await run('find', [`${mountpoint}/${TREE}`], LIMIT_MS);
      afterwards(() => {
        requireFound(foundLines(output), expected(`${mountpoint}/`));
      });
    },
    onFloor: async (floor, afterwards) => {
      const { folders } = await floor.list(`${TREE}/`);
      const found = [TREE, ...folders.map((folder) => folder.slice(0, -1))];
      await floor.each(folders, async (folder) => {
        found.push(...(await floor.list(folder)).files.keys());
      });
      afterwards(() => {
        requireFound(foundLines(found.join('\n')), expected(''));
      });
    },
  };
}

function missingStep(files: readonly StoredFile[], count: number): Step {
  const script =
    'found=0; for i in $(seq "$1"); do if [ -e "$0/missing-$i" ]; then found=$((found+1)); fi; done; echo $found';
  return {
    name: `stat of ${count} missing names`,
    onMount: async (mountpoint) => {
      const { output } = await run('sh', ['-c', script, `${mountpoint}/${FOLDER}`, String(count)], LIMIT_MS);
      if (output.trim() !== '0') throw new Error(`${output.trim()} of the missing names are there`);
    },
    // Who has listed the folder knows what is not in it.
    onFloor: async (floor) => {
      const listing = await floor.list(`${FOLDER}/`);
      if (listing.files.size !== files.length) throw new Error('the listing is wrong');
    },
  };
}

function sizesOf({ files }: FloorListing): Found {
  return new Map([...files].map(([key, size]): [string, string] => [nameOf(key), String(size)]));
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
