/** How are the kernel's requests about open files answered? */
import { constants } from 'node:fs';
import { describeError } from '../../base/errors.ts';
import { FsError } from '../../filesystem/errors.ts';
import type { FileHandle, OpenIntent } from '../../filesystem/operations.ts';
import { openIntent } from '../open-intent.ts';
import { PERMISSION_BITS } from '../stat-numbers.ts';
import { done, type Answer, type Operations } from './answer.ts';
import type { Call } from './call.ts';
import { isBystander, isOpenStill } from './closers.ts';
import { clearSetIdBits } from './attribute-operations.ts';
import { takeNameBack } from './discoveries.ts';
import { changing, isMissing, targetOf, telling, type KernelContext } from './kernel-context.ts';
import { makingName } from './missing-names.ts';
import type { Node } from './node.ts';
import { dropCached } from './notifications.ts';
import { createReply, openReply, sizeReply } from './replies.ts';
import { ReplyRoom } from './reply-room.ts';
import {
  MAX_TRANSFER_BYTES,
  readCreate,
  readFallocate,
  readHandle,
  readOpen,
  readRead,
  readWrite,
  type OpenRequest,
} from './requests.ts';

type DescriptorOperation = 'create' | 'open' | 'read' | 'write' | 'fallocate' | 'flush' | 'fsync' | 'release';

/** Reads ask the driver, and end where it says. */
const FOPEN_DIRECT_IO = 1;
/** What the kernel has of the node's bytes is true: a node's are never those of two versions. */
const FOPEN_KEEP_CACHE = 2;
/** close(2) asks nothing: kernels before 7.35 ask nevertheless. */
const FOPEN_NOFLUSH = 1 << 5;

/** The requests that make, use and end a handle. */
export function fileOperations(context: KernelContext): Operations<DescriptorOperation> {
  const { operations, nodes, files, buffers, requests } = context;
  return {
    create: (id, body, call) => create(context, nodes.get(id), readCreate(body), call),
    open: (id, body, call) => open(context, nodes.get(id), readOpen(body), call),
    read: async (_id, body, call) => {
      const { fh, offset, size } = readRead(body);
      const { handle } = files.get(fh);
      const room = new ReplyRoom(Math.min(size, MAX_TRANSFER_BYTES), buffers);
      return room.answer(await operations.read(handle, room, offset, call));
    },
    write: async (_id, body, { thread }) => {
      const { fh, offset, killsPrivileges, data } = readWrite(body);
      const { handle, node, writers } = files.get(fh);
      writers.add(thread);
      const { bytes, free } = requests.hold(data);
      const count = await storing(context, node, () => operations.write(handle, bytes, offset, free));
      if (killsPrivileges) await clearSetIdBits(context, node, handle);
      return { reply: sizeReply(count) };
    },
    fallocate: async (_id, body, { thread }) => {
      const { fh, range, keepsSize, isOther } = readFallocate(body);
      const { handle, node, writers } = files.get(fh);
      writers.add(thread);
      if (isOther) throw new FsError('ENOTSUP', handle.path, 'no hole can be made in a file');
      await storing(context, node, () => operations.allocate(handle, range, keepsSize));
      return done();
    },
    flush: async (_id, body, { thread }) => {
      const file = files.get(readHandle(body));
      const { handle, node, writers } = file;
      if (await isBystander(context, file, thread)) return done();
      const isOpenElsewhere = (): Promise<boolean> => isOpenStill(context, file, thread);
      await storing(context, node, () => operations.flush(handle, isOpenElsewhere));
      writers.delete(thread);
      await tellIfMoved(context, node, handle);
      return done();
    },
    fsync: async (_id, body) => {
      const { handle, node } = files.get(readHandle(body));
      await storing(context, node, () => operations.fsync(handle));
      await tellIfMoved(context, node, handle);
      return done();
    },
    release: async (_id, body) => {
      await releaseFile(context, readHandle(body));
      return done();
    },
  };
}

/** Ends one handle. Rejects with what the file system said, which nobody but the log will hear. */
async function releaseFile(context: KernelContext, fh: number): Promise<void> {
  const { handle, node } = context.files.get(fh);
  try {
    await changing(node, () => context.operations.release(handle));
  } finally {
    node.closed(handle);
    context.files.remove(fh);
    if (node.isDoubtful && !node.isOpen) {
      node.isDoubtful = false;
      takeNameBack(context, node);
    }
  }
}

/** Takes bytes, or stores them. When that fails they may be set aside: the kernel then looks what the name leads to. */
async function storing<Result>(
  context: KernelContext,
  node: Node,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await changing(node, change);
  } catch (error) {
    node.isDoubtful = true;
    takeNameBack(context, node);
    throw error;
  }
}

/**
 * A conflict has given what was stored a name of its own: whoever uses the one before has it looked up. Before the program goes on: it, or a
 * person, may list the folder, and by that name the node would be the one that the kernel finds by the other, too.
 */
