import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, NodeFacts } from '../../../src/fuse/kernel/node.ts';
import { NodeTable, ROOT_NODE } from '../../../src/fuse/kernel/node-table.ts';

const folderFacts: NodeFacts = { kind: 'folder', identity: 0 };
const file = (identity: number): NodeFacts => ({ kind: 'file', identity });

function tableWith(...names: readonly string[]): { table: NodeTable; root: Node; nodes: Node[] } {
  const table = new NodeTable(() => undefined);
  const root = table.get(ROOT_NODE);
  return { table, root, nodes: names.map((name) => table.lookUp(root, name, file(name.charCodeAt(0)))) };
}

describe('a node', () => {
  it('keeps its number while the kernel knows of it, and is forgotten with the last lookup', () => {
    const { table, root, nodes } = tableWith('a', 'a');

    expect(nodes[0]?.id).toBe(nodes[1]?.id);
    table.forget(nodes[0]?.id ?? 0, 1);
    expect(table.known(root, 'a')?.id).toBe(nodes[0]?.id);
    table.forget(nodes[0]?.id ?? 0, 1);
    expect(table.known(root, 'a')).toBeUndefined();
    expect(table.size).toBe(1);
  });

  it('says where it was before another name leads to it', () => {
    const left: string[] = [];
    const table = new NodeTable((node) => left.push(node.name));
    const root = table.get(ROOT_NODE);
    const { id } = table.lookUp(root, 'a', file(7));

    table.lookUp(root, 'a', file(7));
    table.move(root, 'a', root, 'b');
    expect(left).toEqual([]);
    expect(table.lookUp(root, 'c', file(7)).id).toBe(id);

    expect(left).toEqual(['b']);
  });

  it('of a file whose bytes are doubted is the same under its new identity, whatever name leads to that', () => {
    const renewed: number[] = [];
    const table = new NodeTable(
      () => undefined,
      ({ id }) => renewed.push(id),
    );
    const root = table.get(ROOT_NODE);
    const { id } = table.lookUp(root, 'a', file(7));

    expect(table.lookUp(root, 'a', { ...file(8), follows: 7 }).id).toBe(id);

    expect(renewed).toEqual([id]);
    expect(table.living(file(8))?.id).toBe(id);
    expect(table.living(file(7))).toBeUndefined();
    expect(table.lookUp(root, 'b', file(8)).id).toBe(id);
  });

  it('has a name that the kernel is not told is missing any more', () => {
    const { table, root } = tableWith();
    root.missing.set('a', 1000);

    table.lookUp(root, 'a', file(1));

    expect(root.hasMissing).toBe(false);
  });

  it('never gets the number of another, also of one that is gone', () => {
    const { table, root, nodes } = tableWith('a');
    table.forget(nodes[0]?.id ?? 0, 1);

    expect(table.lookUp(root, 'a', file(1)).id).not.toBe(nodes[0]?.id);
  });

  it('moves with a rename of its own and of the folders above', () => {
    const { table, root } = tableWith();
    const folder = table.lookUp(root, 'folder', folderFacts);
    const inside = table.lookUp(folder, 'file', file(1));

    table.move(root, 'folder', root, 'moved');
    table.move(folder, 'file', folder, 'other');

    expect(table.pathOf(inside)).toBe('/moved/other');
  });

  it('has no path once its name is deleted, or another took it, and is still there', () => {
    const { table, root, nodes } = tableWith('a', 'b', 'c');
    table.detach(root, 'a');
    table.move(root, 'b', root, 'c');

    expect(nodes.map((node) => table.pathOf(node))).toEqual([undefined, '/c', undefined]);
    expect(nodes.map(({ id }) => table.get(id))).toEqual(nodes);
  });

  it('is another when another kind of thing has its name', () => {
    const { table, root, nodes } = tableWith('a');
    const folder = table.lookUp(root, 'a', folderFacts);

    expect(folder.id).not.toBe(nodes[0]?.id);
    expect(table.pathOf(folder)).toBe('/a');
    expect(nodes.map((node) => table.pathOf(node))).toEqual([undefined]);
  });

  it('is another when a foreign version has its name, and is found again where its file comes back', () => {
    const { table, root, nodes } = tableWith('a');
    const other = table.lookUp(root, 'a', file(1000));

    expect(other.id).not.toBe(nodes[0]?.id);
    expect(nodes.map((node) => table.pathOf(node))).toEqual([undefined]);
    expect(table.lookUp(root, 'b', file('a'.charCodeAt(0))).id).toBe(nodes[0]?.id);
    expect(nodes.map((node) => table.pathOf(node))).toEqual(['/b']);
    expect(table.pathOf(other)).toBe('/a');
  });

  it('is not found again once the kernel has let go of it', () => {
    const { table, root, nodes } = tableWith('a');
    table.detach(root, 'a');
    table.forget(nodes[0]?.id ?? 0, 1);

    expect(table.lookUp(root, 'a', file('a'.charCodeAt(0))).id).not.toBe(nodes[0]?.id);
  });

  it('has its number again when it was forgotten with its name: a file wherever it is then, a folder where it was', () => {
    const { table, root, nodes } = tableWith('a', 'b');
    const folder = table.lookUp(root, 'folder', folderFacts);
    const inside = table.lookUp(folder, 'inside', folderFacts);
    const before = [...nodes, folder, inside].map(({ id }) => id);
    for (const id of [...before].reverse()) table.forget(id, 1);
    const sizes = [table.size];

    const again = table.lookUp(root, 'folder', folderFacts);
    const after = [
      table.lookUp(again, 'a', file('a'.charCodeAt(0))),
      table.lookUp(root, 'b', file('b'.charCodeAt(0))),
      again,
      table.lookUp(again, 'inside', folderFacts),
    ].map(({ id }) => id);
    const others = [
      table.lookUp(root, 'a', file(1000)),
      table.lookUp(root, 'inside', folderFacts),
      table.lookUp(again, 'b', file(1001)),
    ].map(({ id }) => id);

    expect(sizes).toEqual([1]);
    expect(after).toEqual(before);
    expect(new Set([...before, ...others]).size).toBe(7);
  });

  it('keeps its number from whatever else gets its name meanwhile', () => {
    const { table, root, nodes } = tableWith('a');
    const folder = table.lookUp(root, 'folder', folderFacts);
    table.forget(nodes[0]?.id ?? 0, 1);
    const other = table.lookUp(root, 'a', file(1000));
    const again = table.lookUp(root, 'a', file('a'.charCodeAt(0)));
    table.detach(root, 'folder');
    const made = table.lookUp(root, 'folder', folderFacts);

    expect([again.id, other.id === again.id]).toEqual([nodes[0]?.id, false]);
    expect(made.id).not.toBe(folder.id);
  });

  it('stays where it is when renamed to its own name', () => {
    const { table, root, nodes } = tableWith('a');
    table.move(root, 'a', root, 'a');

    expect(nodes.map((node) => table.pathOf(node))).toEqual(['/a']);
  });

  it('leads its children on after the kernel forgot it, until they are forgotten too', () => {
    const { table, root } = tableWith();
    const folder = table.lookUp(root, 'folder', folderFacts);
    const inside = table.lookUp(folder, 'file', file(1));
    table.forget(folder.id, 1);

    expect(table.pathOf(inside)).toBe('/folder/file');
    table.forget(inside.id, 1);
    expect(table.size).toBe(1);
  });
});

