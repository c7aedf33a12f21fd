/** Do nodes that stay keep the memory of those that went? */
import { describe, expect, it } from 'vitest';
import type { FileHandle } from '../../../src/filesystem/operations.ts';
import { RowNode } from '../../../src/fuse/kernel/node.ts';
import { NodeRows } from '../../../src/fuse/kernel/node-rows.ts';

const EACH = 1000;

function rowsWith(count: number): NodeRows {
  const rows = new NodeRows();
  for (let id = 1; id <= count; id += 1) {
    rows.add(id, 'file', 2 ** 40 + id);
    rows.set(id, 'modes', id % 512);
    rows.setName(id, `name ${id}`);
  }
  return rows;
}

describe('nodes of which most are forgotten', () => {
  it('take as little as those that are left, wherever these are', () => {
    const rows = rowsWith(100 * EACH);
    const { bytes } = rows;
    for (let id = 1; id <= 100 * EACH; id += 1) if (id % EACH !== 0) rows.remove(id);

    expect(rows.size).toBe(100);
    expect(rows.bytes).toBeLessThan(bytes / 40);
  });

  it('take little, too, where each was forgotten before the next one came', () => {
    const rows = new NodeRows();
    for (let id = 1; id <= 100 * EACH; id += 1) {
      rows.add(id, 'file', id);
      if (id % EACH !== 0) rows.remove(id);
    }

    expect(rows.bytes).toBeLessThan(rowsWith(100 * EACH).bytes / 40);
  });

  it('are what they were, can be changed, and go; those that went stay gone', () => {
    const rows = rowsWith(3 * EACH);
    const left = [500, 501, 1500, 2999];
    for (let id = 1; id <= 3 * EACH; id += 1) if (!left.includes(id)) rows.remove(id);
    rows.setName(500, 'other');
    rows.set(500, 'lookups', 7);
    rows.set(502, 'lookups', 7);
    rows.setName(502, 'nobody');
    rows.remove(501);

    expect([...rows.ids()].sort((one, other) => one - other)).toEqual([500, 1500, 2999]);
    expect([rows.nameOf(500), rows.get(500, 'lookups'), rows.get(500, 'identities')]).toEqual([
      'other',
      7,
      2 ** 40 + 500,
    ]);
    expect([rows.isNamed(1500, 'name 1500'), rows.get(1500, 'modes')]).toEqual([true, 1500 % 512]);
    expect([rows.has(501), rows.has(502), rows.nameOf(502), rows.get(502, 'lookups')]).toEqual([
      false,
      false,
      '',
      0,
    ]);
  });
});

describe('nodes that come back', () => {
  it('take little where few of their thousand do, and what the others take where all do, and are what they are made', () => {
    const rows = rowsWith(100 * EACH);
    const { bytes } = rows;
    for (let id = 1; id <= 100 * EACH; id += 1) rows.remove(id);
    for (let id = EACH / 2; id <= 99 * EACH; id += EACH) rows.add(id, 'folder', id);
    const few = rows.bytes;
    for (let id = 1; id <= 100 * EACH; id += 1) {
      if (!rows.has(id)) rows.add(id, 'file', 2 ** 40 + id);
      rows.setName(id, `again ${id}`);
    }

    expect(few).toBeLessThan(bytes / 40);
    expect(rows.bytes).toBeLessThan(1.2 * bytes);
    expect(rows.size).toBe(100 * EACH);
    const wrong = Array.from({ length: 100 * EACH }, (_, index) => index + 1).filter((id) => {
      const isFew = id % EACH === EACH / 2 && id < 99 * EACH;
      return !rows.isNamed(id, `again ${id}`) || rows.get(id, 'identities') !== (isFew ? id : 2 ** 40 + id);
    });
    expect(wrong).toEqual([]);
  });
});

describe('a node that is looked up for days', () => {
  it('has as many lookups as it was told of, also beyond 32 bits', () => {
    const rows = rowsWith(1);
    rows.set(1, 'lookups', 2 ** 32 - 1);
    rows.set(1, 'lookups', rows.get(1, 'lookups') + 2);

    expect(rows.get(1, 'lookups')).toBe(2 ** 32 + 1);
  });
});

describe('what few nodes have', () => {
  const handle: FileHandle = { path: '/name 1', identity: 1 };

  it('goes with the last handle of a file that the kernel still knows', () => {
    const rows = rowsWith(EACH);
    for (const id of rows.ids()) {
      const node = new RowNode(rows, id);
      node.handles.add(handle);
      node.closed(handle);
    }

    expect([...rows.ids()].filter((id) => rows.extrasIn(id) !== undefined)).toHaveLength(0);
  });

  it.each(['isDoubtful', 'isRenewed', 'isBeingReplaced'] as const)(
    'stays where more than the handle was set: %s',
    (mark) => {
      const node = new RowNode(rowsWith(1), 1);
      node.handles.add(handle);
      node[mark] = true;
      node.closed(handle);

      expect(node[mark]).toBe(true);
    },
  );

  it('stays while another handle is open', () => {
    const rows = rowsWith(1);
    const node = new RowNode(rows, 1);
    const other = { ...handle };
    node.handles.add(handle).add(other);
    node.closed(handle);

    expect([...new RowNode(rows, 1).handles]).toEqual([other]);
  });

  it('is seen by all who look, also by those who knew what went', () => {
    const rows = rowsWith(1);
    const [one, other] = [new RowNode(rows, 1), new RowNode(rows, 1)];
    one.handles.add(handle);
    expect(other.isOpen).toBe(true);
    one.closed(handle);
    expect([one.isOpen, other.isOpen]).toEqual([false, false]);

    other.handles.add(handle);
    one.isRenewed = true;

    expect([one.isOpen, other.isRenewed, new RowNode(rows, 1).isRenewed]).toEqual([true, true, true]);
  });

  it('is known to who has looked once the node is forgotten', () => {
    const rows = rowsWith(1);
    const node = new RowNode(rows, 1);
    node.handles.add(handle);
    rows.remove(1);

    expect(node.isOpen).toBe(true);
    node.isDoubtful = true;
    expect(node.isDoubtful).toBe(true);
  });
});
