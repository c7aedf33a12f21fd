/** What is a tree after a rename, and which renames are refused? Maps only: no mount, no service. */
import type { ErrnoName } from '../../src/filesystem/errors.ts';
import { parentOf } from '../../src/store/keys.ts';

export interface FileNode {
  readonly kind: 'file';
  /** What programs see. */
  readonly content: string;
  /** What the service may hold meanwhile; null: nothing. */
  readonly stored: ReadonlySet<string | null>;
}

export interface FolderNode {
  readonly kind: 'folder';
  /** Whether it holds a key that no path shows. */
  readonly hidden: boolean;
}

export type Node = FileNode | FolderNode;

/** Most files that a renamed folder may have on the service. */
export const RENAME_LIMIT = 3;

const ROOT: FolderNode = { kind: 'folder', hidden: false };

export function storedFile(content: string): FileNode {
  return { kind: 'file', content, stored: new Set([content]) };
}

export function isUnsent(node: Node): boolean {
  return node.kind === 'file' && node.stored.has(null);
}

/** By path. */
export class RenamedTree {
  readonly #nodes = new Map<string, Node>();

  get entries(): [string, Node][] {
    return [...this.#nodes];
  }

  get(path: string): Node | undefined {
    return path === '/' ? ROOT : this.#nodes.get(path);
  }

  set(path: string, node: Node): void {
    this.#nodes.set(path, node);
  }

  remove(path: string): void {
    this.#nodes.delete(path);
  }

  /** `path` and all below it. */
  from(path: string): [string, Node][] {
    return this.entries.filter(([inside]) => inside === path || inside.startsWith(`${path}/`));
  }

  /** What is at `path`, or why nothing is. */
  find(path: string): Node | 'ENOENT' | 'ENOTDIR' {
    for (let above = parentOf(path); above !== '/'; above = parentOf(above))
      if (this.get(above)?.kind === 'file') return 'ENOTDIR';
    return this.get(path) ?? 'ENOENT';
  }

  /** Why nothing can be made at `path`, where nothing is. */
  refusesNew(path: string): ErrnoName | null {
    const parent = this.find(parentOf(path));
    if (typeof parent === 'string') return parent;
    return parent.kind === 'file' ? 'ENOTDIR' : null;
  }

  /** The kernel, which goes from name to name, asks nothing about such a path. */
  isBelowFile(path: string): boolean {
    return this.find(path) === 'ENOTDIR';
  }

  contentAt(path: string): string {
    const node = this.get(path);
    return node?.kind === 'file' ? node.content : `no file at ${path}`;
  }

  /** `folder` and the folders below it; without the top. */
  foldersFrom(folder: string): string[] {
    const entries = folder === '/' ? this.entries : this.from(folder);
    return entries.flatMap(([path, { kind }]) => (kind === 'folder' ? [path] : []));
  }

  /** How many files below `folder` the service has. */
  storedIn(folder: string): number {
    return this.from(folder).filter(([, node]) => node.kind === 'file' && !isUnsent(node)).length;
  }

  /** Those above `path`, and itself when it is a folder, unless they are there. */
  makeFolders(path: string, isFolder: boolean): void {
    for (let folder = isFolder ? path : parentOf(path); folder !== '/'; folder = parentOf(folder))
      if (this.get(folder) === undefined) this.set(folder, { kind: 'folder', hidden: false });
  }

  isEmpty(path: string): boolean {
    const node = this.get(path);
    return this.from(path).length === 1 && node?.kind === 'folder' && !node.hidden;
  }

  /** Any of these is what the rename must end with; none: it must succeed. */
  refusals(from: string, to: string): ErrnoName[] {
    if (to.startsWith(`${from}/`)) return ['EINVAL'];
    const source = this.find(from);
    if (typeof source === 'string') return [source];
    if (from === to) return [];
    const refusal = this.#refusesTarget(source, to);
    if (refusal !== null) return [refusal];
    if (source.kind === 'file') return [];
    const hasHidden = this.from(from).some(([, node]) => node.kind === 'folder' && node.hidden);
    return [
      ...(hasHidden ? (['EPERM'] as const) : []),
      ...(this.storedIn(from) > RENAME_LIMIT ? (['EXDEV'] as const) : []),
    ];
  }

  move(from: string, to: string): void {
    const moved = this.from(from);
    const target = this.get(to);
    for (const [path] of moved) this.remove(path);
    for (const [path, node] of moved) this.set(to + path.slice(from.length), node);
    const source = this.get(to);
    // What replaces a file and was never stored does so on the service when it is.
    if (source?.kind === 'file' && isUnsent(source) && target?.kind === 'file')
      this.set(to, { ...source, stored: target.stored });
  }

  #refusesTarget(source: Node, to: string): ErrnoName | null {
    const target = this.find(to);
    if (target === 'ENOENT') return this.refusesNew(to);
    if (target === 'ENOTDIR') return target;
    if (source.kind === 'file') return target.kind === 'folder' ? 'EISDIR' : null;
    if (target.kind === 'file') return 'ENOTDIR';
    return this.isEmpty(to) ? null : 'ENOTEMPTY';
  }
}
