/** SEMANTICS: what was read is kept on the local disk; where that is not the disk of the drafts it is in nobody's way there. */
import { statfs } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { openForTest, readFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { errnoOfCall, openToRewrite } from '../support/program-acts.ts';
import { smallDisk } from '../support/small-disk.ts';

const MIB = 1024 * 1024;

it('stays when the disk of the state directory is full: to delete it would make no room [read/kept]', async () => {
  const localFiles = new FailingDisk();
  const settings = { cache: 'disk', cacheDirectory: await smallDisk(32) } as const;
  const { fs, direct, bucket, clock } = await openForTest({ localFiles, settings });
  await direct.putObject(bucket, 'read', uploadOf(patternedBytes(4 * MIB)));
  await readFile(fs, '/read');
  const kept = async (): Promise<number> => {
    const { blocks, bfree, bsize } = await statfs(settings.cacheDirectory);
    return (blocks - bfree) * bsize;
  };
  await expect
    .poll(() => {
      clock.advance(1000);
      return kept();
    })
    .toBeGreaterThan(3 * MIB);
  localFiles.told = { free: 0, total: 1000 * MIB };
  clock.advance(2000);

  const handle = await openToRewrite(fs, '/new');
  expect(await errnoOfCall(fs.write(handle, patternedBytes(MIB), 0))).toBe('ENOSPC');

  expect(await kept()).toBeGreaterThan(3 * MIB);
  await fs.release(handle);
});
