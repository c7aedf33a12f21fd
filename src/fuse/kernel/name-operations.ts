/** How are the kernel's requests about names answered: looking up, making, moving, removing? */
import { FsError } from '../../filesystem/errors.ts';
import type { Attributes, CreateIntent } from '../../filesystem/operations.ts';
import { FILE_TYPE, PERMISSION_BITS, TYPE_BITS } from '../stat-numbers.ts';
import { done, type Answer, type Operations } from './answer.ts';
import { changingNamesOf } from './discoveries.ts';
import { changingNames, isMissing, telling, type KernelContext } from './kernel-context.ts';
import { makingName, missingAnswer, takeMissingBelowBack } from './missing-names.ts';
import type { Node } from './node.ts';
import { entryReply } from './replies.ts';
import {
  readBatchForget,
  readMkdir,
  readMknod,
  readRename,
  readRename2,
  type RenameRequest,
} from './requests.ts';
import type { WireReader } from './wire-reader.ts';

type LookOperation = 'lookup' | 'forget' | 'batchForget';
type ChangeOperation = 'mknod' | 'mkdir' | 'unlink' | 'rmdir' | 'rename' | 'rename2';
type RefusedOperation = 'readlink' | 'symlink' | 'link';

/** renameat2(2) */
const RENAME_NOREPLACE = 1;

/** The requests that change nothing. */
export function lookOperations(context: KernelContext): Operations<LookOperation> {
  const { operations, nodes } = context;
  return {
    lookup: async (id, body, call) => {
      const folder = nodes.get(id);
      const name = body.name();
      const { changes } = folder;
      try {
        const attributes = await operations.getAttributes(nodes.pathIn(folder, name), undefined, call);
        return entryAnswer(context, folder, name, attributes);
      } catch (error) {
        if (!isMissing(error) || folder.changes !== changes) throw error;
        return missingAnswer(context, folder, name, error);
      }
    },
    forget: (id, body) => {
      nodes.forget(id, body.u64());
      return null;
    },
    batchForget: (_id, body) => {
      for (const { node, lookups } of readBatchForget(body)) nodes.forget(node, lookups);
      return null;
    },
  };
}

/** The requests that make, move or remove. */
export function changeOperations(context: KernelContext): Operations<ChangeOperation> {
  const { operations, nodes } = context;
  const remove = async (id: number, name: string, act: (path: string) => Promise<void>): Promise<Answer> => {
    const folder = nodes.get(id);
    await changingNamesOf(context, [nodes.known(folder, name)], () =>
      changingNames([folder], () => act(nodes.pathIn(folder, name))),
    );
    nodes.detach(folder, name);
    return done();
  };
  return {
    mknod: async (id, body, { user }) => {
      const { name, mode } = readMknod(body);
      const folder = nodes.get(id);
      const path = nodes.pathIn(folder, name);
      const type = mode & TYPE_BITS;
      // POSIX: no type means a regular file.
      if (type !== FILE_TYPE && type !== 0) throw refusal(path);
      await makingName(context, folder, name, () =>
        makeFile(context, path, { mode: mode & PERMISSION_BITS, maker: user }),
      );
      return entryAnswer(context, folder, name, await operations.getAttributes(path));
    },
    mkdir: async (id, body, { user }) => {
      const { name, mode } = readMkdir(body);
      const folder = nodes.get(id);
      const path = nodes.pathIn(folder, name);
      await makingName(context, folder, name, () => operations.mkdir(path, mode & PERMISSION_BITS, user));
      return entryAnswer(context, folder, name, await operations.getAttributes(path));
    },
    unlink: (id, body) => remove(id, body.name(), (path) => operations.unlink(path)),
    rmdir: (id, body) => remove(id, body.name(), (path) => operations.rmdir(path)),
    rename: (id, body) => rename(context, id, readRename(body)),
    rename2: (id, body) => rename(context, id, readRename2(body)),
  };
}

/** The requests that no object storage can answer. */
export function refusedOperations({ operations, nodes }: KernelContext): Operations<RefusedOperation> {
  const refuse = (id: number, body: WireReader): never => {
    throw refusal(nodes.pathIn(nodes.get(id), body.name()));
  };
  return {
    readlink: (id) => {
      throw new FsError('EINVAL', nodes.get(id).name, 'not a symbolic link');
    },
    symlink: refuse,
    link: (id, body) => {
      const file = nodes.get(body.u64());
      const to = nodes.pathIn(nodes.get(id), body.name());
      return operations.link(nodes.pathOf(file) ?? file.formerPath ?? to, to);
    },
  };
}

/** Tells the kernel of what is at `name`, which counts until it forgets. */
export function entryAnswer(
  context: KernelContext,
  folder: Node,
  name: string,
  attributes: Attributes,
): Answer {
  const { nodes } = context;
  const node = nodes.lookUp(folder, name, attributes);
  return {
    reply: entryReply(node.id, telling(context, node, attributes)),
    undelivered: () => {
      nodes.forget(node.id, 1);
    },
  };
}

async function makeFile(
  { operations, log }: KernelContext,
  path: string,
  made: Pick<CreateIntent, 'mode' | 'maker'>,
): Promise<void> {
  const intent = { read: false, write: true, truncate: false, exclusive: true, ...made };
  const handle = await operations.create(path, intent);
  try {
    // Nobody opens it, so no close will store it.
    await operations.flush(handle);
  } finally {
    await operations.release(handle).catch((error: unknown) => {
      log.error('a new file could not be let go', { path, cause: error });
    });
  }
}

async function rename(context: KernelContext, id: number, request: RenameRequest): Promise<Answer> {
  const { operations, nodes } = context;
  const [fromFolder, toFolder] = [nodes.get(id), nodes.get(request.toFolder)];
  const from = nodes.pathIn(fromFolder, request.from);
  const to = nodes.pathIn(toFolder, request.to);
  if ((request.flags & ~RENAME_NOREPLACE) !== 0)
    throw new FsError('EINVAL', from, 'names cannot be exchanged at once');
  const moved = nodes.known(fromFolder, request.from);
  const replaced = nodes.known(toFolder, request.to);
  if (replaced !== undefined) replaced.isBeingReplaced = true;
  const act = async (): Promise<void> => {
    await changingNames([fromFolder, toFolder], async () => {
      // Of a folder whose rename fails what was done is undone.
      const known = moved?.kind === 'folder' ? [] : [moved, replaced];
      await changingNamesOf(context, known, () =>
        makingName(context, toFolder, request.to, () =>
          operations.rename(from, to, (request.flags & RENAME_NOREPLACE) !== 0),
        ),
      );
      // Whoever looked the new name up meanwhile may have found it there.
      if (moved !== undefined && nodes.known(toFolder, request.to)?.id === moved.id) return;
      nodes.move(fromFolder, request.from, toFolder, request.to);
    });
  };
  try {
    await (moved?.kind === 'folder' ? context.moving.during(from, to, act) : act());
  } finally {
    if (replaced !== undefined) replaced.isBeingReplaced = false;
    if (moved?.kind === 'folder') takeMissingBelowBack(context, moved);
  }
  return done();
}

const refusal = (path: string): FsError => new FsError('EPERM', path, 'only files and folders can be stored');
