/** What is known of one file or folder that the kernel knows by a number? Looked up in the rows (node-rows.ts) when it is asked for. */
import type { Attributes, FileHandle } from '../../filesystem/operations.ts';
import { NO_NODE, NodeExtras, nodeKinds, type NodeRows } from './node-rows.ts';

/** The same node may be several objects: compare by `id`. */
export interface Node {
  readonly id: number;
  readonly kind: Attributes['kind'];
  readonly identity: number;
  /** Changes with a rename; null for the root, and when the name is gone or somebody else's. */
  readonly parent: Node | null;
  readonly name: string;
  /** Where a node whose name is gone was last; undefined when it was removed there. */
  readonly formerPath: string | undefined;
  /** What programs have open of it. */
  readonly handles: Set<FileHandle>;
  readonly isOpen: boolean;
  /** `handle`, one of those, is closed. */
  closed(handle: FileHandle): void;
  /** As the kernel was told last; 0 before. */
  mode: number;
  /** On the clock's `monotonic`: until then the kernel may believe, without asking, that the name leads here. */
  trustedUntil: number;
  /** The names in this folder that the kernel was told are missing, and until when it may believe that without asking. */
  readonly missing: Map<string, number>;
  readonly hasMissing: boolean;
  /** Whether bytes were refused: when the last handle is closed the name may lead to what was there before. */
  isDoubtful: boolean;
  /** Whether what the kernel has of its bytes may be another version's: who opens it next has it dropped. */
  isRenewed: boolean;
  /** Whether this mount is renaming another file over it: the name may lead there already. */
  isBeingReplaced: boolean;
  /** How many listings of this folder were begun. */
  listings: number;
  /** How many changes of this folder's names, or of what they lead to, this mount has made. */
  changes: number;
}

/** What tells one node from another. */
export type NodeFacts = Pick<Attributes, 'kind' | 'identity' | 'follows'>;

export class RowNode implements Node {
  readonly id: number;
  readonly kind: Attributes['kind'];
  readonly #rows: NodeRows;
  #extras: NodeExtras | undefined;

  constructor(rows: NodeRows, id: number) {
    this.#rows = rows;
    this.id = id;
    this.kind = rows.get(id, 'kinds') === nodeKinds.folder ? 'folder' : 'file';
    this.#extras = rows.extrasIn(id);
  }

  /** Changes where the service names our upload by its time alone (`NodeTable.goesOnAs`). */
  get identity(): number {
    return this.#rows.get(this.id, 'identities');
  }

  get parent(): Node | null {
    const parent = this.#rows.get(this.id, 'parents');
    return parent === NO_NODE ? null : new RowNode(this.#rows, parent);
  }

  get name(): string {
    return this.#rows.nameOf(this.id);
  }

  get formerPath(): string | undefined {
    return this.#known()?.formerPath;
  }

  get handles(): Set<FileHandle> {
    return (this.#made().handles ??= new Set());
  }

  get isOpen(): boolean {
    return (this.#known()?.handles?.size ?? 0) > 0;
  }

  closed(handle: FileHandle): void {
    const known = this.#known();
    known?.handles?.delete(handle);
    if (known?.handles?.size === 0) known.handles = null;
    // The kernel knows a file long after it was closed: whoever reads a million files would have as many of them.
    this.#rows.dropNone(this.id);
  }

  get mode(): number {
    return this.#rows.get(this.id, 'modes');
  }

  set mode(mode: number) {
    this.#rows.set(this.id, 'modes', mode);
  }

  get trustedUntil(): number {
    return this.#rows.get(this.id, 'trustedUntil');
  }

  set trustedUntil(until: number) {
    this.#rows.set(this.id, 'trustedUntil', until);
  }

  get missing(): Map<string, number> {
    return (this.#made().missing ??= new Map());
  }

  get hasMissing(): boolean {
    return (this.#known()?.missing?.size ?? 0) > 0;
  }

  get isDoubtful(): boolean {
    return this.#known()?.isDoubtful ?? false;
  }

  set isDoubtful(isDoubtful: boolean) {
    this.#made().isDoubtful = isDoubtful;
  }

  get isRenewed(): boolean {
    return this.#known()?.isRenewed ?? false;
  }

  set isRenewed(isRenewed: boolean) {
    this.#made().isRenewed = isRenewed;
  }

  get isBeingReplaced(): boolean {
    return this.#known()?.isBeingReplaced ?? false;
  }

  set isBeingReplaced(isBeingReplaced: boolean) {
    this.#made().isBeingReplaced = isBeingReplaced;
  }

  get changes(): number {
    return this.#known()?.changes ?? 0;
  }

  set changes(changes: number) {
    this.#made().changes = changes;
  }

  get listings(): number {
    return this.#known()?.listings ?? 0;
  }

  set listings(listings: number) {
    this.#made().listings = listings;
  }

  /** They are this object's alone once the node is forgotten; until then they may go (`NodeRows.dropNone`), and others come. */
  #known(): NodeExtras | undefined {
    this.#extras = this.#rows.extrasIn(this.id) ?? this.#extras;
    return this.#extras;
  }

  #made(): NodeExtras {
    this.#extras = this.#rows.has(this.id)
      ? this.#rows.extrasOf(this.id)
      : (this.#extras ?? new NodeExtras());
    return this.#extras;
  }
}

/** Another kind is another thing, which the kernel would take amiss under the old number. */
export function isSame<Known extends NodeFacts>(
  known: Known | undefined,
  { kind, identity }: NodeFacts,
): known is Known {
  return known?.kind === kind && known.identity === identity;
}
