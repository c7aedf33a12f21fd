/** How are the kernel's requests about attributes answered, also about extended ones and those of the whole file system? */
import { FsError } from '../../filesystem/errors.ts';
import type { AttributeChange, FileHandle, XattrSetMode } from '../../filesystem/operations.ts';
import { isServedXattr, unservedXattr } from '../../filesystem/attributes/xattr-namespaces.ts';
import { PERMISSION_BITS } from '../stat-numbers.ts';
import { done, type Answer, type Operations } from './answer.ts';
import {
  attributesOf,
  changing,
  targetOf,
  telling,
  whereItGoes,
  type KernelContext,
} from './kernel-context.ts';
import type { Node } from './node.ts';
import { ROOT_NODE } from './node-table.ts';
import { dropCached } from './notifications.ts';
import { attributesReply, bytesReply, emptyReply, sizeReply, statfsReply } from './replies.ts';
import {
  readGetattr,
  readGetxattr,
  readListxattr,
  readSetattr,
  readSetxattr,
  setattrBits,
  xattrFlags,
  type SetattrRequest,
} from './requests.ts';

type AttributeOperation = 'getattr' | 'setattr' | 'statfs';
type XattrOperation = 'getxattr' | 'setxattr' | 'listxattr' | 'removexattr';

const SET_USER_ID = 0o4000;
const SET_GROUP_ID = 0o2000;
const GROUP_EXECUTE = 0o0010;

/** What stat, chmod, chown, utimens, truncate and statfs ask. */
export function attributeOperations(context: KernelContext): Operations<AttributeOperation> {
  const { operations, nodes, files } = context;
  return {
    getattr: async (id, body, call) => {
      const node = nodes.get(id);
      const fh = readGetattr(body);
      const handle = fh === undefined ? undefined : files.get(fh).handle;
      const attributes = await attributesOf(context, node, handle, call);
      // Every other node is told of with its name.
      if (id === ROOT_NODE) telling(context, node, attributes);
      return { reply: attributesReply(id, attributes) };
    },
    setattr: async (id, body, { thread }) => {
      const node = nodes.get(id);
      const request = readSetattr(body);
      const has = (bit: number): boolean => (request.valid & bit) !== 0;
      const file = has(setattrBits.fh) ? files.get(request.fh) : undefined;
      if (has(setattrBits.size)) file?.writers.add(thread);
      const handle = file?.handle;
      await changing(node, () => setAttributes(context, node, request, handle));
      return { reply: attributesReply(id, await attributesOf(context, node, handle)) };
    },
    statfs: (id) => ({ reply: statfsReply(operations.statistics(nodes.pathOf(nodes.get(id)))) }),
  };
}

/** Names outside `user.` are answered without asking the file system. A file whose name is gone has none. */
export function xattrOperations(context: KernelContext): Operations<XattrOperation> {
  const { operations, nodes } = context;
  const served = (id: number, name: string): string | undefined =>
    isServedXattr(name) ? nodes.pathOf(nodes.get(id)) : undefined;
  return {
    getxattr: (id, body, call) => {
      const { size, name } = readGetxattr(body);
      const path = served(id, name);
      if (path === undefined) return { reply: emptyReply(), refusal: unservedXattr(name) };
      const value = whereItGoes(context, nodes.get(id), path, (where) =>
        operations.getXattr(where, name, call),
      );
      return value.then((bytes) => sizedAnswer(bytes, size, path));
    },
    setxattr: async (id, body) => {
      const { flags, name, value } = readSetxattr(body);
      const path = served(id, name);
      if (path === undefined) throw new FsError('ENOTSUP', name, 'the attribute cannot be set');
      await changing(nodes.get(id), () => operations.setXattr(path, name, value, setMode(flags)));
      return done();
    },
    listxattr: async (id, body, call) => {
      const size = readListxattr(body);
      const node = nodes.get(id);
      const path = nodes.pathOf(node);
      const list = (where: string): Promise<readonly string[]> => operations.listXattrs(where, call);
      const names = path === undefined ? [] : await whereItGoes(context, node, path, list);
      const value = Buffer.from(names.map((name) => `${name}\0`).join(''));
      return sizedAnswer(value, size, path ?? '');
    },
    removexattr: async (id, body) => {
      const name = body.text();
      const path = served(id, name);
      if (path === undefined) throw new FsError('ENOTSUP', name, 'the attribute cannot be removed');
      await changing(nodes.get(id), () => operations.removeXattr(path, name));
      return done();
    },
  };
}

