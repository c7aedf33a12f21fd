import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeTable, ROOT_NODE, type Node } from '../../../src/fuse/kernel/node-table.ts';

function tableWith(...names: readonly string[]): { table: NodeTable; root: Node; nodes: Node[] } {
  const table = new NodeTable();
  const root = table.get(ROOT_NODE);
  return { table, root, nodes: names.map((name) => table.lookUp(root, name, 'file')) };
}

describe('a node', () => {
  it('keeps its number while the kernel knows of it, and is forgotten with the last lookup', () => {
    const { table, root, nodes } = tableWith('a', 'a');

    expect(nodes[0]?.id).toBe(nodes[1]?.id);
    table.forget(nodes[0]?.id ?? 0, 1);
    expect(table.knownId(root, 'a')).toBe(nodes[0]?.id);
    table.forget(nodes[0]?.id ?? 0, 1);
    expect(table.knownId(root, 'a')).toBeUndefined();
    expect(table.size).toBe(1);
  });

  it('never gets the number of another, also of one that is gone', () => {
    const { table, root, nodes } = tableWith('a');
    table.forget(nodes[0]?.id ?? 0, 1);

    expect(table.lookUp(root, 'a', 'file').id).not.toBe(nodes[0]?.id);
  });

  it('moves with a rename of its own and of the folders above', () => {
    const { table, root } = tableWith();
    const folder = table.lookUp(root, 'folder', 'folder');
    const file = table.lookUp(folder, 'file', 'file');

    table.move(root, 'folder', root, 'moved');
    table.move(folder, 'file', folder, 'other');

    expect(table.pathOf(file)).toBe('/moved/other');
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
    const folder = table.lookUp(root, 'a', 'folder');

    expect(folder.id).not.toBe(nodes[0]?.id);
    expect(table.pathOf(folder)).toBe('/a');
    expect(nodes.map((node) => table.pathOf(node))).toEqual([undefined]);
  });

  it('stays where it is when renamed to its own name', () => {
    const { table, root, nodes } = tableWith('a');
    table.move(root, 'a', root, 'a');

    expect(nodes.map((node) => table.pathOf(node))).toEqual(['/a']);
  });

  it('leads its children on after the kernel forgot it, until they are forgotten too', () => {
    const { table, root } = tableWith();
    const folder = table.lookUp(root, 'folder', 'folder');
    const file = table.lookUp(folder, 'file', 'file');
    table.forget(folder.id, 1);

    expect(table.pathOf(file)).toBe('/folder/file');
    table.forget(file.id, 1);
    expect(table.size).toBe(1);
  });
});

describe('the table of nodes', () => {
  it('is back to the root, whatever happened, once the kernel has given all lookups back', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd');
    const act = fc.record({ kind: fc.constantFrom('lookUp', 'detach', 'move'), from: names, to: names });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const table = new NodeTable();
        const root = table.get(ROOT_NODE);
        const told: number[] = [];
        for (const { kind, from, to } of acts) {
          const folders = [root, ...told.map((id) => table.get(id)).filter((node) => node.kind === 'folder')];
          const folder = folders[from.charCodeAt(0) % folders.length] ?? root;
          if (kind === 'lookUp') told.push(table.lookUp(folder, to, to < 'c' ? 'folder' : 'file').id);
          else if (kind === 'detach') table.detach(folder, to);
          else if (from !== to) table.move(root, from, root, to);
        }

        for (const id of told) table.forget(id, 1);
        expect(table.size).toBe(1);
      }),
    );
  });
});
