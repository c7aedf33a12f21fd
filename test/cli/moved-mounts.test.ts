/** Where is a mount that was recorded elsewhere? On real mounts: test/mount/cli-moved.test.ts. */
import { describe, expect, it } from 'vitest';
import { isAnothers, whereTheyAre } from '../../src/cli/found-mounts/moved-mounts.ts';
import type { MountEntry } from '../../src/fuse/mount-table.ts';

const ROOT = 0;
const USER = 1000;

function entry(mountpoint: string, device: string, other: Partial<MountEntry> = {}): MountEntry {
  return { mountpoint, device, type: 'fuse.pailfs', source: 'photos', root: '/', owner: USER, ...other };
}

it('is where its device is mounted, and is found by the name of its record', () => {
  const record = { bucket: 'photos', mountpoint: '/a/m', device: '0:40', since: 1 };

  expect(whereTheyAre([record], [entry('/b/m', '0:40')], USER)).toEqual([
    { ...record, mountpoint: '/b/m', recordedAt: '/a/m' },
  ]);
});

it.each<[string, readonly MountEntry[]]>([
  ['it still is there, and elsewhere by a bind mount', [entry('/x', '0:40'), entry('/a/m', '0:40')]],
  ['only a folder of it is seen elsewhere', [entry('/x', '0:40', { root: '/folder' })]],
  ['another file system has its device', [entry('/x', '0:40', { type: 'tmpfs' })]],
  ['it is mounted nowhere', [entry('/x', '0:41')]],
])('is where it was recorded when %s', (_when, table) => {
  const record = { bucket: 'photos', mountpoint: '/a/m', device: '0:40' };

  expect(whereTheyAre([record], table, USER)).toEqual([record]);
});

it('is not where a later mount is that has got its device', () => {
  const later = { bucket: 'photos', mountpoint: '/b/m', device: '0:40' };
  const earlier = { bucket: 'photos', mountpoint: '/a/m', device: '0:40' };

  expect(whereTheyAre([later, earlier], [entry('/b/m', '0:40')], USER)).toEqual([later, earlier]);
});

it('is not where a later mount of an earlier pailfs is, which has not written its device down', () => {
  const later = { bucket: 'photos', mountpoint: '/b/m', device: null };
  const earlier = { bucket: 'photos', mountpoint: '/a/m', device: '0:40' };

  expect(whereTheyAre([later, earlier], [entry('/b/m', '0:40')], USER)).toEqual([later, earlier]);
});

it.each([
  ['photos', 'music'],
  ['photos', 'pailfs'],
  [null, 'photos'],
])(
  'is not where a mount without a record is that has got its device: of %j, and there is %s',
  (bucket, source) => {
    const record = { bucket, mountpoint: '/a/m', device: '0:40' };

    expect(whereTheyAre([record], [entry('/b/m', '0:40', { source })], USER)).toEqual([record]);
  },
);

it.each([
  ['a,b', 'a_b'],
  [null, 'pailfs'],
])('is found as what its bucket %j is called in the table', (bucket, source) => {
  const record = { bucket, mountpoint: '/a/m', device: '0:40' };

  expect(whereTheyAre([record], [entry('/b/m', '0:40', { source })], USER)).toMatchObject([
    { mountpoint: '/b/m' },
  ]);
});

it("is not where another user's mount is, whoever that is", () => {
  const record = { bucket: 'photos', mountpoint: '/a/m', device: '0:40' };

  expect(whereTheyAre([record], [entry('/b/m', '0:40', { owner: 1001 })], USER)).toEqual([record]);
  expect(whereTheyAre([record], [entry('/b/m', '0:40')], ROOT)).toEqual([record]);
});

describe('a record of a user', () => {
  const table = [
    entry('/covered', '0:40', { owner: 1001 }),
    entry('/covered', '0:41', { owner: ROOT }),
    entry('/own', '0:42'),
    entry('/disk', '8:1', { type: 'ext4', owner: undefined }),
    entry('/unknown', '0:43', { owner: undefined }),
  ];

  it('says nothing of what somebody else has mounted there: root would ask a process of that user', () => {
    expect(isAnothers('/covered', 1001, table)).toBe(true);
    expect(isAnothers('/own', 1001, table)).toBe(true);
  });

  it('is of his own mount, of one that has ended, or of one of which nobody knows whose it is', () => {
    for (const place of ['/own', '/none', '/disk', '/unknown'])
      expect(isAnothers(place, 1000, table)).toBe(false);
  });

  it('is of any mount, when that is root, which nobody else can write for', () => {
    expect(isAnothers('/own', ROOT, table)).toBe(false);
  });
});
