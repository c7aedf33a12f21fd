/** What do all answers of one mount share, and what do several of them do alike? */
import type { Clock } from '../../base/clock.ts';
import type { Waiter } from '../../base/waiter.ts';
import type { Log } from '../../base/log.ts';
import { FsError } from '../../filesystem/errors.ts';
import type { Attributes, FileHandle, FileSystemOperations } from '../../filesystem/operations.ts';
import type { BufferPool } from './buffer-pool.ts';
import { takeNameBack } from './discoveries.ts';
import type { KeptListings } from './kept-listings.ts';
import type { MovingFolders } from './moving-folders.ts';
import type { Node } from './node.ts';
import type { NodeTable } from './node-table.ts';
import type { KernelHandle, OpenFolder, OpenTable } from './open-table.ts';
import type { Told } from './replies.ts';
import type { RequestMemory } from './request-memory.ts';

export interface KernelContext {
  readonly operations: FileSystemOperations;
  readonly nodes: NodeTable;
  readonly files: OpenTable<KernelHandle>;
  readonly folders: OpenTable<OpenFolder>;
  /** For answers. */
  readonly buffers: BufferPool;
  readonly requests: RequestMemory;
  readonly listings: KeptListings;
  readonly moving: MovingFolders;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly log: Log;
  /** Tells the kernel something unasked (notifications.ts). Waits for nothing, and works if the kernel knows what is meant. */
  readonly notify: (notification: Buffer) => void;
  /** As `notify`, before the next answer: only what waits for no lock of the kernel's. */
  readonly notifyAtOnce: (notification: Buffer) => void;
  /** Resolves when the kernel has taken what `notify` was given. Not for what programs wait for while they hold a lock of their folder. */
  readonly notified: () => Promise<void>;
  readonly trust: KernelTrust;
  /** Whether a process that one of `threads` belongs to has the file at `path` open; undefined where nobody can tell now. */
  readonly hasOpen: (threads: readonly number[], path: string) => Promise<boolean | undefined>;
  /** The number of the process that `thread` belongs to; undefined where nobody can tell. Never rejects. */
  readonly processOf: (thread: number) => Promise<number | undefined>;
  /** Whether a signal has ended the program of `thread`, which is there only as long as its call lasts. Never rejects. */
  readonly isKilled: (thread: number) => Promise<boolean>;
}

/** What the kernel may be told to believe for a while. Settled once, when kernel and driver agree. */
export interface KernelTrust {
  /** Names too: only where each can be taken back. */
  names: boolean;
  /** Whether all can be, at one word. */
  hasEpoch: boolean;
}

/** How to ask the file system about a node: by its name, or when that is gone by what is open of it. */
export interface Target {
  readonly path: string;
  readonly handle: FileHandle | undefined;
}

/**
 * `handle`: the one the kernel named. A file whose name was given to another since the kernel looked it up is that other: so
 * nobody finds a file missing that is replaced again and again. Throws ESTALE when nothing leads to the node; ENOENT for a folder
 * that was removed here: the kernel asks before each call in it, and `rm -rf` forgives only that when another one was quicker.
 */
export function targetOf({ nodes }: KernelContext, node: Node, handle?: FileHandle): Target {
  const path = nodes.pathOf(node);
  const known = handle ?? (path === undefined ? anyHandle(node) : undefined);
  if (known !== undefined) return { path: path ?? known.path, handle: known };
  const named = path ?? (node.kind === 'file' ? node.formerPath : undefined);
  if (named === undefined)
    throw new FsError(isRemovedFolder(node) ? 'ENOENT' : 'ESTALE', node.name, 'its name is gone');
  return { path: named, handle: undefined };
}

/** Not one whose name leads elsewhere by now: who comes by that looks it up again at ESTALE. */
function isRemovedFolder({ kind, parent, formerPath }: Node): boolean {
  return kind === 'folder' && parent === null && formerPath === undefined;
}

/** What the kernel is now told of `node`, which counts until it forgets or the time is over. */
export function telling({ clock, trust }: KernelContext, node: Node, attributes: Attributes): Told {
  node.mode = attributes.mode;
  if (trust.names) node.trustedUntil = Math.max(node.trustedUntil, clock.monotonic() + attributes.validFor);
  return { attributes, isNameTrusted: trust.names };
}

/** Rejects with ESTALE when neither the name nor anything open leads to the file. */
export async function attributesOf(
  context: KernelContext,
  node: Node,
  handle?: FileHandle,
  waiter?: Waiter,
): Promise<Attributes> {
  const target = targetOf(context, node, handle);
  const isNamed = target.handle === undefined && context.nodes.pathOf(node) !== undefined;
  const attributes = isNamed
    ? await attributesByName(context, node, target.path, waiter)
    : await context.operations.getAttributes(target.path, target.handle, waiter);
  node.mode = attributes.mode;
  return attributes;
}

/**
 * When somebody else has deleted or replaced the file, what is open of it goes on. Otherwise ESTALE: then stat(2) and the like look
 * the name up again, once.
 */
async function attributesByName(
  context: KernelContext,
  node: Node,
  path: string,
  waiter?: Waiter,
): Promise<Attributes> {
  const { operations } = context;
  const found = await whereItGoes(context, node, path, (where) =>
    operations.getAttributes(where, undefined, waiter),
  ).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return undefined;
  });
  if (found !== undefined && context.nodes.goesOnAs(node, found)) return found;
  // A rename of ours took it there meanwhile.
  if (context.nodes.pathOf(node) !== path) return attributesOf(context, node, undefined, waiter);
  takeNameBack(context, node);
  const open = anyHandle(node);
  if (open === undefined) throw new FsError('ESTALE', path, 'the name leads to another file');
  return operations.getAttributes(open.path, open);
}

/**
 * What `ask` answers of `node`, which is at `path`. A folder that a rename of ours has taken away from there already, and of which the kernel is
 * still to hear that, is asked for at its new name: it is the same folder to all who have it open.
 */
export async function whereItGoes<Result>(
  { nodes, moving }: KernelContext,
  node: Node,
  path: string,
  ask: (path: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await ask(path);
  } catch (error) {
    if (node.kind !== 'folder' || !isMissing(error)) throw error;
    const now = nodes.pathOf(node);
    const next = now === path ? moving.newPathOf(path) : now;
    if (next === undefined) throw error;
    return ask(next);
  }
}

/** Runs a change of `node`: listings taken before its end are no longer believed about it. */
export async function changing<Result>(node: Node, change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } finally {
    if (node.parent !== null) node.parent.changes += 1;
  }
}

/** Runs a change of the names in `folders`: listings taken before its end are no longer believed. */
export async function changingNames<Result>(
  folders: readonly Node[],
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } finally {
    for (const folder of folders) folder.changes += 1;
  }
}

function anyHandle(node: Node): FileHandle | undefined {
  const [handle] = node.isOpen ? node.handles : [];
  return handle;
}

/** Nothing is at the path that was asked for. */
export function isMissing(error: unknown): error is FsError {
  return error instanceof FsError && error.code === 'ENOENT';
}
