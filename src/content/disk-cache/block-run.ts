/** How do neighbouring blocks of a group get to the disk in as few calls as may be? */
import type { OpenDescriptor } from '../open-descriptor.ts';

/** Neighbouring blocks, of which only the file's last may be shorter than the others. */
export interface BlockRun {
  /** The first one's index. */
  readonly first: number;
  readonly blocks: readonly Uint8Array[];
}

/** Of a new file with so many bytes of blocks, which most small files are, everything is written in one call. */
const MOST_AT_ONCE = 60 * 1024;

/** All blocks of `runs`, if they are few bytes that follow the header; else none. */
export function blocksAtOnce(runs: readonly BlockRun[]): readonly Uint8Array[] {
  const [first, ...others] = runs;
  if (first?.first !== 0 || others.length > 0) return [];
  const bytes = first.blocks.reduce((sum, block) => sum + block.length, 0);
  return bytes <= MOST_AT_ONCE ? first.blocks : [];
}

/** One call where one is enough: each is a trip to another thread and back, and blocks come faster than that many trips take. */
export async function writeTogether(
  handle: OpenDescriptor,
  blocks: readonly Uint8Array[],
  position: number,
): Promise<void> {
  let [rest, at] = [[...blocks], position];
  while (rest.length > 0) {
    const bytesWritten = await handle.writeTogether(rest, at);
    if (bytesWritten === 0) throw Object.assign(new Error('the disk took no bytes'), { code: 'EIO' });
    at += bytesWritten;
    rest = behind(rest, bytesWritten);
  }
}

/** What is left of `blocks` when their first `count` bytes are taken. */
function behind(blocks: readonly Uint8Array[], count: number): Uint8Array[] {
  const left: Uint8Array[] = [];
  let skipped = count;
  for (const block of blocks) {
    if (skipped < block.length) left.push(block.subarray(skipped));
    skipped = Math.max(0, skipped - block.length);
  }
  return left;
}
