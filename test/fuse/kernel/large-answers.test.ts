/** Which answers does another thread hand to the kernel, and which does ours? */
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished, expect, it } from 'vitest';
import { LargeAnswers } from '../../../src/fuse/kernel/large-answers.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const KIB = 1024;

async function answersTo(name: string) {
  const file = path.join(await temporaryDirectory(), name);
  const descriptor = openSync(file, 'w');
  const clock = new ManualClock();
  const answers = new LargeAnswers(descriptor, clock);
  onTestFinished(async () => {
    await answers.ended();
    closeSync(descriptor);
  });
  return { answers, clock, content: () => readFileSync(file) };
}

/** A header, and `kibibytes` in two pieces. */
function pieces(kibibytes: number): Buffer[] {
  return [Buffer.alloc(16, 'h'), Buffer.alloc(kibibytes * 512, 'a'), Buffer.alloc(kibibytes * 512, 'b')];
}

it('small ones are written here', async () => {
  const { answers, content } = await answersTo('small');

  expect(answers.write(pieces(128))).toBe(16 + 128 * KIB);
  expect(content().equals(Buffer.concat(pieces(128)))).toBe(true);
});

it('large ones are written by other threads, two at a time, and the rest here', async () => {
  const { answers } = await answersTo('large');
  const written = [1, 2, 3].map(() => answers.write(pieces(1024)));

  expect(written.map((each) => typeof each)).toEqual(['object', 'object', 'number']);
  for (const each of written) expect(await each).toBe(16 + 1024 * KIB);
  const next = answers.write(pieces(1024));
  expect(next).toBeInstanceOf(Promise);
  await next;
});

it('for a while all are written here when the other threads are held up', async () => {
  const { answers, clock } = await answersTo('held up');
  const slow = answers.write(pieces(1024));
  clock.advance(1001);
  await slow;
  await answers.ended();

  expect(typeof answers.write(pieces(1024))).toBe('number');
  clock.advance(4999);
  expect(typeof answers.write(pieces(1024))).toBe('number');
  clock.advance(1);
  expect(answers.write(pieces(1024))).toBeInstanceOf(Promise);
});

it('longer and longer while the other threads are no faster, until they are', async () => {
  const { answers, clock } = await answersTo('no faster');
  const isHereAfter = (milliseconds: number): boolean => {
    clock.advance(milliseconds);
    return typeof answers.write(pieces(1024)) === 'number';
  };
  const heldUp = async (): Promise<void> => {
    const first = answers.write(pieces(1024));
    const second = answers.write(pieces(1024));
    clock.advance(1001);
    await first;
    await second;
    await answers.ended();
  };

  for (const rest of [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 320_000]) {
    await heldUp();
    expect(isHereAfter(rest - 1)).toBe(true);
    clock.advance(1);
  }
  await answers.write(pieces(1024));
  await answers.ended();
  await heldUp();
  expect(isHereAfter(4999)).toBe(true);
  expect(isHereAfter(1)).toBe(false);
});

it('one that is refused rejects, and takes no place of another', async () => {
  const descriptor = openSync('/dev/null', 'r');
  const answers = new LargeAnswers(descriptor, new ManualClock());
  for (let time = 0; time < 3; time += 1)
    await expect(answers.write(pieces(1024))).rejects.toMatchObject({ code: 'EBADF' });

  await answers.ended();
  closeSync(descriptor);
});
