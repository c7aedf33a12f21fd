/** How are libfuse's calls on names answered: looking up, listing, making, renaming, removing, setting attributes? */
import { describeError } from '../../base/errors.ts';
import { FsError } from '../../filesystem/errors.ts';
import type { AttributeChange } from '../../filesystem/operations.ts';
import { PERMISSION_BITS } from '../stat-numbers.ts';
import type { DriverContext } from './driver-context.ts';
import { areSiblings, isHiddenPath, isListable, refuseReservedName } from './name-rules.ts';
import { DONE, type NativeAnswer, type NativeCalls } from './native-calls.ts';
import { kindRecord, statRecord, statvfsRecord, type StatRecord } from './stat-records.ts';

type LookOperation =
  'getattr' | 'access' | 'statfs' | 'readdir' | 'opendir' | 'releasedir' | 'fsyncdir' | 'readlink';
type ChangeOperation = 'mkdir' | 'rmdir' | 'unlink' | 'rename' | 'chmod' | 'chown' | 'utimens';
type RefusedOperation = 'mknod' | 'link' | 'symlink';

/** (uid_t) -1: leave it. */
const UNCHANGED_OWNER = 2 ** 32 - 1;

/** The calls that change nothing. */
export function lookCalls({
  operations,
  handles,
  replacements,
  log,
}: DriverContext): Pick<NativeCalls, LookOperation> {
  const attributesOf = async (path: string): Promise<StatRecord> => {
    if (!isHiddenPath(path)) {
      const attributes = await replacements.lookUp(path, () => operations.getAttributes(path));
      handles.told(path, attributes.identity);
      return statRecord(attributes);
    }
    const handle = handles.behind(path);
    return statRecord(await operations.getAttributes(handle.path, handle));
  };
  return {
    getattr: async (path) => ({ result: 0, payload: [await attributesOf(path)] }),
    // The kernel checks the permission bits itself (default_permissions): left is whether the name exists.
    access: async (path) => {
      await attributesOf(path);
      return DONE;
    },
    statfs: (path) => ({ result: 0, payload: [statvfsRecord(operations.statistics(path))] }),
    opendir: () => ({ result: 0, payload: [0] }),
    readdir: async (path) => {
      const records = { file: kindRecord('file'), folder: kindRecord('folder') };
      const names = ['.', '..'];
      const kinds = [records.folder, records.folder];
      let leftOut = 0;
      // fuse-native takes a listing only as a whole.
      for await (const batch of operations.readDirectory(path)) {
        for (const { name, attributes } of batch) {
          if (!isListable(name)) {
            leftOut += 1;
            continue;
          }
          names.push(name);
          kinds.push(records[attributes.kind]);
        }
      }
      if (leftOut > 0) log.debug('names left out of a listing', { path });
      return { result: 0, payload: [names, kinds] };
    },
    releasedir: () => DONE,
    fsyncdir: () => DONE,
    readlink: (path) => {
      throw new FsError('EINVAL', path, 'not a symbolic link');
    },
  };
}

/** The calls that make, move, remove or set. */
export function changeCalls(context: DriverContext): Pick<NativeCalls, ChangeOperation> {
  const { operations, handles, replacements } = context;
  const setAttributes = async (path: string, change: AttributeChange): Promise<NativeAnswer> => {
    if (isHiddenPath(path)) {
      const handle = handles.behind(path);
      await operations.setAttributes(handle.path, change, handle);
    } else {
      await operations.setAttributes(path, change);
    }
    return DONE;
  };
  return {
    mkdir: async (path, mode) => {
      refuseReservedName(path);
      await operations.mkdir(path, mode & PERMISSION_BITS);
      return DONE;
    },
    rmdir: async (path) => {
      await operations.rmdir(path);
      return DONE;
    },
    unlink: async (path) => {
      // The object went when the name was hidden.
      if (isHiddenPath(path)) handles.unhide(path);
      else await operations.unlink(path);
      replacements.forget(path);
      return DONE;
    },
    rename: async (from, to, thread) => {
      if (isHiddenPath(to)) await hide(context, { path: from, hiddenPath: to, thread });
      else {
        await operations.rename(from, to, false);
        replacements.forget(from);
        handles.moveHidden(from, to);
      }
      return DONE;
    },
    chmod: (path, mode) => setAttributes(path, { mode: mode & PERMISSION_BITS }),
    chown: (path, uid, gid) =>
      setAttributes(path, {
        ...(uid === UNCHANGED_OWNER ? {} : { uid }),
        ...(gid === UNCHANGED_OWNER ? {} : { gid }),
      }),
    utimens: (path, atime, mtime) => setAttributes(path, { atime, mtime }),
  };
}

/** The calls that no object storage can answer. */
export function refusedCalls({ operations }: DriverContext): Pick<NativeCalls, RefusedOperation> {
  const refuse = (path: string): never => {
    throw new FsError('EPERM', path, 'only files and folders can be stored');
  };
  return {
    mknod: refuse,
    link: (from, to) => operations.link(from, to),
    symlink: (_target, path) => refuse(path),
  };
}

interface Hiding {
  readonly path: string;
  readonly hiddenPath: string;
  readonly thread: Buffer;
}

/** libfuse deletes or replaces a file that is open: the object goes, the handles live on under the hidden name. */
async function hide(context: DriverContext, { path, hiddenPath, thread }: Hiding): Promise<void> {
  const { operations, handles, replacements, log } = context;
  // Only libfuse hides, and only what is open and within its folder: anybody else would lose the file.
  if (!handles.mayBeOpen(path) || !areSiblings(path, hiddenPath)) refuseReservedName(hiddenPath);
  const files = handles.visibleAt(path);
  if (replacements.isLikely(path)) {
    replacements.postpone(path, thread, async () => {
      try {
        await operations.unlink(path);
      } catch (error) {
        log.error('a file deleted while open is still there', { path, reason: describeError(error) });
      }
    });
  } else {
    await operations.unlink(path);
  }
  replacements.forget(path);
  handles.hide(hiddenPath, files);
}
