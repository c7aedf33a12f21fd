/** How are the nodes of a thousand numbers that follow each other written down: many, and what is left of them? */
import { hashOf, TextList } from '../../base/text-list.ts';

export const CHUNK_ROWS = 1024;
/** Texts of a chunk, old names among them, before it is written anew. */
const MOST_NAMES = 4 * CHUNK_ROWS;
/** Where the text of what has no name, yet or any more, is. */
const UNNAMED = 0;
/** Of most names and its length. */
const NAME_BYTES = 16;
/** Roughly, a node as an object. */
const FEW_NODE_BYTES = 250;

/** The kinds first: they say where a node is. */
const COLUMNS = [
  'kinds',
  'identities',
  'trustedUntil',
  'parents',
  'next',
  'previous',
  'lookups',
  'modes',
] as const;

export type Column = (typeof COLUMNS)[number];

/** The rows of a thousand numbers that follow each other. */
export interface Rows {
  count: number;
  /** Roughly, the memory that they take. */
  readonly bytes: number;
  /** Those where a node is. */
  used(): Iterable<number>;
  get(row: number, column: Column): number;
  set(row: number, column: Column, value: number): void;
  nameOf(row: number): string;
  isNamed(row: number, name: string): boolean;
  hashOfName(row: number): number;
  setName(row: number, name: string): void;
}

export class Chunk implements Rows {
  readonly identities = new Float64Array(CHUNK_ROWS);
  readonly trustedUntil = new Float64Array(CHUNK_ROWS);
  readonly parents = new Uint32Array(CHUNK_ROWS);
  /** The next child of the same parent, and the one before. */
  readonly next = new Uint32Array(CHUNK_ROWS);
  readonly previous = new Uint32Array(CHUNK_ROWS);
  /** Where nothing is trusted a folder that is on the way of every path has 32 bits of them within days. */
  readonly lookups = new Float64Array(CHUNK_ROWS);
  readonly modes = new Uint16Array(CHUNK_ROWS);
  readonly kinds = new Uint8Array(CHUNK_ROWS);
  readonly #places = new Uint16Array(CHUNK_ROWS);
  #names = emptyNames();
  count: number;

  constructor(rows: Rows) {
    this.count = rows.count;
    copyRows(rows, this);
  }

  get bytes(): number {
    const columns = COLUMNS.reduce((sum, column) => sum + this[column].byteLength, 0);
    return columns + this.#places.byteLength + this.#names.bytes;
  }

  *used(): Generator<number, void> {
    for (let row = 0; row < CHUNK_ROWS; row += 1) if (this.kinds[row] !== 0) yield row;
  }

  get(row: number, column: Column): number {
    return this[column][row] ?? 0;
  }

  set(row: number, column: Column, value: number): void {
    this[column][row] = value;
  }

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
    this.#places[row] = name === '' ? UNNAMED : this.#names.add(name);
  }

  #writeNamesAnew(): void {
    const names = emptyNames();
    for (const row of this.used()) {
      const name = this.nameOf(row);
      this.#places[row] = name === '' ? UNNAMED : names.add(name);
    }
    this.#names = names;
  }
}

/** `to` is empty. */
function copyRows(from: Rows, to: Rows): void {
  for (const row of from.used()) {
    for (const column of COLUMNS) to.set(row, column, from.get(row, column));
    to.setName(row, from.nameOf(row));
  }
}

function emptyNames(): TextList {
  const names = new TextList(CHUNK_ROWS + 1, CHUNK_ROWS * NAME_BYTES);
  names.add('');
  return names;
}

type FewNode = Record<Column, number> & { name: string };

const NOTHING: FewNode = {
  identities: 0,
  trustedUntil: 0,
  parents: 0,
  next: 0,
  previous: 0,
  lookups: 0,
  modes: 0,
  kinds: 0,
  name: '',
};

/** Where few nodes are: objects. */
export class FewRows implements Rows {
  readonly #nodes = new Map<number, FewNode>();
  count: number;

  constructor(rows?: Rows) {
    this.count = rows?.count ?? 0;
    if (rows !== undefined) copyRows(rows, this);
  }

  get bytes(): number {
    return this.#nodes.size * FEW_NODE_BYTES;
  }

  used(): Iterable<number> {
    return this.#nodes.keys();
  }

  get(row: number, column: Column): number {
    return this.#nodes.get(row)?.[column] ?? 0;
  }

  set(row: number, column: Column, value: number): void {
    if (column === 'kinds' && value === 0) this.#nodes.delete(row);
    else if (column === 'kinds') this.#made(row).kinds = value;
    else {
      const node = this.#nodes.get(row);
      if (node !== undefined) node[column] = value;
    }
  }

  nameOf(row: number): string {
    return this.#nodes.get(row)?.name ?? '';
  }

  isNamed(row: number, name: string): boolean {
    return this.#nodes.get(row)?.name === name;
  }

  hashOfName(row: number): number {
    return hashOf(this.nameOf(row));
  }

  setName(row: number, name: string): void {
    const node = this.#nodes.get(row);
    if (node !== undefined) node.name = name;
  }

  #made(row: number): FewNode {
    const known = this.#nodes.get(row);
    if (known !== undefined) return known;
    const node = { ...NOTHING };
    this.#nodes.set(row, node);
    return node;
  }
}
