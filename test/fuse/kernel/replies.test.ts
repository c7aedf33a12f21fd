import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../../src/filesystem/operations.ts';
import { BufferPool } from '../../../src/fuse/kernel/buffer-pool.ts';
import { DirectoryPage } from '../../../src/fuse/kernel/directory-page.ts';
import { negotiate } from '../../../src/fuse/kernel/negotiation.ts';
import * as replies from '../../../src/fuse/kernel/replies.ts';
import { milliseconds, secondsAndNanoseconds } from '../../../src/fuse/kernel/wire-times.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { goldenReplies } from './golden-bytes.ts';

const attributes: Attributes = {
  kind: 'file',
  identity: 1,
  size: 2 ** 32 + 1,
  mode: 0o640,
  links: 1,
  uid: 5,
  gid: 6,
  atime: -4750,
  mtime: 1_700_000_000_123.456,
  ctime: 1000,
  validFor: 1500,
};
const statistics = { usedBytes: 1, freeBytes: 8192, files: 4, maxNameLength: 255 };
const told = { attributes, isNameTrusted: true };
const entry = { name: 'a.txt', attributes };

/** Whose bytes are those of something else. */
function usedBuffers(): BufferPool {
  const buffers = new BufferPool(new ManualClock());
  buffers.take = (bytes) => Buffer.alloc(bytes, 'used');
  return buffers;
}

function pageOf(isPlus: boolean): Buffer {
  const page = new DirectoryPage(usedBuffers(), 200, isPlus);
  if (isPlus) page.add(entry.name, told, 3, 2);
  else page.addName(entry.name, attributes.kind, 3, 2);
  return page.answer().reply;
}

function agreement(): Buffer {
  const answer = negotiate({ major: 7, minor: 45, maxReadahead: 131072, flags: 0x7fffffff });
  if (answer === undefined) throw new Error('no agreement');
  return replies.initReply(7, answer);
}

const made: Readonly<Record<keyof typeof goldenReplies, () => Buffer>> = {
  entry: () => replies.entryReply(2, told),
  attributes: () => replies.attributesReply(2, attributes),
  open: () => replies.openReply(7, 2),
  create: () => replies.createReply(2, told, 7, 2),
  size: () => replies.sizeReply(5),
  statfs: () => replies.statfsReply(statistics),
  init: agreement,
  refusal: () => replies.emptyReply(),
  directory: () => pageOf(false),
  directoryPlus: () => pageOf(true),
};

describe('an answer to the kernel', () => {
  it.each(Object.keys(goldenReplies) as (keyof typeof goldenReplies)[])(
    'of the kind "%s" has the bytes that a C program would write',
    (kind) => {
      const sealed = replies.sealReply(made[kind](), 9n, kind === 'refusal' ? 2 : 0);

      expect(sealed.toString('hex')).toBe(goldenReplies[kind]);
    },
  );

  it('tells programs to look up bytes 128 KiB at a time, and to write those of an empty file 1 MiB at a time [read/buffers]', () => {
    const ioSize = (size: number): number =>
      replies.attributesReply(2, { ...attributes, size }).readUInt32LE(16 + 16 + 80);

    expect([ioSize(1), ioSize(2 ** 40), ioSize(0)]).toEqual([131_072, 131_072, 1_048_576]);
  });

  it('names no time to trust a name for that could not be taken back', () => {
    const entry = replies.entryReply(2, { attributes, isNameTrusted: false });

    expect([entry.readBigUInt64LE(32), entry.readUInt32LE(48)]).toEqual([0n, 0]);
    expect([entry.readBigUInt64LE(40), entry.readUInt32LE(52)]).toEqual([1n, 500_000_000]);
  });

  it('that the kernel would not take becomes EIO for the same request', () => {
    const instead = replies.refusalInstead(replies.sealReply(replies.sizeReply(5), 9n));

    expect(instead.length).toBe(16);
    expect([instead.readInt32LE(4), instead.readBigUInt64LE(8)]).toEqual([-5, 9n]);
  });
});

describe('a page of a listing', () => {
  it('takes no name that it has no room for', () => {
    const page = new DirectoryPage(usedBuffers(), 64, false);

    expect(page.addDot('.', 1, 7)).toBe(true);
    expect(page.addDot('..', 2, undefined)).toBe(true);
    expect(page.hasRoomFor('a')).toBe(false);
    expect(page.answer().reply.length).toBe(16 + 64);
  });
});

describe('the agreement with a kernel', () => {
  it('has nothing in it that the kernel did not offer', () => {
    const answer = negotiate({ major: 7, minor: 31, maxReadahead: 65536, flags: 1 });

    expect(answer).toMatchObject({ minor: 31, maxReadahead: 65536, flags: 1, maxWrite: 131072, maxPages: 0 });
  });

  it('fails with one older than 7.31, and waits for another word from a newer major', () => {
    expect(negotiate({ major: 7, minor: 30, maxReadahead: 0, flags: 0 })).toBeUndefined();
    expect(negotiate({ major: 6, minor: 99, maxReadahead: 0, flags: 0 })).toBeUndefined();
    expect(negotiate({ major: 8, minor: 0, maxReadahead: 0, flags: 0 })).toMatchObject({ flags: 0 });
  });
});

describe('a time', () => {
  it.each([
    [0, 0, 0],
    [-0.001, -1, 999_999_000],
    [-5000, -5, 0],
    [999.9999, 1, 0],
    [7_258_118_400_000.25, 7_258_118_400, 250_000],
    [-5.7e23, -8_640_000_000_000, 0],
    [Infinity, 8_640_000_000_000, 0],
  ])('of %d ms is %d s and %d ns', (milliseconds, seconds, nanoseconds) => {
    expect(secondsAndNanoseconds(milliseconds)).toEqual({ seconds, nanoseconds });
  });

  it('that no calendar has, set by a program, is the nearest that has a date', () => {
    expect(milliseconds(-569_637_693_903_958, 12_476_633)).toBe(-8.64e15);
    expect(milliseconds(2 ** 60, 0)).toBe(8.64e15);
  });
});
