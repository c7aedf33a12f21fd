/** What programs read of large files through the kernel, whose blocks are lent to it: the right bytes, however little memory there is. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { sharedMount } from '../support/shared-mount.ts';

const MIB = 1024 * 1024;
const FILES = ['a', 'b', 'c', 'd'];
/** Its last block is neither whole nor a whole number of pages. */
const SIZE = 20 * MIB + 12_345;
/** Less than one of them. */
const MEMORY = 8 * MIB;

const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

describe('programs that read large files on a mount with little memory', () => {
  const mount = sharedMount({ driver: 'kernel', settings: { memoryLimit: MEMORY } });
  const contents = FILES.map((_, index) => patternedBytes(SIZE, index + 1));
  const sums = contents.map((bytes, index) => `${md5(bytes)}  ${FILES[index] ?? ''}\n`).join('');
  beforeAll(async () => {
    for (const [index, bytes] of contents.entries()) await mount().foreignWrite(FILES[index] ?? '', bytes);
  });

  it('get their bytes, each of them, when they read at the same time, and again', async () => {
    const first = await mount().run('for file in a b c d; do md5sum $file & done | sort -k 2; wait');
    // Past what the kernel has of them by now.
    const second = await mount().run(`
      sum() { echo "$(dd if=$1 bs=1M iflag=direct status=none | md5sum | cut -c 1-32)  $1"; }
      for file in a b c d; do sum $file & done | sort -k 2; wait`);

    expect([first.output, second.output]).toEqual([sums, sums]);
    expect(await mount().ask('log')).toEqual([]);
  });

  it('get them beside programs that end in the middle', async () => {
    const script = `
      for file in a b c d; do head -c 3000000 $file > /dev/null & done
      for file in a b c d; do timeout -s KILL 0.02 cat $file > /dev/null & done
      for file in a b c d; do md5sum $file; done; wait`;
    const result = await mount().run(script);

    expect(result.output).toBe(sums);
    expect(await mount().ask('log')).toEqual([]);
  });

  it('get them in pieces that begin and end anywhere', async () => {
    const script = `
      dd if=a bs=77777 skip=3 count=100 status=none iflag=direct | md5sum
      tail -c 200000 b | md5sum; tail -c +5000001 c | head -c 3000000 | md5sum`;
    const [a, b, c] = contents as [Uint8Array, Uint8Array, Uint8Array];
    const wanted = [a.subarray(233_331, 233_331 + 7_777_700), b.subarray(-200_000), c.subarray(5e6, 8e6)];

    expect((await mount().run(script)).output).toBe(wanted.map((bytes) => `${md5(bytes)}  -\n`).join(''));
  });
});
