/**
 * How are a million nodes written down in few bytes? In rows of numbers outside the heap, a thousand to a chunk. Where most of those
 * are forgotten the others are objects, until many come back: a few that stay must not keep the rows of all that the kernel has ever looked
 * at. What few nodes have, e.g. open handles, or children, is an object beside them.
 */
import type { FileHandle } from '../../filesystem/operations.ts';
import { Chunk, CHUNK_ROWS, FewRows, type Column, type Rows } from './node-chunks.ts';

/** So few nodes take less as objects than as a chunk. */
const FEW_ROWS = CHUNK_ROWS / 16;
/** So many take less as a chunk, and would not be few again with the next that is forgotten. */
const MANY_ROWS = 4 * FEW_ROWS;

/** In `kinds`; 0 where no node is. */
export const nodeKinds = { folder: 1, file: 2 } as const;

/** Stands for no node. */
export const NO_NODE = 0;

/** What few nodes have. */
export class NodeExtras {
  formerPath: string | undefined = undefined;
  isDoubtful = false;
  isRenewed = false;
  isBeingReplaced = false;
  changes = 0;
  listings = 0;
  readonly children = { first: NO_NODE, last: NO_NODE, count: 0 };
  handles: Set<FileHandle> | null = null;
  missing: Map<string, number> | null = null;

  /** Whether they say no more than that there are none. */
  get areNone(): boolean {
    const { formerPath, isDoubtful, isRenewed, isBeingReplaced, changes, listings } = this;
    const isMarked = isDoubtful || isRenewed || isBeingReplaced || formerPath !== undefined;
    const isFolder = changes > 0 || listings > 0 || this.children.count > 0 || this.missing !== null;
    return !isMarked && !isFolder && (this.handles?.size ?? 0) === 0;
  }
}

/** By number. Of a number that is no node everything is zero. */
export class NodeRows {
  /** By the number of the chunk, as are those below: none is in both. */
  readonly #chunks = new Map<number, Chunk>();
  readonly #few = new Map<number, FewRows>();
  readonly #extras = new Map<number, NodeExtras>();
  #size = 0;
  /** The chunk to which nodes are added. */
  #growing = 0;

  get size(): number {
    return this.#size;
  }

  /** Roughly, the memory that the rows take. */
  get bytes(): number {
    let sum = 0;
    for (const rows of [...this.#chunks.values(), ...this.#few.values()]) sum += rows.bytes;
    return sum;
  }

  has(id: number): boolean {
    return this.get(id, 'kinds') !== 0;
  }

  add(id: number, kind: keyof typeof nodeKinds, identity: number): void {
    this.#rowsFor(Math.floor(id / CHUNK_ROWS)).count += 1;
    this.#size += 1;
    this.set(id, 'kinds', nodeKinds[kind]);
    this.set(id, 'identities', identity);
    this.set(id, 'trustedUntil', Number.NEGATIVE_INFINITY);
    for (const column of ['parents', 'next', 'previous', 'lookups', 'modes'] as const)
      this.set(id, column, 0);
    this.setName(id, '');
  }

  /** One that is here. */
  remove(id: number): void {
    this.set(id, 'kinds', 0);
    this.#extras.delete(id);
    this.#size -= 1;
    const rows = this.#rowsOf(id);
    if (rows === undefined) return;
    rows.count -= 1;
    this.#thinOut(Math.floor(id / CHUNK_ROWS));
  }

  get(id: number, column: Column): number {
    const index = Math.floor(id / CHUNK_ROWS);
    // Not by one call for both: this is asked some ten times for each name.
    const chunk = this.#chunks.get(index);
    if (chunk !== undefined) return chunk[column][id % CHUNK_ROWS] ?? 0;
    return this.#few.get(index)?.get(id % CHUNK_ROWS, column) ?? 0;
  }

  set(id: number, column: Column, value: number): void {
    const index = Math.floor(id / CHUNK_ROWS);
    const chunk = this.#chunks.get(index);
    if (chunk !== undefined) chunk[column][id % CHUNK_ROWS] = value;
    else this.#few.get(index)?.set(id % CHUNK_ROWS, column, value);
  }

  nameOf(id: number): string {
    return this.#rowsOf(id)?.nameOf(id % CHUNK_ROWS) ?? '';
  }

  isNamed(id: number, name: string): boolean {
    return this.#rowsOf(id)?.isNamed(id % CHUNK_ROWS, name) ?? false;
  }

  hashOfName(id: number): number {
    return this.#rowsOf(id)?.hashOfName(id % CHUNK_ROWS) ?? 0;
  }

  setName(id: number, name: string): void {
    this.#rowsOf(id)?.setName(id % CHUNK_ROWS, name);
  }

  /** What it has of those, if anything. */
  extrasIn(id: number): NodeExtras | undefined {
    return this.#extras.get(id);
  }

  /** Made when there are none. */
  extrasOf(id: number): NodeExtras {
    const known = this.#extras.get(id);
    if (known !== undefined) return known;
    const extras = new NodeExtras();
    if (this.has(id)) this.#extras.set(id, extras);
    return extras;
  }

  /** They go when nothing of them is left. */
  dropNone(id: number): void {
    if (this.#extras.get(id)?.areNone === true) this.#extras.delete(id);
  }

  *ids(): Generator<number, void> {
    for (const group of [this.#chunks, this.#few])
      for (const [index, rows] of group) for (const row of rows.used()) yield index * CHUNK_ROWS + row;
  }

  /** Where one more node is to be written down. */
  #rowsFor(index: number): Rows {
    const chunk = this.#chunks.get(index);
    if (chunk !== undefined) return chunk;
    const few = this.#few.get(index) ?? new FewRows();
    // A number that comes back (resting-numbers.ts) may be alone in its thousand.
    if (index < this.#growing && few.count < MANY_ROWS) {
      this.#few.set(index, few);
      return few;
    }
    const made = new Chunk(few);
    this.#few.delete(index);
    this.#chunks.set(index, made);
    const before = this.#growing;
    this.#growing = Math.max(before, index);
    if (before < index) this.#thinOut(before);
    return made;
  }

  /** A chunk that does not grow takes as much as its nodes are worth. */
  #thinOut(index: number): void {
    if (index === this.#growing) return;
    const chunk = this.#chunks.get(index);
    if (chunk !== undefined && chunk.count <= FEW_ROWS) {
      this.#chunks.delete(index);
      this.#few.set(index, new FewRows(chunk));
    }
    if (this.#few.get(index)?.count === 0) this.#few.delete(index);
  }

  #rowsOf(id: number): Rows | undefined {
    const index = Math.floor(id / CHUNK_ROWS);
    return this.#chunks.get(index) ?? this.#few.get(index);
  }
}
