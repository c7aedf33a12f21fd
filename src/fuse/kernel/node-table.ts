/**
 * Which file does the kernel mean by a number? It asks for nodes, and the file system below knows paths. A node keeps its number
 * through renames, and after its name is gone, until the kernel has given back every lookup that it was told of. What somebody
 * else stored at the name is another node: so the pages that the kernel keeps of a node are never those of two versions.
 */
import { HashIndex } from '../../base/hash-index.ts';
import { hashOf } from '../../base/text-list.ts';
import { FsError } from '../../filesystem/errors.ts';
import { RowNode, type Node, type NodeFacts } from './node.ts';
import { NO_NODE, NodeRows } from './node-rows.ts';
import { RestingNumbers, type Forgotten } from './resting-numbers.ts';

export const ROOT_NODE = 1;

/** Numbers are written down in 32 bits. */
const MOST_NUMBERS = 2 ** 32 - 4;

export class NodeTable {
  readonly #rows = new NodeRows();
  /** By parent and name. */
  readonly #children = new HashIndex((id) =>
    childHash(this.#rows.get(id, 'parents'), this.#rows.hashOfName(id)),
  );
  /** By identity. */
  readonly #files = new HashIndex((id) => identityHash(this.#rows.get(id, 'identities')));
  readonly #resting = new RestingNumbers();
  readonly #leaves: (node: Node) => void;
  readonly #renews: (node: Node) => void;
  #lastId = ROOT_NODE;

  /** `leaves` hears of a node before another name leads to it than the kernel knows it by, which no rename of the kernel's has brought about. */
  constructor(leaves: (node: Node) => void, renews: (node: Node) => void = () => undefined) {
    this.#leaves = leaves;
    this.#renews = renews;
    this.#rows.add(ROOT_NODE, 'folder', 0);
  }

  /** How many nodes are remembered, the root among them. */
  get size(): number {
    return this.#rows.size;
  }

  /** Throws ENOENT for a number that was never given out, or is forgotten. */
  get(id: number): Node {
    const node = this.find(id);
    if (node === undefined) throw new FsError('ENOENT', `node ${id}`, 'no such node');
    return node;
  }

  /** As `get`; undefined when it is forgotten. */
  find(id: number): Node | undefined {
    return this.#rows.has(id) ? new RowNode(this.#rows, id) : undefined;
  }

  /** Where the node is now; undefined when its name, or that of a folder above it, is gone. */
  pathOf({ id }: Pick<Node, 'id'>): string | undefined {
    if (id === ROOT_NODE) return '/';
    let path = '';
    let current = id;
    while (current !== ROOT_NODE && current !== NO_NODE) {
      path = `/${this.#rows.nameOf(current)}${path}`;
      current = this.#rows.get(current, 'parents');
    }
    return current === ROOT_NODE ? path : undefined;
  }

  /** Where `name` in `folder` is. Throws ENOENT when the folder is gone. */
  pathIn(folder: Node, name: string): string {
    const path = this.pathOf(folder);
    if (path === undefined) throw new FsError('ENOENT', name, 'its folder is gone');
    return path === '/' ? `/${name}` : `${path}/${name}`;
  }

