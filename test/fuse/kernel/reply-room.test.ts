/** How does the kernel get the bytes of a read: copied, or lent by the file system? */
import { describe, expect, it } from 'vitest';
import type { ReadInto } from '../../../src/base/read-into.ts';
import { BufferPool } from '../../../src/fuse/kernel/buffer-pool.ts';
import { opcodes } from '../../../src/fuse/kernel/opcodes.ts';
import { ReplyRoom } from '../../../src/fuse/kernel/reply-room.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u64 } from './kernel-side.ts';

/** Who lends texts, and overwrites each as soon as it has it back. */
class Lender {
  lent = 0;
  freed = 0;

  lend(into: ReadInto, start: number, text: string): void {
    const bytes = Buffer.from(text);
    this.lent += 1;
    const free = (): void => {
      this.freed += 1;
      bytes.fill('#');
    };
    if (into.lend === undefined) throw new Error('it takes copies only');
    into.lend(start, { bytes, free });
  }
}

function copy(into: ReadInto, start: number, text: string): void {
  into.subarray(start, start + text.length).set(Buffer.from(text));
}

function textOf({ answer }: { answer: ReturnType<ReplyRoom['answer']> }): string {
  return Buffer.concat([answer.reply.subarray(16), ...(answer.data ?? [])]).toString();
}

/** An open file whose reads are lent `--lent--`, between copies, when `go` is called. */
async function lendingMount() {
  const memory = new MemoryFileSystem();
  const side = new KernelSide(memory);
  const fh = await side.open(await side.make('file'));
  const lender = new Lender();
  let go: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (go = resolve));
  memory.read = async (_handle, into) => {
    await gone;
    copy(into, 0, '............');
    lender.lend(into, 2, '--lent--');
    return 12;
  };
  return { side, lender, go, request: readRequest(fh, 0, 4096) };
}

describe('room for the bytes of a read', () => {
  it('is a buffer, header and all, where everything is copied', () => {
    const room = new ReplyRoom(100, new BufferPool(new ManualClock()));
    copy(room, 0, 'copied');
    copy(room, 6, ' twice');

    const answer = room.answer(12);
    expect(answer.data).toBeUndefined();
    expect(textOf({ answer })).toBe('copied twice');
  });

  it('takes what is lent, in any order, and what is copied between it', () => {
    const room = new ReplyRoom(100, new BufferPool(new ManualClock()));
    const lender = new Lender();
    copy(room, 0, 'one, ??????????, four');
    lender.lend(room, 10, 'three');
    lender.lend(room, 5, 'two, ');

    const answer = room.answer(21);
    expect(textOf({ answer })).toBe('one, two, three, four');
    answer.finished?.();
    expect(lender.freed).toBe(2);
  });

  it('is an empty answer at the end of a file', () => {
    const room = new ReplyRoom(100, new BufferPool(new ManualClock()));

    expect(room.answer(0).reply).toHaveLength(16);
  });
});

describe('what a read is lent', () => {
  it('goes to the kernel from where it lies, and back once the kernel has it', async () => {
    const { side, lender, go, request } = await lendingMount();
    go();

    expect((await side.succeed('read', 1, request)).toString()).toBe('..--lent--..');
    await side.dispatcher.settled();
    expect(lender).toMatchObject({ lent: 1, freed: 1 });
  });

  it('stays as it is, and counts as in progress, while another thread hands it to the kernel', async () => {
    const { side, lender, go, request } = await lendingMount();
    let taken: () => void = () => undefined;
    side.takesLong = new Promise((resolve) => (taken = resolve));
    const answered = side.ask('read', 1, request);
    const fromTheStart = side.dispatcher.bytesInFlight;
    go();
    await new Promise((resolve) => setImmediate(resolve));
    // It is answered by now: nobody may hear twice.
    side.send(opcodes.interrupt, 0, u64(Number(side.lastUnique)));
    side.clock.advance(500);
    side.dispatcher.abandon();

    expect([lender.freed, side.dispatcher.bytesInFlight]).toEqual([0, fromTheStart]);
    taken();
    expect((await answered).body.toString()).toBe('..--lent--..');
    await side.dispatcher.settled();
    expect([lender.freed, side.dispatcher.bytesInFlight]).toEqual([1, 0]);
    expect(side.replies.get(side.lastUnique - 1n)).toHaveLength(1);
  });

  it('goes back when its program was told EINTR or EIO meanwhile', async () => {
    const { side, lender, go, request } = await lendingMount();
    const interrupted = side.ask('read', 1, request);
    side.send(opcodes.interrupt, 0, u64(Number(side.lastUnique)));
    side.clock.advance(500);
    const abandoned = side.ask('read', 1, request);
    side.dispatcher.abandon();
    go();

    expect([await interrupted, await abandoned]).toMatchObject([{ code: 'EINTR' }, { code: 'EIO' }]);
    await side.dispatcher.settled();
    expect(lender).toMatchObject({ lent: 2, freed: 2 });
  });

  it('goes back when the kernel does not want it any more', async () => {
    const { side, lender, go, request } = await lendingMount();
    side.takesAnswers = false;
    go();
    await side.ask('read', 1, request);
    await side.dispatcher.settled();

    expect(lender).toMatchObject({ lent: 1, freed: 1 });
  });
});
