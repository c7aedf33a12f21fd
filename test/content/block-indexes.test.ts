/** Which blocks of each version are held, and in how much memory? */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockIndexes } from '../../src/content/block-indexes.ts';

describe('blocks by version', () => {
  it('take no set for a version of one block, however many there are', () => {
    const indexes = new BlockIndexes();
    for (let version = 0; version < 1000; version += 1) indexes.add(version, 0);
    expect(indexes.sets).toBe(0);

    indexes.add(7, 1);
    expect(indexes.sets).toBe(1);
    for (const index of [0, 1]) indexes.delete(7, index);
    expect(indexes.sets).toBe(0);
  });

  it('are those that were added and not deleted', () => {
    const step = fc.record({
      add: fc.boolean(),
      version: fc.integer({ min: -1, max: 2 }),
      index: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const indexes = new BlockIndexes();
        const model = new Set<string>();
        for (const { add, version, index } of steps) {
          indexes[add ? 'add' : 'delete'](version, index);
          model[add ? 'add' : 'delete'](`${version}/${index}`);
        }
        for (const version of [-1, 0, 1, 2]) {
          const held = [0, 1, 2, 3].filter((index) => model.has(`${version}/${index}`));
          expect([...indexes.of(version)].sort()).toEqual(held);
          expect([0, 1, 2, 3].filter((index) => indexes.has(version, index))).toEqual(held);
        }
      }),
    );
  });
});