  *all(): Generator<Node, void> {
    for (const id of this.#rows.ids()) yield new RowNode(this.#rows, id);
  }

  /** The node that was at `name` when the kernel was told of it last. */
  known(folder: Node, name: string): Node | undefined {
    const id = this.#child(folder.id, name);
    return id === NO_NODE ? undefined : new RowNode(this.#rows, id);
  }

  /** All that `known` leads to. */
  *knownIn(folder: Node): Generator<Node, void> {
    let id = this.#rows.extrasIn(folder.id)?.children.first ?? NO_NODE;
    while (id !== NO_NODE) {
      const next = this.#rows.get(id, 'next');
      yield new RowNode(this.#rows, id);
      id = next;
    }
  }

  /** How many names `knownIn` has. */
  countKnownIn(folder: Node): number {
    return this.#rows.extrasIn(folder.id)?.children.count ?? 0;
  }

  /**
   * The node of what is at `name`, made when there is none; the kernel is about to be told of it once more. A file that somebody
   * still has open keeps its node when its name comes back.
   */
  lookUp(folder: Node, name: string, facts: NodeFacts): Node {
    if (folder.hasMissing) folder.missing.delete(name);
    const known = this.known(folder, name);
    const stays = known !== undefined && this.goesOnAs(known, facts);
    const node = stays ? known : this.#broughtTo(folder, name, facts);
    this.#rows.set(node.id, 'lookups', this.#rows.get(node.id, 'lookups') + 1);
    return node;
  }

  /**
   * Whether `node` is what `facts` are of, also where the service has named our upload by its time alone: then it is the same file, but
   * nobody knows that its bytes are ours, and the kernel lets go of those that it has.
   */
  goesOnAs(node: Node, facts: NodeFacts): boolean {
    if (node.kind === facts.kind && node.identity === facts.identity) return true;
    const isFile = node.kind === 'file' && facts.kind === 'file';
    if (!isFile || facts.follows !== node.identity || this.#livingFile(facts.identity) !== undefined)
      return false;
    this.#files.remove(node.id);
    this.#rows.set(node.id, 'identities', facts.identity);
    this.#files.add(node.id);
    node.isRenewed = true;
    this.#renews(node);
    return true;
  }

  /** The kernel has let go of `lookups` of its knowledge. */
  forget(id: number, lookups: number): void {
    if (!this.#rows.has(id) || id === ROOT_NODE) return;
    this.#rows.set(id, 'lookups', Math.max(0, this.#rows.get(id, 'lookups') - lookups));
    this.#drop(id);
  }

  /** The name is free now. What was there lives on without one while the kernel knows of it, and is nothing that the name leads to later. */
  detach(folder: Node, name: string): void {
    const id = this.#unbind(folder.id, name);
    const extras = this.#rows.has(id) ? this.#rows.extrasIn(id) : undefined;
    if (extras !== undefined) extras.formerPath = undefined;
    this.#drop(folder.id);
  }

  /** What was at `from` is at `to` now, and what was there has no name any more. */
  move(fromFolder: Node, from: string, toFolder: Node, to: string): void {
    if (fromFolder.id === toFolder.id && from === to) return;
    const id = this.#child(fromFolder.id, from);
    if (toFolder.hasMissing) toFolder.missing.delete(to);
    this.#unbind(toFolder.id, to);
    if (id === NO_NODE) this.#drop(toFolder.id);
    else this.#attach(toFolder.id, to, id);
  }

  /** The node of this file, by whatever name the kernel knows it. */
  living({ kind, identity }: NodeFacts): Node | undefined {
    const id = kind === 'file' ? this.#livingFile(identity) : undefined;
    return id === undefined ? undefined : new RowNode(this.#rows, id);
  }

  #child(parent: number, name: string): number {
    const isIt = (id: number): boolean =>
      this.#rows.get(id, 'parents') === parent && this.#rows.isNamed(id, name);
    return this.#children.find(childHash(parent, hashOf(name)), isIt) ?? NO_NODE;
  }

  #broughtTo(folder: Node, name: string, facts: NodeFacts): Node {
    const { kind, identity } = facts;
    const node = this.living(facts) ?? this.#made({ kind, identity, parent: folder.id, name });
    if (node.parent !== null) this.#leaves(node);
    this.#attach(folder.id, name, node.id);
    return node;
  }

  #livingFile(identity: number): number | undefined {
    return this.#files.find(identityHash(identity), (id) => this.#rows.get(id, 'identities') === identity);
  }

  #made(facts: Forgotten): Node {
    const { kind, identity } = facts;
    const rested = this.#resting.take(facts);
    const id = rested === undefined || this.#rows.has(rested) ? this.#freeNumber() : rested;
    this.#rows.add(id, kind, identity);
    if (kind === 'file') this.#files.add(id);
    return new RowNode(this.#rows, id);
  }

  /** One that is free is not used for something else but after all others. New ones rise as names are listed: `cp -r` reads a folder's files in the order of their numbers (sibling-reads.ts). */
  #freeNumber(): number {
    do this.#lastId = this.#lastId >= MOST_NUMBERS ? ROOT_NODE + 1 : this.#lastId + 1;
    while (this.#rows.has(this.#lastId));
    return this.#lastId;
  }

  #attach(parent: number, name: string, id: number): void {
    this.#unbind(parent, name);
    const before = this.#rows.get(id, 'parents');
    if (before !== NO_NODE) this.#unlink(before, id);
    const extras = this.#rows.extrasIn(id);
    if (extras !== undefined) extras.formerPath = undefined;
    this.#rows.setName(id, name);
    this.#link(parent, id);
    if (before !== NO_NODE) this.#drop(before);
  }

  #unbind(parent: number, name: string): number {
    const id = this.#child(parent, name);
    if (id === NO_NODE) return id;
    this.#rows.extrasOf(id).formerPath = this.pathOf({ id });
    this.#unlink(parent, id);
    this.#drop(id);
    return id;
  }

  /** It is the last child of `parent` now, by the name that it has. */
  #link(parent: number, id: number): void {
    const { children } = this.#rows.extrasOf(parent);
    this.#rows.set(id, 'parents', parent);
    this.#rows.set(id, 'previous', children.last);
    this.#rows.set(id, 'next', NO_NODE);
    if (children.last === NO_NODE) children.first = id;
    else this.#rows.set(children.last, 'next', id);
    children.last = id;
    children.count += 1;
    this.#children.add(id);
  }

  #unlink(parent: number, id: number): void {
    this.#children.remove(id);
    const { children } = this.#rows.extrasOf(parent);
    const next = this.#rows.get(id, 'next');
    const previous = this.#rows.get(id, 'previous');
    if (previous !== NO_NODE) this.#rows.set(previous, 'next', next);
    else if (children.first === id) children.first = next;
    if (next !== NO_NODE) this.#rows.set(next, 'previous', previous);
    else if (children.last === id) children.last = previous;
    children.count -= 1;
    this.#rows.set(id, 'parents', NO_NODE);
  }

  /** Forgets a node that nobody means any more. One with children stays: their paths lead through it. */
  #drop(id: number): void {
    const rows = this.#rows;
    const hasChildren = (rows.extrasIn(id)?.children.count ?? 0) > 0;
    if (!rows.has(id) || id === ROOT_NODE || hasChildren || rows.get(id, 'lookups') > 0) return;
    const { kind, identity, name } = new RowNode(rows, id);
    const parent = rows.get(id, 'parents');
    // What has no name any more is nothing that a name leads to later.
    if (parent !== NO_NODE) this.#resting.rest({ kind, identity, parent, name }, id);
    if (parent !== NO_NODE) this.#unlink(parent, id);
    if (kind === 'file') this.#files.remove(id);
    rows.remove(id);
    if (parent !== NO_NODE) this.#drop(parent);
  }
}

function childHash(parent: number, hashOfName: number): number {
  return Math.imul(parent, 0x9e3779b1) ^ hashOfName;
}

/** Identities are whole numbers, and may be longer than 32 bits. */
function identityHash(identity: number): number {
  return (identity | 0) ^ Math.floor(identity / 2 ** 32);
}
