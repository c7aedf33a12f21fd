/** A mount goes on from the disk cache of the one before. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { names, openForTest, readFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MIB = 1024 * 1024;

it.each([
  ['small', patternedBytes(1000)],
  ['large', patternedBytes(20 * MIB)],
])(
  'a %s file that two programs read at once costs no GET after a remount [read/kept]',
  async (_, content) => {
    const settings = {
      cache: 'disk',
      cacheDirectory: await temporaryDirectory(),
      memoryLimit: 1024 * MIB,
    } as const;
    const before = await openForTest({ settings });
    await before.direct.putObject(before.bucket, 'a', uploadOf(content));
    await readFile(before.fs, '/a');
    await before.mounted.close({ patience: 60_000 });
    const { operations } = await mountOver(await diskNow(before), before, { settings });
    await names(operations, '/');
    before.asked();

    const read = await Promise.all([readFile(operations, '/a'), readFile(operations, '/a')]);

    expect(read.map((bytes) => Buffer.compare(bytes, content))).toEqual([0, 0]);
    expect(before.asked()).toEqual([]);
  },
);