describe('the table of nodes', () => {
  it('knows each of many by name, number and place, also when most are forgotten and renamed', () => {
    const { table, root } = tableWith();
    const name = (index: number): string => `name ${index}`;
    const ids = Array.from(
      { length: 5000 },
      (_, index) => table.lookUp(root, name(index), file(index + 1)).id,
    );
    for (const [index, id] of ids.entries()) if (index % 50 !== 0) table.forget(id, 1);
    const left = ids.filter((_, index) => index % 50 === 0);
    for (let round = 0; round < 100; round += 1)
      for (const [index, id] of left.entries())
        table.move(root, table.get(id).name, root, `round ${round} ${index}`);

    expect([...table.knownIn(root)].map((node) => node.id)).toEqual(left);
    expect(left.map((id) => table.pathOf(table.get(id)))).toEqual(
      left.map((_, index) => `/round 99 ${index}`),
    );
    expect(left.map((_, index) => table.known(root, `round 99 ${index}`)?.id)).toEqual(left);
    expect([table.size, table.countKnownIn(root), [...table.all()].length]).toEqual([101, 100, 101]);
  });

  it('remembers the numbers of so many of those that were forgotten, and no more', () => {
    const { table, root, nodes } = tableWith('a', 'b');
    const [first, second] = nodes.map(({ id }) => id);
    table.forget(first ?? 0, 1);
    for (let index = 0; index < 65_535; index += 1)
      table.forget(table.lookUp(root, 'n', file(1000 + index)).id, 1);
    table.forget(second ?? 0, 1);

    expect(table.lookUp(root, 'b', file('b'.charCodeAt(0))).id).toBe(second);
    expect(table.lookUp(root, 'a', file('a'.charCodeAt(0))).id).not.toBe(first);
  });

  it('is back to the root, whatever happened, once the kernel has given all lookups back', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd');
    const identity = fc.integer({ min: 1, max: 3 });
    const kind = fc.constantFrom('lookUp', 'detach', 'move');
    const act = fc.record({ kind, from: names, to: names, identity });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const table = new NodeTable(() => undefined);
        const root = table.get(ROOT_NODE);
        const told: number[] = [];
        for (const { kind, from, to, identity } of acts) {
          const folders = [root, ...told.map((id) => table.get(id)).filter((node) => node.kind === 'folder')];
          const folder = folders[from.charCodeAt(0) % folders.length] ?? root;
          if (kind === 'lookUp')
            told.push(table.lookUp(folder, to, to < 'c' ? folderFacts : file(identity)).id);
          else if (kind === 'detach') table.detach(folder, to);
          else if (from !== to) table.move(root, from, root, to);
        }

        for (const id of told) table.forget(id, 1);
        expect(table.size).toBe(1);
      }),
    );
  });
});
