/**
 * How are a million nodes written down in few bytes? In rows of numbers outside the heap, a thousand to a chunk, which goes when its
 * last node does. What few nodes have, e.g. open handles, or children, is an object beside them.
 */
import { TextList } from '../../base/text-list.ts';
import type { FileHandle } from '../../filesystem/operations.ts';

const CHUNK_ROWS = 1024;
/** Texts of a chunk, old names among them, before it is written anew. */
const MOST_NAMES = 4 * CHUNK_ROWS;

/** In `kinds`; 0 where no node is. */
export const nodeKinds = { folder: 1, file: 2 } as const;

/** Stands for no node. */
export const NO_NODE = 0;

class Chunk {
  readonly identities = new Float64Array(CHUNK_ROWS);
  readonly trustedUntil = new Float64Array(CHUNK_ROWS);
  readonly parents = new Uint32Array(CHUNK_ROWS);
  /** The next child of the same parent, and the one before. */
  readonly next = new Uint32Array(CHUNK_ROWS);
  readonly previous = new Uint32Array(CHUNK_ROWS);
  readonly lookups = new Uint32Array(CHUNK_ROWS);
  readonly modes = new Uint16Array(CHUNK_ROWS);
  readonly kinds = new Uint8Array(CHUNK_ROWS);
  readonly #places = new Uint16Array(CHUNK_ROWS);
  #names = new TextList();
  count = 0;

  nameOf(row: number): string {
    return this.#names.at(this.#places[row] ?? 0);
  }

  isNamed(row: number, name: string): boolean {
    return this.#names.isAt(this.#places[row] ?? 0, name);
  }

  hashOfName(row: number): number {
    return this.#names.hashAt(this.#places[row] ?? 0);
  }

  setName(row: number, name: string): void {
    if (this.#names.length >= MOST_NAMES) this.#writeNamesAnew();
    this.#places[row] = this.#names.add(name);
  }

  #writeNamesAnew(): void {
    const names = new TextList();
    for (let row = 0; row < CHUNK_ROWS; row += 1)
      if (this.kinds[row] !== 0) this.#places[row] = names.add(this.nameOf(row));
    this.#names = names;
  }
}

type Column = 'identities' | 'trustedUntil' | 'parents' | 'next' | 'previous' | 'lookups' | 'modes' | 'kinds';

/** What few nodes have. */
export class NodeExtras {
  formerPath: string | undefined = undefined;
  isDoubtful = false;
  changes = 0;
  listings = 0;
  readonly children = { first: NO_NODE, last: NO_NODE, count: 0 };
  handles: Set<FileHandle> | null = null;
  missing: Map<string, number> | null = null;
}

/** By number. Of a number that is no node everything is zero. */
export class NodeRows {
  readonly #chunks = new Map<number, Chunk>();
  readonly #extras = new Map<number, NodeExtras>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: number): boolean {
    return this.get(id, 'kinds') !== 0;
  }

  add(id: number, kind: keyof typeof nodeKinds, identity: number): void {
    const index = Math.floor(id / CHUNK_ROWS);
    const chunk = this.#chunks.get(index) ?? new Chunk();
    this.#chunks.set(index, chunk);
    chunk.count += 1;
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
    const chunk = this.#chunk(id);
    if (chunk === undefined) return;
    chunk.count -= 1;
    if (chunk.count === 0) this.#chunks.delete(Math.floor(id / CHUNK_ROWS));
  }

  get(id: number, column: Column): number {
    return this.#chunk(id)?.[column][id % CHUNK_ROWS] ?? 0;
  }

  set(id: number, column: Column, value: number): void {
    const chunk = this.#chunk(id);
    if (chunk !== undefined) chunk[column][id % CHUNK_ROWS] = value;
  }

  nameOf(id: number): string {
    return this.#chunk(id)?.nameOf(id % CHUNK_ROWS) ?? '';
  }

  isNamed(id: number, name: string): boolean {
    return this.#chunk(id)?.isNamed(id % CHUNK_ROWS, name) ?? false;
  }

  hashOfName(id: number): number {
    return this.#chunk(id)?.hashOfName(id % CHUNK_ROWS) ?? 0;
  }

  setName(id: number, name: string): void {
    this.#chunk(id)?.setName(id % CHUNK_ROWS, name);
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

  *ids(): Generator<number, void> {
    for (const [index, chunk] of this.#chunks)
      for (let row = 0; row < CHUNK_ROWS; row += 1)
        if (chunk.kinds[row] !== 0) yield index * CHUNK_ROWS + row;
  }

  #chunk(id: number): Chunk | undefined {
    return this.#chunks.get(Math.floor(id / CHUNK_ROWS));
  }
}
