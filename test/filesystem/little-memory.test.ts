/** A mount that may take very little memory. */
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { names, openForTest, readFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const KIB = 1024;

it.each([256, 512, 1024])(
  'what a mount with %i KiB of memory has read is on the local disk for the next one [read/kept]',
  async (kib) => {
    const settings = {
      cache: 'disk',
      cacheDirectory: await temporaryDirectory(),
      memoryLimit: kib * KIB,
    } as const;
    const content = patternedBytes(128 * KIB);
    const before = await openForTest({ settings });
    await before.direct.putObject(before.bucket, 'a', uploadOf(content));
    await readFile(before.fs, '/a');
    // It is written when nobody has read anything for a moment, or not at all: what follows tells.
    for (let turn = 0; turn < 10; turn += 1) {
      await setTimeout(20);
      before.clock.advance(1000);
    }
    await before.mounted.close({ patience: 60_000 });
    const { operations } = await mountOver(await diskNow(before), before, { settings });
    await names(operations, '/');
    before.asked();

    expect(Buffer.compare(await readFile(operations, '/a'), content)).toBe(0);
    expect(before.asked()).toEqual([]);
  },
);
