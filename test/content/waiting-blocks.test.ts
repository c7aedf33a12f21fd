/** Who writes blocks that wait for the disk cache? One at a time for each file, which two would open twice; and until then nobody fills their memory anew. */
import { expect, it } from 'vitest';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { WaitingBlocks } from '../../src/content/disk-cache/waiting-blocks.ts';

const SIZE = 16;
const placeOf = (name: string, index: number) => ({ name, hash: name, group: 0, index });

it('blocks of a file that is being written wait until that is over, those of others do not', () => {
  const waiting = new WaitingBlocks(100 * SIZE, new BlockMemory(SIZE));
  waiting.add(placeOf('one', 0), Buffer.alloc(SIZE));
  const first = waiting.take();
  waiting.add(placeOf('one', 1), Buffer.alloc(SIZE));
  waiting.add(placeOf('other', 0), Buffer.alloc(SIZE));

  const meanwhile = [waiting.take(), waiting.take()];
  if (first !== undefined) waiting.written(first);
  const afterwards = waiting.take();

  expect(meanwhile.map((group) => group?.name)).toEqual(['other', undefined]);
  expect([afterwards?.name, [...(afterwards?.blocks.keys() ?? [])]]).toEqual(['one', [1]]);
});

it('the memory of blocks is free for others once they are written, and not before', () => {
  const memory = new BlockMemory(SIZE);
  const waiting = new WaitingBlocks(100 * SIZE, memory);
  const block = memory.take(SIZE);
  waiting.add(placeOf('one', 0), block);
  memory.letGo(block);
  const group = waiting.take();

  const before = memory.free;
  if (group !== undefined) waiting.written(group);

  expect([before, memory.free]).toEqual([0, SIZE]);
});
