import { describe, expect, it } from 'vitest';
import { SocketBuffers } from '../../src/client/socket-buffers.ts';
import { ManualClock } from '../support/manual-clock.ts';

const KIB = 1024;

/** A socket's side: each look brings so many bytes of one value. */
class Socket {
  readonly pushed: Uint8Array[] = [];
  readonly #buffers: SocketBuffers;
  buffer: Uint8Array;

  constructor(buffers: SocketBuffers) {
    this.#buffers = buffers;
    this.buffer = buffers.options.buffer();
  }

  look(bytes: number, value: number): Uint8Array {
    this.buffer.fill(value, 0, bytes);
    this.#buffers.options.callback.call(this, bytes, this.buffer);
    this.buffer = this.#buffers.options.buffer();
    const piece = this.pushed.at(-1);
    if (piece === undefined) throw new Error('nothing was handed over');
    return piece;
  }

  push(piece: Uint8Array): boolean {
    this.pushed.push(piece);
    return true;
  }
}

describe('what comes off a connection', () => {
  it('lies in the same memory again when its reader is done with it', () => {
    const buffers = new SocketBuffers(new ManualClock());
    const socket = new Socket(buffers);
    const first = socket.look(100 * KIB, 1);

    buffers.giveBack(first);
    socket.look(100 * KIB, 2);
    const third = socket.look(100 * KIB, 3);

    expect(third.buffer).toBe(first.buffer);
  });

  it('lies in new memory when nothing has come for a while, and no timer runs from then on', () => {
    const clock = new ManualClock();
    const buffers = new SocketBuffers(clock);
    const socket = new Socket(buffers);
    const first = socket.look(100 * KIB, 1);
    buffers.giveBack(first);

    clock.advance(60_000);
    socket.look(100 * KIB, 2);
    const third = socket.look(100 * KIB, 3);

    expect(third.buffer).not.toBe(first.buffer);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stays as it is while its reader is not done', () => {
    const socket = new Socket(new SocketBuffers(new ManualClock()));

    const pieces = [1, 2, 3].map((value) => socket.look(100 * KIB, value));

    expect(pieces.map((piece) => [piece.length, piece[0], piece.at(-1)])).toEqual([
      [100 * KIB, 1, 1],
      [100 * KIB, 2, 2],
      [100 * KIB, 3, 3],
    ]);
  });

  it('is a copy when it is little, and the next bytes lie where it lay', () => {
    const socket = new Socket(new SocketBuffers(new ManualClock()));
    const { buffer } = socket;

    const pieces = [1, 2].map((value) => socket.look(500, value));

    expect(socket.buffer).toBe(buffer);
    expect(pieces.map((piece) => [piece.length, piece[0]])).toEqual([
      [500, 1],
      [500, 2],
    ]);
  });

  it('is given back with its last bytes alone, whatever pieces it was cut into', () => {
    const buffers = new SocketBuffers(new ManualClock());
    const socket = new Socket(buffers);
    const whole = socket.look(100 * KIB, 1);

    buffers.giveBack(whole.subarray(0, 50 * KIB));
    buffers.giveBack(Uint8Array.from(whole));
    const before = [2, 3].map((value) => socket.look(100 * KIB, value));
    buffers.giveBack(whole.subarray(50 * KIB));
    buffers.giveBack(whole.subarray(50 * KIB));
    const after = [4, 5, 6].map((value) => socket.look(100 * KIB, value));

    expect(before.filter(({ buffer }) => buffer === whole.buffer)).toHaveLength(0);
    expect(after.filter(({ buffer }) => buffer === whole.buffer)).toHaveLength(1);
  });

  it('lies side by side when it comes in records, and in the same memory again when all of them are read', () => {
    const buffers = new SocketBuffers(new ManualClock());
    const socket = new Socket(buffers);

    const records = [1, 2, 3, 4, 5, 6, 7].map((value) => socket.look(16 * KIB, value));
    const memory = new Set(records.map(({ buffer }) => buffer));
    const kept = records.map((record) => [record.length, record[0], record.at(-1)]);
    for (const record of records) buffers.giveBack(record);
    const later = Array.from({ length: 14 }, (_, value) => socket.look(16 * KIB, value));

    expect(memory.size).toBe(1);
    expect(kept).toEqual([1, 2, 3, 4, 5, 6, 7].map((value) => [16 * KIB, value, value]));
    expect(later.some(({ buffer }) => memory.has(buffer))).toBe(true);
  });

  it('stays as it is for the reader of one answer, when that of the next over the same connection is done', () => {
    const buffers = new SocketBuffers(new ManualClock());
    const socket = new Socket(buffers);
    const kept = socket.look(16 * KIB, 1);

    const others = Array.from({ length: 100 }, () => {
      const record = socket.look(16 * KIB, 2);
      buffers.giveBack(record);
      return record;
    });

    expect([kept[0], kept.at(-1)]).toEqual([1, 1]);
    expect(others.filter(({ buffer }) => buffer === kept.buffer).length).toBeGreaterThan(0);
  });
});
