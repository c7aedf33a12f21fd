import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PIECE_SIZE } from '../../src/server/blobs.ts';
import { MemoryBlobs } from '../../src/server/memory-blobs.ts';

/** What lies together in memory (memory-blobs.ts): what begins, ends or crosses there is of interest. */
const CHUNK = 4 * 1024 * 1024;
const LARGEST = 2 * CHUNK + PIECE_SIZE;

/** No two places of it that are alike are near each other. */
const content = Buffer.alloc(LARGEST);
for (let index = 0; index < LARGEST; index += 4)
  content.writeUInt32LE((index * 2_654_435_761) % 2 ** 32, index);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  const shared = Buffer.alloc(size);
  for (let start = 0; start < bytes.length; start += size) {
    const count = bytes.copy(shared, 0, start, Math.min(start + size, bytes.length));
    yield shared.subarray(0, count);
    await Promise.resolve();
    shared.fill(0xee);
  }
}

async function bytesOf(blobs: MemoryBlobs, start: number, end: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of (await blobs.read('blob', { start, end })) ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

const near = fc
  .tuple(
    fc.constantFrom(0, PIECE_SIZE, CHUNK, CHUNK + PIECE_SIZE, 2 * CHUNK),
    fc.integer({ min: -3, max: 3 }),
  )
  .map(([place, by]) => Math.max(0, place + by));

describe('a file in memory', () => {
  it('is read as it was sent, whole and in parts, however it came in pieces', async () => {
    const sizes = fc.constantFrom(1000, PIECE_SIZE, PIECE_SIZE + 1, CHUNK - 1, CHUNK, CHUNK + 1, LARGEST);
    await fc.assert(
      fc.asyncProperty(near, sizes, near, near, async (size, pieceSize, one, other) => {
        const blobs = new MemoryBlobs();
        const sent = content.subarray(0, size);
        await blobs.receive('blob', inPieces(sent, pieceSize));
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        expect((await bytesOf(blobs, 0, size)).equals(sent)).toBe(true);
        expect((await bytesOf(blobs, start, end)).equals(sent.subarray(start, end))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('is nothing when its source fails', async () => {
    const blobs = new MemoryBlobs();
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield content.subarray(0, 10);
      await Promise.resolve();
      throw new Error('the line broke');
    };
    await expect(blobs.receive('blob', failing())).rejects.toThrow('the line broke');
    expect(await blobs.read('blob', { start: 0, end: 10 })).toBeUndefined();
  });
});
