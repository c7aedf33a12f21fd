/**
 * Which file does the kernel mean by a number? It asks for nodes, and the file system below knows paths. A node keeps its number
 * through renames, and after its name is gone, until the kernel has given back every lookup that it was told of. What somebody
 * else stored at the name is another node: so the pages that the kernel keeps of a node are never those of two versions.
 */
import { FsError } from '../../filesystem/errors.ts';
import type { Attributes, FileHandle } from '../../filesystem/operations.ts';

export interface Node {
  readonly id: number;
  readonly kind: Attributes['kind'];
  readonly identity: number;
  /** Changes with a rename; null for the root, and when the name is gone or somebody else's. */
  readonly parent: Node | null;
  readonly name: string;
  /** Where a node whose name is gone was last. */
  readonly formerPath: string | undefined;
  /** What programs have open of it. */
  readonly handles: Set<FileHandle>;
  readonly isOpen: boolean;
  /** As the kernel was told last; 0 before. */
  mode: number;
  /** On the clock's `monotonic`: until then the kernel may believe, without asking, that the name leads here. */
  trustedUntil: number;
  /** The names in this folder that the kernel was told are missing, and until when it may believe that without asking. */
  readonly missing: Map<string, number>;
  readonly hasMissing: boolean;
  /** Whether bytes were refused: when the last handle is closed the name may lead to what was there before. */
  isDoubtful: boolean;
  /** How many listings of this folder were begun. */
  listings: number;
  /** How many changes of this folder's names, or of what they lead to, this mount has made. */
  changes: number;
}

/** There may be a million, most of them files that nobody opens: what few have is made when it is asked for. */
class TableNode implements Node {
  readonly id: number;
  readonly kind: Attributes['kind'];
  readonly identity: number;
  parent: TableNode | null = null;
  name: string;
  formerPath: string | undefined = undefined;
  lookups = 0;
  mode = 0;
  trustedUntil = Number.NEGATIVE_INFINITY;
  isDoubtful = false;
  changes = 0;
  listings = 0;
  #children: Map<string, TableNode> | null = null;
  #handles: Set<FileHandle> | null = null;
  #missing: Map<string, number> | null = null;

  constructor(id: number, { kind, identity }: NodeFacts, name: string) {
    this.id = id;
    this.kind = kind;
    this.identity = identity;
    this.name = name;
  }

