/** Whose bytes are in a file of the disk cache? Never those of another content, whatever has the same name there, key, or ETag. */
import { describe, expect, it } from 'vitest';
import {
  emptyHeader,
  encodeSlots,
  hashOf,
  HEADER_SIZE,
  readHeader,
  slotPosition,
} from '../../src/content/disk-cache/group-format.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { GROUP, openCache } from './disk-cache-for-test.ts';
import { SMALL } from './reading.ts';

const NAME = { service: 'https://storage.example.com', bucket: 'b', key: 'k', etag: 'e', size: GROUP };
const OTHERS = {
  service: { ...NAME, service: 'https://other.example.com' },
  bucket: { ...NAME, bucket: 'other' },
  key: { ...NAME, key: 'other' },
  ETag: { ...NAME, etag: 'other' },
  size: { ...NAME, size: GROUP + 1 },
};
const BLOCK_SIZE = 16;

it.each(Object.entries(OTHERS))(
  'a file of another %s is not read from the same place',
  async (_what, other) => {
    const directory = await temporaryDirectory();
    const disk = openCache(directory);
    await disk.content(NAME).keepInTime(0, Buffer.alloc(SMALL.blockSize, 'x'));
    await disk.close();

    const later = openCache(directory);
    await later.content(NAME).look(0, 0);
    await later.content(other).look(0, 0);

    expect([later.content(NAME).has(0), later.content(other).has(0)]).toEqual([true, false]);
  },
);

it('while it is only being looked at, nothing is said of a file', async () => {
  const directory = await temporaryDirectory();
  const disk = openCache(directory);
  await disk.content(NAME).keepInTime(0, Buffer.alloc(SMALL.blockSize, 'x'));
  await disk.close();
  const content = openCache(directory).content(NAME);
  const said: boolean[] = [];
  let isOver = false;

  const looking = content.look(0, 0).then(() => (isOver = true));
  while (!isOver) {
    if (content.isKnown(0, 0)) said.push(content.has(0));
    await new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
  }
  await looking;

  expect(said).not.toContain(false);
  expect([content.isKnown(0, 0), content.has(0)]).toEqual([true, true]);
});

describe('the beginning of a file', () => {
  const [hash, otherHash] = [hashOf(NAME), hashOf(OTHERS.key)];
  const withSlot = (length: number): Buffer => {
    const header = emptyHeader(hash, BLOCK_SIZE);
    encodeSlots([{ checksum: 7, length }]).copy(header, slotPosition(0));
    return header;
  };

  it('tells which blocks are there', () => {
    const slots = readHeader(withSlot(BLOCK_SIZE), hash, BLOCK_SIZE);

    expect(slots?.slice(0, 2)).toEqual([
      { checksum: 7, length: BLOCK_SIZE },
      { checksum: 0, length: 0 },
    ]);
  });

  it('is not believed where it is of another content, or of blocks of another size', () => {
    expect(readHeader(withSlot(1), otherHash, BLOCK_SIZE)).toBeUndefined();
    expect(readHeader(withSlot(1), hash, 2 * BLOCK_SIZE)).toBeUndefined();
  });

  it('is not believed where it is cut, or of a form that an older or newer pailfs writes', () => {
    const other = withSlot(1);
    other.write('pailfs blocks 2\n', 0, 'ascii');

    expect(readHeader(other, hash, BLOCK_SIZE)).toBeUndefined();
    expect(readHeader(withSlot(1).subarray(0, HEADER_SIZE - 1), hash, BLOCK_SIZE)).toBeUndefined();
  });

  it('is not believed of a block that would be longer than any', () => {
    expect(readHeader(withSlot(BLOCK_SIZE + 1), hash, BLOCK_SIZE)?.[0]?.length).toBe(0);
  });
});