/** A write or a truncate by somebody without the right to keep them takes the set-id bits away. */
export async function clearSetIdBits(context: KernelContext, node: Node, handle?: FileHandle): Promise<void> {
  const { mode } = node;
  const groupBits = (mode & GROUP_EXECUTE) !== 0 ? SET_GROUP_ID : 0;
  const cleared = mode & ~(SET_USER_ID | groupBits);
  if (cleared === mode) return;
  const target = targetOf(context, node, handle);
  await context.operations.setAttributes(target.path, { mode: cleared }, target.handle);
  node.mode = cleared;
  // The answers to a write and an open do not tell the kernel, which would go on showing the bits.
  context.notifyAtOnce(dropCached(node.id, 'attributes'));
}

async function setAttributes(
  context: KernelContext,
  node: Node,
  request: SetattrRequest,
  handle: FileHandle | undefined,
): Promise<void> {
  const { operations } = context;
  const target = targetOf(context, node, handle);
  const has = (bit: number): boolean => (request.valid & bit) !== 0;
  // Replaced since the kernel looked it up, and not open: truncate(2) looks the name up again. Who holds the file itself (O_PATH) cuts no other.
  if (has(setattrBits.size) && target.handle === undefined && context.nodes.pathOf(node) === undefined)
    throw new FsError('ESTALE', target.path, 'the name leads to another file');
  if (has(setattrBits.size)) await operations.truncate(target.path, request.size, target.handle);
  const change = attributeChange(request, context.clock.now());
  if (Object.keys(change).length > 0 || !has(setattrBits.size))
    await whereItGoes(context, node, target.path, (path) =>
      operations.setAttributes(path, change, target.handle),
    );
  if (node.kind === 'file' && endsPrivileges(request)) await clearSetIdBits(context, node, handle);
}

/**
 * Whether the set-id bits go: the kernel says so, or it sets nothing. That is what is left of a chown(2) that keeps owner and group, and of what
 * it wants before a write or fallocate(2) of who may not keep the bits, once it has left those to us.
 */
function endsPrivileges({ valid }: SetattrRequest): boolean {
  const { killSuidgid, uid, gid, mode, size, atime, mtime } = setattrBits;
  return (valid & killSuidgid) !== 0 || (valid & (uid | gid | mode | size | atime | mtime)) === 0;
}

function attributeChange(request: SetattrRequest, now: number): AttributeChange {
  const has = (bit: number): boolean => (request.valid & bit) !== 0;
  const time = (given: number, isNow: boolean): number => (isNow ? now : given);
  return {
    ...(has(setattrBits.mode) && { mode: request.mode & PERMISSION_BITS }),
    ...(has(setattrBits.uid) && { uid: request.uid }),
    ...(has(setattrBits.gid) && { gid: request.gid }),
    ...(has(setattrBits.atime) && { atime: time(request.atime, has(setattrBits.atimeNow)) }),
    ...(has(setattrBits.mtime) && { mtime: time(request.mtime, has(setattrBits.mtimeNow)) }),
  };
}

/** For getxattr(2) and listxattr(2): the size alone when no room was offered, ERANGE when too little. */
function sizedAnswer(value: Uint8Array, room: number, path: string): Answer {
  if (room === 0) return { reply: sizeReply(value.length) };
  if (value.length > room) throw new FsError('ERANGE', path, 'the room for the value is too small');
  return { reply: bytesReply(value) };
}

function setMode(flags: number): XattrSetMode {
  if ((flags & xattrFlags.create) !== 0) return 'create';
  return (flags & xattrFlags.replace) !== 0 ? 'replace' : 'any';
}
