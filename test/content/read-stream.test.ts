import { describe, expect, it } from 'vitest';
import { ReadStream } from '../../src/content/read-stream.ts';

describe('a handle’s reads', () => {
  it('are sequential from byte 0 on, also when neighbours come in the wrong order', () => {
    const stream = new ReadStream(20, 30);

    const patterns = [stream.note(0, 10), stream.note(20, 30), stream.note(10, 20), stream.note(30, 40)];

    expect(patterns).toMatchObject([
      { sequential: true, from: 0 },
      { sequential: true, from: 10 },
      { sequential: true, from: 10 },
      { sequential: true, from: 30 },
    ]);
  });

  it('are not after a jump, until they have gone on for a while', () => {
    const stream = new ReadStream(20, 30);
    stream.note(0, 10);

    const patterns = [100, 110, 120, 130].map((start) => stream.note(start, start + 10).sequential);

    expect(patterns).toMatchObject([false, false, true, true]);
  });

  it('go on over what the kernel has, though they began in the middle', () => {
    const stream = new ReadStream(80, 60);

    const patterns = [500, 520, 540, 560].map((start) => stream.note(start, start + 10));

    expect(patterns).toMatchObject([
      { sequential: false, from: 500 },
      { sequential: false, from: 510 },
      { sequential: false, from: 530 },
      { sequential: true, from: 550 },
    ]);
  });

  it('are not when they jump further than that', () => {
    const stream = new ReadStream(80, 60);

    const patterns = [500, 521, 542, 563, 584].map((start) => stream.note(start, start + 10).sequential);

    expect(patterns).toEqual([false, false, false, false, false]);
  });

  it('are not when they jump about', () => {
    const stream = new ReadStream(20, 30);

    const patterns = [500, 490, 900, 20].map((start) => stream.note(start, start + 10).sequential);

    expect(patterns).toMatchObject([false, false, false, false]);
  });

  it('are sequential again after a rewind', () => {
    const stream = new ReadStream(20, 30);
    stream.note(500, 510);

    expect([stream.note(0, 10), stream.note(10, 20)].map(({ sequential }) => sequential)).toEqual([
      true,
      true,
    ]);
  });
});
