/** Programs that bring whole trees. */
import type { Program } from './program.ts';

/** Makes a tree of ten folders. */
const tree = (filesInEach: number): string => `
  for i in $(seq 10); do mkdir -p "$1/tree/d$i"; for j in $(seq ${filesInEach}); do echo $i $j > "$1/tree/d$i/f$j"; done; done`;
const TREE = tree(20);

export const archives: readonly Program[] = [
  {
    name: 'tar',
    endsAsOnDisk: true,
    steps: [
      { script: `${tree(100)}; tar -C "$1" -cf "$1/tree.tar" tree` },
      { what: '-x of 1,000 files', script: 'tar -xf "$1/tree.tar"', costs: { put: 1000, folder: 11 } },
    ],
  },
  {
    name: 'unzip',
    endsAsOnDisk: true,
    steps: [
      { script: `${TREE}; (cd "$1"; zip -qr tree.zip tree)` },
      { what: '200 files', script: 'unzip -q "$1/tree.zip"', costs: { put: 200, folder: 11 } },
    ],
  },
  {
    name: 'rsync',
    endsAsOnDisk: true,
    steps: [
      { script: TREE },
      { what: '-a of 200 files', script: 'rsync -a "$1/tree/" ./', costs: { put: 200, folder: 10 } },
      {
        what: 'the same again: nothing is transferred',
        script: 'rsync -a --stats "$1/tree/" ./ | grep -q "^Number of regular files transferred: 0$"',
        costs: {},
      },
      {
        what: 'again after one file has grown',
        script: 'echo more >> "$1/tree/d3/f3"; rsync -a "$1/tree/" ./',
        costs: { put: 1 },
      },
      {
        what: '--delete after 20 files have gone',
        // A folder that is empty for three seconds would be made to stay.
        script: 'rm "$1"/tree/d4/*; touch d4/stays; rsync -a --delete --exclude=stays "$1/tree/" ./',
        costs: { delete: 20, put: 1 },
      },
    ],
  },
  {
    name: 'cp, rm',
    endsAsOnDisk: true,
    steps: [
      { script: TREE },
      { what: 'cp -r of 200 files', script: 'cp -r "$1/tree" .', costs: { put: 200, folder: 11 } },
      {
        what: 'rm -rf of them',
        script: 'rm -rf tree',
        costs: { delete: 211, list: 11 },
      },
    ],
  },
];
