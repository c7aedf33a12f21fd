/** How are libfuse's calls on open files answered? */
import { describeError } from '../../base/errors.ts';
import { openIntent } from '../open-intent.ts';
import { PERMISSION_BITS } from '../stat-numbers.ts';
import type { DriverContext } from './driver-context.ts';
import { isHiddenPath, refuseReservedName } from './name-rules.ts';
import { DONE, joinHalves, type NativeCalls } from './native-calls.ts';
import type { LibfuseHandle } from './libfuse-handles.ts';
import { statRecord } from './stat-records.ts';

type DescriptorOperation = 'create' | 'open' | 'read' | 'write' | 'flush' | 'fsync' | 'release';
type SizeOperation = 'fgetattr' | 'ftruncate' | 'truncate';

/** The calls that make, use and end a handle. */
export function fileCalls(context: DriverContext): Pick<NativeCalls, DescriptorOperation> {
  const { operations, handles } = context;
  return {
    // libfuse does not say how the file is to be opened: for everything, then.
    create: async (path, mode) => {
      refuseReservedName(path);
      const intent = {
        read: true,
        write: true,
        truncate: false,
        exclusive: false,
        mode: mode & PERMISSION_BITS,
      };
      const handle = await operations.create(path, intent);
      return { result: 0, payload: [handles.add(handle, true)] };
    },
    open: async (path, flags) => {
      const handle = await operations.open(path, openIntent(flags));
      return { result: 0, payload: [handles.add(handle, false)] };
    },
    read: async (...[, fh, into, length, low, high]) => {
      const { handle } = handles.current(fh);
      // libfuse's buffer is gone once a deadline has answered; a late read may still write into its own.
      const bytes = Buffer.allocUnsafe(length);
      const count = await operations.read(handle, bytes, joinHalves(low, high));
      // Others may have been told of a newer file meanwhile.
      handles.current(fh);
      bytes.copy(into, 0, 0, count);
      return { result: count, payload: transferPayload(into) };
    },
    write: async (...[, fh, data, , low, high]) => {
      const count = await operations.write(handles.get(fh).handle, data, joinHalves(low, high));
      return { result: count, payload: transferPayload(data) };
    },
    flush: async (_path, fh) => {
      const file = handles.get(fh);
      file.neverFlushed = false;
      await operations.flush(file.handle);
      return DONE;
    },
    fsync: async (_path, _dataOnly, fh) => {
      await operations.fsync(handles.get(fh).handle);
      return DONE;
    },
    release: async (_path, fh) => {
      const file = handles.get(fh);
      try {
        await releaseFile(context, file);
      } finally {
        handles.forget(fh);
      }
      return DONE;
    },
  };
}

/** The calls about a file's size, with a handle or without. */
export function sizeCalls({ operations, handles }: DriverContext): Pick<NativeCalls, SizeOperation> {
  return {
    fgetattr: async (path, fh) => {
      const { handle } = handles.current(fh);
      return {
        result: 0,
        payload: [statRecord(await operations.getAttributes(namedPath(path, handle), handle))],
      };
    },
    ftruncate: async (path, fh, low, high) => {
      const { handle } = handles.get(fh);
      await operations.truncate(namedPath(path, handle), joinHalves(low, high), handle);
      return DONE;
    },
    truncate: async (path, low, high) => {
      if (isHiddenPath(path)) {
        const handle = handles.behind(path);
        await operations.truncate(handle.path, joinHalves(low, high), handle);
      } else {
        await operations.truncate(path, joinHalves(low, high));
      }
      return DONE;
    },
  };
}

/** Ends one handle. Rejects with what the file system said, which nobody but the log will hear. */
export async function releaseFile(context: DriverContext, file: LibfuseHandle): Promise<void> {
  try {
    if (file.neverFlushed) await context.operations.flush(file.handle);
  } catch (error) {
    context.log.error('a new file was not stored when it was made', {
      path: file.handle.path,
      reason: describeError(error),
    });
  }
  await context.operations.release(file.handle);
}

/** What the addon's signals of read and write take: a number that it ignores, and its buffer back. */
export function transferPayload(buffer: Buffer): readonly unknown[] {
  return [0, buffer.buffer];
}

/** Once hidden, libfuse's path is one that the file system never heard of. */
function namedPath(path: string, handle: { readonly path: string }): string {
  return isHiddenPath(path) || path === '-' ? handle.path : path;
}
