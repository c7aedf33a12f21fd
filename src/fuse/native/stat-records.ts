/** How does the addon want a stat and a statvfs? As rows of 32-bit numbers, 64-bit ones in two halves. */
import type { Attributes, FileSystemStatistics } from '../../filesystem/operations.ts';
import { FILE_TYPE, FOLDER_TYPE, STAT_BLOCK_BYTES } from '../stat-numbers.ts';

const STAT_LENGTH = 18;
const STATVFS_LENGTH = 11;
const LARGEST_UINT32 = 2 ** 32 - 1;

/** What a program had better read or write at once: the size of a FUSE request. */
const IO_SIZE_BYTES = 128 * 1024;
/** Big, so that the counts of a petabyte fit 32 bits. */
const STATVFS_BLOCK_BYTES = 1024 * 1024;

export type StatRecord = Uint32Array;

/** A refusal still has to bring a record. */
export function emptyStatRecord(): StatRecord {
  return new Uint32Array(STAT_LENGTH);
}

/** See the addon's `populate_stat`. Times before 1970 do not fit and become 1970. */
export function statRecord(attributes: Attributes): StatRecord {
  const record = emptyStatRecord();
  record[0] = (attributes.kind === 'folder' ? FOLDER_TYPE : FILE_TYPE) | attributes.mode;
  record[1] = attributes.uid;
  record[2] = attributes.gid;
  putUint64(record, 3, attributes.size);
  // One link also for a folder: programs take "2" as "no subfolders".
  record[6] = attributes.links;
  record[9] = IO_SIZE_BYTES;
  putUint64(record, 10, Math.ceil(attributes.size / STAT_BLOCK_BYTES));
  putUint64(record, 12, Math.max(0, Math.floor(attributes.atime)));
  putUint64(record, 14, Math.max(0, Math.floor(attributes.mtime)));
  putUint64(record, 16, Math.max(0, Math.floor(attributes.ctime)));
  return record;
}

/** Tells a listing what kind an entry is; nothing else of it is read there. */
export function kindRecord(kind: Attributes['kind']): StatRecord {
  const record = emptyStatRecord();
  record[0] = kind === 'folder' ? FOLDER_TYPE : FILE_TYPE;
  return record;
}

/** A refusal still has to bring a record. */
export function emptyStatvfsRecord(): Uint32Array {
  return new Uint32Array(STATVFS_LENGTH);
}

/** See the addon's `populate_statvfs`. */
export function statvfsRecord(statistics: FileSystemStatistics): Uint32Array {
  const blocks = (bytes: number): number => Math.min(LARGEST_UINT32, Math.ceil(bytes / STATVFS_BLOCK_BYTES));
  const free = blocks(statistics.freeBytes);
  const freeFiles = 2 ** 31;
  const record = emptyStatvfsRecord();
  record.set([STATVFS_BLOCK_BYTES, STATVFS_BLOCK_BYTES]);
  record.set([blocks(statistics.usedBytes + statistics.freeBytes), free, free], 2);
  record.set([Math.min(LARGEST_UINT32, statistics.files + freeFiles), freeFiles, freeFiles], 5);
  record[10] = statistics.maxNameLength;
  return record;
}

function putUint64(record: Uint32Array, index: number, value: number): void {
  record[index] = value % 2 ** 32;
  record[index + 1] = Math.floor(value / 2 ** 32);
}
