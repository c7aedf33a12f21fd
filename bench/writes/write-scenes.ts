/** Which writes are measured? */
import { run } from '../frame/programs.ts';
import type { Scene, Step } from '../storage/scenes.ts';
import type { SmallSource, Sources } from './sources.ts';

/** The slowest peer takes minutes. */
const LIMIT_MS = 1_200_000;
const WRITERS = 8;

/** In the order of the table. */
export interface WriteSteps {
  readonly untar: Step;
  readonly remove: Step;
  readonly manyWriters: Step;
  readonly copy: Step;
}

export function writeSteps(sources: Sources): WriteSteps {
  return { ...treeSteps(sources), manyWriters: manyWriters(sources), copy: copy(sources) };
}

/**
 * The tree is removed by the mount that unpacked it, as people do; and both once more, since a mount lives for days and its first
 * thousand files are the slowest.
 */
export function writeScenes({ untar, remove, manyWriters, copy }: WriteSteps): readonly Scene[] {
  return [[untar, remove, again(untar), again(remove)], [manyWriters], [copy]].map((steps) => ({
    contents: null,
    steps,
  }));
}

function again(step: Step): Step {
  return { ...step, name: `${step.name}, again` };
}

function treeSteps({ tree, archive }: Sources): Pick<WriteSteps, 'untar' | 'remove'> {
  const count = tree.length.toLocaleString('en');
  return {
    untar: {
      name: `untar of ${count} small files`,
      // As one who is not root: root's tar would also set owners and exact modes.
      onMount: async (mountpoint) => {
        const asAnybody = ['--no-same-owner', '--no-same-permissions'];
        await run('tar', ['-xf', archive, ...asAnybody, '-C', mountpoint], LIMIT_MS);
      },
      onFloor: (floor) => floor.each(tree, ({ key, bytes }) => floor.put(key, bytes)),
      holds: tree,
    },
    remove: {
      name: `rm -rf of ${count}`,
      onMount: async (mountpoint) => {
        await run('rm', ['-rf', `${mountpoint}/tree`], LIMIT_MS);
      },
      onFloor: (floor) => floor.each(tree, ({ key }) => floor.delete(key)),
      holds: [],
    },
  };
}

function manyWriters({ many }: Sources): Step {
  return {
    name: `${many.length} files by ${WRITERS} writers`,
    onMount: async (mountpoint) => {
      await Promise.all(
        shares(many).map((files) =>
          run('cp', [...files.map((file) => file.path), '-t', mountpoint], LIMIT_MS),
        ),
      );
    },
    onFloor: (floor) => floor.each(many, ({ key, bytes }) => floor.put(key, bytes)),
    holds: many,
  };
}

function copy({ big }: Sources): Step {
  return {
    name: `copy of ${Math.round(big.size / 2 ** 20)} MiB`,
    onMount: async (mountpoint) => {
      await run('cp', [big.path, `${mountpoint}/${big.key}`], LIMIT_MS);
    },
    onFloor: (floor) => floor.putFile(big.key, big.path, big.size),
    holds: [big],
  };
}

function shares(files: readonly SmallSource[]): readonly (readonly SmallSource[])[] {
  return Array.from({ length: WRITERS }, (_, writer) =>
    files.filter((_file, index) => index % WRITERS === writer),
  ).filter((share) => share.length > 0);
}
