/**
 * How are temporary files kept on the local disk? A small port, so that a test can let the disk be full, and its
 * implementation by Node: who keeps a draft need not know `node:fs`.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { areWholePages } from '../base/aligned-memory.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { systemErrorCode } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { DirectFile, DirectWrites } from './direct-writes.ts';
import { DiskCalls } from './disk-calls.ts';
import { DiskPace } from './disk-pace.ts';
import { NodeLocalFile, type ProcessFiles } from './node-local-file.ts';
import { OpenDescriptor } from './open-descriptor.ts';
import { RestingFiles } from './resting-files.ts';

/** An open temporary file. Every method rejects with a Node system error (`code`). */
export interface LocalFile {
  readonly path: string;
  /** How many bytes were read; 0 at the end, and maybe fewer than fit before it. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** How many bytes were written, maybe fewer than given. */
  write(data: Uint8Array, position: number): Promise<number>;
  truncate(size: number): Promise<void>;
  /** Bytes that it takes, where holes take none; 0 also where the disk does not tell. */
  bytesOnDisk(): Promise<number>;
  /** Resolves when the bytes are on the disk. */
  sync(): Promise<void>;
  /** Deletes its name; the bytes go when it is closed. */
  unlink(): Promise<void>;
  /** The file stays. */
  close(): Promise<void>;
  /** Closes and deletes. */
  remove(): Promise<void>;
}

/** Bytes. */
export interface DiskSpace {
  /** That this user may still write; Infinity when the disk does not tell. */
  readonly free: number;
  readonly total: number;
}

export interface LocalFiles {
  /**
   * A new empty file under a name of its own, for this user only (0600), in `directory`, which is made when missing (0700).
   */
  create(directory: string): Promise<LocalFile>;
  /** The existing file at `path`, to read and to write. */
  open(path: string): Promise<LocalFile>;
  /** Resolves when the names in `directory` are on the disk. */
  syncDirectory(directory: string): Promise<void>;
  /** Of the disk that holds `directory`, now. */
  space(directory: string): Promise<DiskSpace>;
}

/** For all mounts of the process, since all of them stand still; by the real clock, whatever a mount's is: it is about a real disk. */
const calls = new DiskCalls(systemClock);
/** The descriptors are the process's, too. */
const shared: ProcessFiles = { calls, resting: new RestingFiles() };

export const nodeLocalFiles: LocalFiles = {
  create: async (directory) => new NodeLocalFile(shared, ...(await newFile(directory))),
  open: async (path) => {
    const file = new NodeLocalFile(shared, path, await OpenDescriptor.open(calls, path, 'r+'));
    // Of those that an earlier mount left each is open for a moment, to be looked at.
    shared.resting.reopened(file);
    return file;
  },
  syncDirectory: async (directory) => {
    // Opened each time: the one that had the name may have been removed.
    const descriptor = await OpenDescriptor.open(calls, directory, 'r');
    try {
      await descriptor.sync();
    } finally {
      await descriptor.closeFreeingNothing();
    }
  },
  space: async (directory) => {
    const { bavail, blocks, bsize } = await statfs(directory);
    // What has no size of its own (ramfs, some network disks) says 0 of everything.
    return { free: blocks === 0 ? Infinity : bavail * bsize, total: blocks * bsize };
  },
};

/**
 * The same, where whole pages go past the system's page cache as long as the disk is about as fast: what a program writes is there
 * already, as the mount's.
 */
export function directLocalFiles({ clock, log }: { clock: Pick<Clock, 'monotonic'>; log: Log }): LocalFiles {
  const pace = new DiskPace(clock);
  const writes = new DirectWrites({ isAligned: areWholePages, isBehind: () => pace.isSlow, pace, log });
  return {
    ...nodeLocalFiles,
    create: async (directory) => {
      const [path, descriptor] = await newFile(directory);
      return new NodeLocalFile(shared, path, descriptor, {
        writes,
        file: new DirectFile(writes, descriptor),
      });
    },
  };
}

async function newFile(directory: string): Promise<[path: string, descriptor: OpenDescriptor]> {
  const path = join(directory, randomUUID());
  const create = (): Promise<OpenDescriptor> => OpenDescriptor.open(calls, path, 'wx+', 0o600);
  // The directory is made only when it is missing: programs wait for each call.
  const descriptor = await create().catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return create();
  });
  return [path, descriptor];
}

/** Reads until `into` is full or the file ends; tells how many bytes. */
export async function readFully(
  file: Pick<LocalFile, 'read'>,
  into: Uint8Array,
  position: number,
): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const count = await file.read(into.subarray(done), position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Writes all of `data`. Rejects with the disk's error; some bytes may be written then. */
export async function writeFully(
  file: Pick<LocalFile, 'write'>,
  data: Uint8Array,
  position: number,
): Promise<void> {
  let done = 0;
  while (done < data.length) {
    const count = await file.write(data.subarray(done), position + done);
    if (count === 0) throw Object.assign(new Error('the disk took no bytes'), { code: 'EIO' });
    done += count;
  }
}
