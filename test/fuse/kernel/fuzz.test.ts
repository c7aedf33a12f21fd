import { constants } from 'node:os';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { opcodes, type OperationName } from '../../../src/fuse/kernel/opcodes.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { goldenRequest, goldenRequests } from './golden-bytes.ts';
import { KernelSide, u32 } from './kernel-side.ts';

const UNANSWERED: readonly number[] = [opcodes.forget, opcodes.batchForget, opcodes.interrupt];
const LARGEST_ERRNO = 4095;

/** A golden request with some bytes changed, cut or continued; the length in its header right more often than not. */
const mutated = fc
  .record({
    name: fc.constantFrom(...(Object.keys(goldenRequests) as OperationName[])),
    changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
    length: fc.option(fc.nat(160), { freq: 4 }),
    isLengthTrue: fc.boolean(),
  })
  .map(({ name, changes, length, isLengthTrue }) => {
    const golden = goldenRequest(name);
    const request = Buffer.alloc(length ?? golden.length);
    golden.copy(request);
    for (const [place, value] of changes) if (request.length > 0) request[place % request.length] = value;
    if (isLengthTrue && request.length >= 4) request.writeUInt32LE(request.length, 0);
    return request;
  });
const requests = fc.array(fc.oneof({ weight: 4, arbitrary: mutated }, fc.uint8Array({ maxLength: 200 })), {
  minLength: 1,
  maxLength: 30,
});

/** A file system with something to hit: node 2 is `file.txt`, open as 1 to 7; node 3 is a folder. */
async function target(): Promise<KernelSide> {
  const side = new KernelSide(new MemoryFileSystem());
  const node = await side.make('file.txt');
  await side.succeed('mkdir', 1, u32(0o755, 0), 'folder');
  for (let fh = 1; fh <= 7; fh += 1) await side.open(node);
  await side.succeed('opendir', 1, u32(0, 0));
  side.replies.clear();
  return side;
}

describe('whatever bytes come from the device', () => {
  it('no exception escapes, no answer is malformed, and none is given twice or withheld', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (sent) => {
        const side = await target();
        const expected = new Set<bigint>();
        const asked = new Map<bigint, number>();
        let interrupts = 0;
        for (const bytes of sent) {
          const request = Buffer.from(bytes);
          if (request.length >= 40) {
            const unique = request.readBigUInt64LE(8);
            if (request.readUInt32LE(4) === opcodes.interrupt) interrupts += 1;
            if (!UNANSWERED.includes(request.readUInt32LE(4))) {
              expected.add(unique);
              asked.set(unique, (asked.get(unique) ?? 0) + 1);
            }
          }
          side.dispatcher.begin(request);
          // The kernel's memory is used again at once.
          request.fill(0xee);
          side.clock.advance(1000);
        }
        await side.dispatcher.settled();

        // "Ask me again", to interrupts of what is not there.
        const [again, replies] = partition([...side.replies.values()].flat(), isAgain);
        const uniques = replies.map((reply) => reply.readBigUInt64LE(8));
        expect(new Set(uniques)).toEqual(expected);
        for (const unique of expected) {
          expect(uniques.filter((other) => other === unique)).toHaveLength(asked.get(unique) ?? 0);
        }
        expect(again.length).toBeLessThanOrEqual(interrupts);
        for (const reply of [...again, ...replies]) expectWellFormed(reply);
      }),
      { numRuns: 300 },
    );
  });
});

const isAgain = (reply: Buffer): boolean => -reply.readInt32LE(4) === constants.errno.EAGAIN;

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function expectWellFormed(reply: Buffer): void {
  expect(reply.readUInt32LE(0)).toBe(reply.length);
  const error = -reply.readInt32LE(4);
  expect(error).toBeGreaterThanOrEqual(0);
  expect(error).toBeLessThanOrEqual(LARGEST_ERRNO);
  if (error !== 0) expect(reply.length).toBe(16);
}