  get children(): Map<string, TableNode> {
    return (this.#children ??= new Map());
  }

  get childCount(): number {
    return this.#children?.size ?? 0;
  }

  get hasChildren(): boolean {
    return this.childCount > 0;
  }

  get handles(): Set<FileHandle> {
    return (this.#handles ??= new Set());
  }

  get isOpen(): boolean {
    return this.#handles !== null && this.#handles.size > 0;
  }

  get missing(): Map<string, number> {
    return (this.#missing ??= new Map());
  }

  get hasMissing(): boolean {
    return this.#missing !== null && this.#missing.size > 0;
  }
}

/** What tells one node from another. */
export type NodeFacts = Pick<Attributes, 'kind' | 'identity'>;

export const ROOT_NODE = 1;

export class NodeTable {
  readonly #nodes = new Map<number, TableNode>();
  readonly #files = new Map<number, TableNode>();
  readonly #root: TableNode;
  #lastId = ROOT_NODE;

  constructor() {
    this.#root = new TableNode(ROOT_NODE, { kind: 'folder', identity: 0 }, '');
    this.#nodes.set(ROOT_NODE, this.#root);
  }

  /** How many nodes are remembered, the root among them. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Throws ENOENT for a number that was never given out, or is forgotten. */
  get(id: number): Node {
    return this.#node(id);
  }

  /** Where the node is now; undefined when its name, or that of a folder above it, is gone. */
  pathOf(node: Node): string | undefined {
    if (node.id === ROOT_NODE) return '/';
    let path = '';
    let current: Node = node;
    while (current.parent !== null) {
      path = `/${current.name}${path}`;
      current = current.parent;
    }
    return current.id === ROOT_NODE ? path : undefined;
  }

  /** Where `name` in `folder` is. Throws ENOENT when the folder is gone. */
  pathIn(folder: Node, name: string): string {
    const path = this.pathOf(folder);
    if (path === undefined) throw new FsError('ENOENT', name, 'its folder is gone');
    return path === '/' ? `/${name}` : `${path}/${name}`;
  }

  all(): Iterable<Node> {
    return this.#nodes.values();
  }

  /** The node that was at `name` when the kernel was told of it last. */
  known(folder: Node, name: string): Node | undefined {
    return this.#own(folder).children.get(name);
  }

  /** All that `known` leads to, by name. */
  knownIn(folder: Node): Iterable<Node> {
    return this.#own(folder).children.values();
  }

  /** How many names `knownIn` has. */
  countKnownIn(folder: Node): number {
    return this.#own(folder).childCount;
  }

  /**
   * The node of what is at `name`, made when there is none; the kernel is about to be told of it once more. A file that somebody
   * still has open keeps its node when its name comes back.
   */
  lookUp(folder: Node, name: string, facts: NodeFacts): Node {
    const parent = this.#own(folder);
    if (parent.hasMissing) parent.missing.delete(name);
    const known = parent.children.get(name);
    const node = isSame(known, facts) ? known : this.#attach(parent, name, this.#living(facts));
    node.lookups += 1;
    return node;
  }

  /** The kernel has let go of `lookups` of its knowledge. */
  forget(id: number, lookups: number): void {
    const node = this.#nodes.get(id);
    if (node === undefined || id === ROOT_NODE) return;
    node.lookups = Math.max(0, node.lookups - lookups);
    this.#drop(node);
  }

  /** The name is free now. What was there lives on without one while the kernel knows of it. */
  detach(folder: Node, name: string): void {
    const parent = this.#own(folder);
    this.#unbind(parent, name);
    this.#drop(parent);
  }

  /** What was at `from` is at `to` now, and what was there has no name any more. */
  move(fromFolder: Node, from: string, toFolder: Node, to: string): void {
    const source = this.#own(fromFolder);
    const target = this.#own(toFolder);
    if (source === target && from === to) return;
    const node = source.children.get(from);
    if (target.hasMissing) target.missing.delete(to);
    this.#unbind(target, to);
    if (node === undefined) {
      this.#drop(target);
      return;
    }
    this.#attach(target, to, node);
  }

  #node(id: number): TableNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new FsError('ENOENT', `node ${id}`, 'no such node');
    return node;
  }

  /** The same node; one that was forgotten meanwhile is of no consequence. */
  #own(node: Node): TableNode {
    return this.#nodes.get(node.id) ?? new TableNode(node.id, node, node.name);
  }

  /** The node of this file, wherever it is; a new one when there is none. */
  #living(facts: NodeFacts): TableNode {
    const living = facts.kind === 'file' ? this.#files.get(facts.identity) : undefined;
    if (living !== undefined) return living;
    this.#lastId += 1;
    const node = new TableNode(this.#lastId, facts, '');
    this.#nodes.set(node.id, node);
    if (node.kind === 'file') this.#files.set(node.identity, node);
    return node;
  }

  #attach(parent: TableNode, name: string, node: TableNode): TableNode {
    this.#unbind(parent, name);
    const { parent: before } = node;
    before?.children.delete(node.name);
    node.parent = parent;
    node.name = name;
    node.formerPath = undefined;
    parent.children.set(name, node);
    if (before !== null) this.#drop(before);
    return node;
  }

  #unbind(parent: TableNode, name: string): void {
    const node = parent.children.get(name);
    if (node === undefined) return;
    node.formerPath = this.pathOf(node);
    parent.children.delete(name);
    node.parent = null;
    this.#drop(node);
  }

  /** Forgets a node that nobody means any more. One with children stays: their paths lead through it. */
  #drop(node: TableNode): void {
    if (node.lookups > 0 || node.hasChildren || node.id === ROOT_NODE) return;
    this.#nodes.delete(node.id);
    if (this.#files.get(node.identity) === node) this.#files.delete(node.identity);
    const { parent } = node;
    if (parent?.children.get(node.name) !== node) return;
    parent.children.delete(node.name);
    this.#drop(parent);
  }
}

/** Another kind is another thing, which the kernel would take amiss under the old number. */
export function isSame<Known extends NodeFacts>(
  known: Known | undefined,
  { kind, identity }: NodeFacts,
): known is Known {
  return known?.kind === kind && known.identity === identity;
}
