import { describe, expect, it } from 'vitest';
import { statRecord, statvfsRecord } from '../../../src/fuse/native/stat-records.ts';

describe('records for the addon', () => {
  const file = {
    kind: 'file',
    identity: 1,
    size: 5,
    links: 1,
    mode: 0o640,
    uid: 1,
    gid: 2,
    validFor: 0,
  } as const;

  it('hold sizes over 4 GiB in two halves', () => {
    const record = statRecord({ ...file, size: 5 * 2 ** 32 + 7, mtime: 0, atime: 0, ctime: 0 });

    expect([record[0], record[3], record[4]]).toEqual([0o100640, 7, 5]);
  });

  it('hold times in whole milliseconds, none before 1970', () => {
    const record = statRecord({ ...file, mtime: 2 ** 32 + 3.9, atime: -1, ctime: 8 });

    expect([...record.subarray(12)]).toEqual([0, 0, 3, 1, 8, 0]);
  });

  it('cap the counts of a file system at 32 bits', () => {
    const statistics = { usedBytes: 1, freeBytes: 2 ** 50, files: 3, maxNameLength: 255 };

    expect([...statvfsRecord(statistics)].slice(0, 4)).toEqual([2 ** 20, 2 ** 20, 2 ** 30 + 1, 2 ** 30]);
    expect(statvfsRecord({ ...statistics, freeBytes: 2 ** 60 })[3]).toBe(2 ** 32 - 1);
  });
});
