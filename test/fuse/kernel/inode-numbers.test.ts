import { describe, expect, it } from 'vitest';
import { mixed } from '../../../src/base/hash-index.ts';
import { InodeNumbers } from '../../../src/fuse/kernel/inode-numbers.ts';
import type { NodeFacts } from '../../../src/fuse/kernel/node.ts';
import { NodeTable, ROOT_NODE } from '../../../src/fuse/kernel/node-table.ts';

const folderFacts: NodeFacts = { kind: 'folder', identity: 0 };
/** `etag`: null as long as the service has not told it. */
const file = (identity: number, etag: string | null = `etag of ${identity}`): NodeFacts => ({
  kind: 'file',
  identity,
  etag,
});
/** So many that two of them share a number that is made of their names alone. */
const MANY = 300_000;
/** As if by chance. */
const nameOf = (id: number): string => mixed(id).toString(36);

/** Of `/d/f` and `/f`, in a mount in which the kernel was told of `before` first. */
function numbersOf(...before: readonly string[]): number[] {
  const table = new NodeTable(() => undefined);
  const root = table.get(ROOT_NODE);
  for (const [index, name] of before.entries()) table.lookUp(root, name, file(100 + index));
  const folder = table.lookUp(root, 'd', folderFacts);
  return [table.lookUp(folder, 'f', file(1)).inode, table.lookUp(root, 'f', file(2)).inode];
}

describe('the inode number of a file', () => {
  it('is the same in every mount, and 32 bits hold it', () => {
    const [inside = 0, above = 0] = numbersOf();

    expect(numbersOf('other', 'names')).toEqual([inside, above]);
    expect(inside).not.toBe(above);
    for (const inode of [inside, above]) {
      expect(inode).toBeGreaterThan(ROOT_NODE);
      expect(inode).toBeLessThan(0xffffffff);
    }
  });

  it('stays its own after a rename, and what is made under the old name has another', () => {
    const table = new NodeTable(() => undefined);
    const root = table.get(ROOT_NODE);
    const log = table.lookUp(root, 'log', file(1));
    const { inode } = log;

    table.move(root, 'log', root, 'log.1');
    const next = table.lookUp(root, 'log', file(2));

    expect(log.inode).toBe(inode);
    expect(next.inode).not.toBe(inode);
  });

  it('is that of its content: what others store in its place has another, whoever still knows of it', () => {
    const table = new NodeTable(() => undefined);
    const root = table.get(ROOT_NODE);
    const seen = ['one', 'two', 'six'].map((etag, index) => {
      const { id, inode } = table.lookUp(root, 'a', file(index, etag));
      table.forget(id, 1);
      return inode;
    });

    expect(new Set(seen).size).toBe(3);
    expect(table.lookUp(root, 'a', file(7, 'two')).inode).toBe(seen[1]);
  });

  it('is another one in each mount before the service has named its content', () => {
    const made = [1, 2].map((seed) => {
      const table = new NodeTable(() => undefined, undefined, seed);
      return table.lookUp(table.get(ROOT_NODE), 'new', file(1, null)).inode;
    });

    expect(made[0]).not.toBe(made[1]);
  });

  it('is free again once the kernel has let go of the file', () => {
    const table = new NodeTable(() => undefined);
    const root = table.get(ROOT_NODE);
    const { id, inode } = table.lookUp(root, 'a', file(1, 'same'));

    expect(table.lookUp(root, 'a', file(2, 'same')).inode).not.toBe(inode);
    table.forget(id, 1);
    table.detach(root, 'a');

    expect(table.lookUp(root, 'a', file(3, 'same')).inode).toBe(inode);
  });

  it('is no number of another whose names happen to make the same', () => {
    const made = new Map<number, number>();
    const numbers = new InodeNumbers((id) => made.get(id) ?? 0, 0);
    for (let id = 0; id < MANY; id += 1) {
      made.set(id, numbers.free(ROOT_NODE, nameOf(id), folderFacts));
      numbers.add(id);
    }
    const fresh = new InodeNumbers(() => 0, 0);
    const byNameAlone = new Set([...made.keys()].map((id) => fresh.free(ROOT_NODE, nameOf(id), folderFacts)));

    expect(new Set(made.values()).size).toBe(MANY);
    expect(byNameAlone.size).toBeLessThan(MANY);
  });

  it('is found soon also by the last of thousands that had the same name first', () => {
    const files = 5000;
    const made: number[] = [];
    let looks = 0;
    const numbers = new InodeNumbers((id) => {
      looks += 1;
      return made[id] ?? 0;
    }, 0);
    for (let id = 0; id < files; id += 1) {
      made.push(numbers.free(ROOT_NODE, 'upload.tmp', folderFacts));
      numbers.add(id);
    }

    expect(new Set(made).size).toBe(files);
    expect(looks).toBeLessThan(30 * files);
  });
});
