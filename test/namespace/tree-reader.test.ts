/** SEMANTICS `[list/ahead]`: which folders is a program that reads a tree foreseen to list next? */
import { describe, expect, it } from 'vitest';
import { TreeReader } from '../../src/namespace/tree-reader.ts';
import { childOf } from '../../src/store/keys.ts';

const TOP = ['d0', 'd1', 'd2', 'd3', 'd4', 'd5'];

/** In each folder of the top are the folders `below`. `listed`: listings that are known besides those that the program reads. */
function tree(below: readonly string[], listed: readonly string[] = []) {
  const known = new Map<string, readonly string[]>([['/', TOP]]);
  const foldersOf = (path: string): readonly string[] => (path.lastIndexOf('/') === 0 ? below : []);
  for (const path of listed) known.set(path, foldersOf(path));
  const reader = new TreeReader(
    {
      foldersIn: (path, most) => known.get(path)?.slice(0, most),
      isLong: () => false,
      lifetime: 10_000,
    },
    '/',
  );
  let now = 1_000_000;
  /** Lists them one after the other; returns what is foreseen then. */
  const list = (...paths: string[]): readonly string[] => {
    for (const path of paths) {
      now += 10;
      reader.goTo(path, now);
      known.set(path, foldersOf(path));
    }
    return reader.foreseen(now);
  };
  return { reader, list };
}

describe('a program that goes on as foreseen', () => {
  it('comes to the folders below the one that it has just listed, and then to the next ones [list/ahead]', () => {
    const { list } = tree(['x', 'y']);

    expect(list('/d0', '/d0/x', '/d0/y', '/d1')).toEqual(['/d1/x', '/d1/y', '/d2', '/d3']);
  });

  it('and goes no deeper comes to the folders beside it alone, also past those that are listed [list/ahead]', () => {
    const { list } = tree(['x'], ['/d3']);

    expect(list('/d0', '/d1', '/d2')).toEqual(['/d4']);
  });

  it('and goes deeper after all comes to what is below the next ones [list/ahead]', () => {
    const { list } = tree(['x', 'y'], ['/d2']);

    expect(list('/d0', '/d1', '/d1/x', '/d1/y')).toContain('/d2/x');
  });

  it('comes to nothing by the top of the tree, which is in no folder', () => {
    const { reader } = tree(['x']);

    expect(reader.mayGoTo('/d0')).toBe(true);
    expect(reader.mayGoTo('/')).toBe(false);
  });
});

it('of a program that leaves a folder out nothing is foreseen any more [list/ahead]', () => {
  const { list } = tree(['x', 'y']);
  expect(list('/d0', '/d0/x', '/d0/y', '/d1', '/d1/x')).toContain(childOf('/d1', 'y'));

  expect(list('/d2')).toEqual([]);
});

it('after a failure nothing is foreseen until the program has gone as foreseen twice more [list/ahead]', () => {
  const { reader, list } = tree([]);
  expect(list('/d0', '/d1', '/d2')).toEqual(['/d3', '/d4']);

  reader.giveUp();

  expect(list('/d3')).toEqual([]);
  expect(list('/d4')).toEqual(['/d5']);
});