async function tellIfMoved(context: KernelContext, node: Node, { path }: FileHandle): Promise<void> {
  const known = context.nodes.pathOf(node);
  if (known === undefined || known === path) return;
  takeNameBack(context, node);
  await context.notified();
}

/** Ends the handles that the kernel let go of without a word. Never rejects. */
export async function releaseAll({ files, operations, log }: KernelContext): Promise<void> {
  for (const { handle } of files.takeAll()) {
    await operations.release(handle).catch((error: unknown) => {
      log.error('a file could not be ended after the unmount', {
        path: handle.path,
        reason: describeError(error),
      });
    });
  }
}

async function open(context: KernelContext, node: Node, request: OpenRequest, call: Call): Promise<Answer> {
  const { operations } = context;
  const intent = openIntent(request.flags);
  const { path, handle: other } = targetOf(context, node);
  // Deleted while somebody else has it open: its name, if there is one, means another file.
  if (other !== undefined) throw stale(path);
  if (intent.truncate) call.finishAnyway();
  // Emptied only once it is known to be the file that is meant: closing another would store it empty.
  const handle = await operations.open(path, { ...intent, truncate: false }, call).catch((error: unknown) => {
    // The name is gone: open(2) looks it up again, and makes the file if it was to.
    throw isMissing(error) ? stale(path) : error;
  });
  const isOther = handle.identity !== node.identity;
  try {
    if (isOther && !mayReadOther(context, node, handle, intent)) throw stale(path);
    if (intent.truncate) await changing(node, () => operations.truncate(path, 0, handle));
    if (request.killsPrivileges && intent.truncate) await clearSetIdBits(context, node, handle);
  } catch (error) {
    await operations.release(handle);
    throw error;
  }
  const fh = addFile(context, node, handle, call);
  // Those of the one that it had found, whose size the program would take for this one's.
  if (isOther) context.notifyAtOnce(dropCached(node.id, 'attributes'));
  // Who only reads has nothing to store: one of the three requests that a program waits for when it reads a small file.
  const closing = intent.write || intent.truncate ? 0 : FOPEN_NOFLUSH;
  const flags = keptOf(node, isOther) | closing;
  return { reply: openReply(fh, flags), undelivered: releaseLater(context, fh) };
}

/** What becomes of the bytes that the kernel has of `node`, which an open has found; `isOther`: it has found another file. */
function keptOf(node: Node, isOther: boolean): number {
  if (isOther) return FOPEN_DIRECT_IO;
  if (!node.isRenewed) return FOPEN_KEEP_CACHE;
  // A notification may have come before the kernel read the last of them.
  node.isRenewed = false;
  return 0;
}

/**
 * At ESTALE open(2) looks the name up again, but only once. So a file that this mount replaces again and again is read past
 * what the kernel knows of the one it had found. Where an append would go it takes from that one: so nobody may write. All that is
 * open of a node has one size: so nobody may have the one open that it had found.
 */
function mayReadOther(
  { nodes }: KernelContext,
  node: Node,
  { identity }: FileHandle,
  intent: OpenIntent,
): boolean {
  if (intent.write || intent.truncate) return false;
  if (nodes.pathOf(node) !== undefined && !node.isBeingReplaced) return false;
  return !node.isOpen || [...node.handles].every((handle) => handle.identity === identity);
}

const stale = (path: string): FsError => new FsError('ESTALE', path, 'the name leads to another file');

async function create(
  context: KernelContext,
  folder: Node,
  request: ReturnType<typeof readCreate>,
  call: Call,
): Promise<Answer> {
  const { operations, nodes } = context;
  const { flags, name } = request;
  const intent = {
    ...openIntent(flags),
    exclusive: (flags & constants.O_EXCL) !== 0,
    mode: request.mode & PERMISSION_BITS,
    maker: call.user,
  };
  const path = nodes.pathIn(folder, name);
  const handle = await makingName(context, folder, name, () => operations.create(path, intent));
  try {
    const attributes = await operations.getAttributes(handle.path, handle);
    const node = nodes.lookUp(folder, name, attributes);
    const told = telling(context, node, attributes);
    const fh = addFile(context, node, handle, call);
    const release = releaseLater(context, fh);
    const undelivered = (): void => {
      nodes.forget(node.id, 1);
      release();
    };
    return { reply: createReply(node.id, told, fh, keptOf(node, false)), undelivered };
  } catch (error) {
    await operations.release(handle);
    throw error;
  }
}

function addFile({ files }: KernelContext, node: Node, handle: FileHandle, { thread }: Call): number {
  node.handles.add(handle);
  return files.add({ node, handle, opener: thread, writers: new Set() });
}

/** The program that opened the file never heard that it did. */
function releaseLater(context: KernelContext, fh: number): () => void {
  return () => {
    releaseFile(context, fh).catch((error: unknown) => {
      context.log.warn('a file that nobody got to open could not be let go', {
        reason: describeError(error),
      });
    });
  };
}
