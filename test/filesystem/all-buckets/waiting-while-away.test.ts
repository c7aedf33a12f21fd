/** SEMANTICS: what waits in a bucket is in reach while nobody answers, though nobody knows whether the bucket is there. */
import { describe, expect, it } from 'vitest';
import { openAllForTest, type AllBucketsForTest } from '../../support/open-all-for-test.ts';
import { names, readFile, writeFile } from '../../support/open-for-test.ts';
import { errnoOfCall } from '../../support/program-acts.ts';

/** Longer than names are trusted. */
const LONG = 60_000;

/** A file was closed in the bucket `photos` while nobody answered. */
async function awayWithWaiting(status: number): Promise<AllBucketsForTest> {
  const pail = await openAllForTest({ settings: { writeBack: true }, others: ['empty'] });
  await pail.fs.mkdir('/photos/d', 0o755);
  for (const folder of ['/', '/photos', '/photos/d', '/empty']) await names(pail.fs, folder);
  pail.faults.add({ fault: { kind: 'status', status: 503 }, times: Infinity });
  await writeFile(pail.fs, '/photos/d/f', 'waits');
  pail.clock.advance(LONG);
  pail.faults.clear();
  pail.faults.add({ fault: { kind: 'status', status }, times: Infinity });
  return pail;
}

describe('a bucket in which a file waits while the service is away', () => {
  it('is shown, and so is the file; others are not [errors/away]', async () => {
    const { fs } = await awayWithWaiting(503);

    expect(await fs.getAttributes('/photos')).toMatchObject({ kind: 'folder', validFor: 10_000 });
    expect(await fs.getAttributes('/photos/d')).toMatchObject({ kind: 'folder' });
    expect((await readFile(fs, '/photos/d/f')).toString()).toBe('waits');
    expect(await errnoOfCall(fs.getAttributes('/empty'))).toBe('EIO');
    expect(await errnoOfCall(names(fs, '/'))).toBe('EIO');
  });

  it('is refused as all others where the service refuses who asks', async () => {
    const { fs } = await awayWithWaiting(403);

    expect(await errnoOfCall(fs.getAttributes('/photos'))).toBe('EACCES');
  });

  it('is gone once the service says so', async () => {
    const pail = await awayWithWaiting(503);
    await pail.fs.getAttributes('/photos');
    pail.faults.clear();
    await pail.direct.deleteBucket(pail.bucket);

    expect(await errnoOfCall(pail.fs.getAttributes('/photos'))).toBe('ENOENT');
  });
});
