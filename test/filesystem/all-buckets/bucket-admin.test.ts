/** mkdir and rmdir beside the buckets, where the person who mounts has asked for that (§4.3, §4.5). */
import { describe, expect, it } from 'vitest';
import { uploadOf } from '../../support/embedded-service.ts';
import {
  openAllForTest,
  type AllBucketsForTest,
  type AllBucketsOptions,
} from '../../support/open-all-for-test.ts';
import { names, writeFile } from '../../support/open-for-test.ts';

function openAsAdmin({ settings, ...options }: AllBucketsOptions = {}): Promise<AllBucketsForTest> {
  return openAllForTest({ ...options, settings: { ...settings, bucketAdmin: true } });
}

describe('mkdir beside the buckets', () => {
  it('makes a bucket, which is there at once [buckets/make]', async () => {
    const pail = await openAsAdmin();

    await pail.fs.mkdir('/new-one', 0o755);
    const asked = pail.asked();
    await writeFile(pail.fs, '/new-one/file', 'x');

    expect(asked).toEqual(['createBucket']);
    expect(await names(pail.fs, '/')).toEqual(['new-one', 'photos']);
    const made = (await pail.direct.listBuckets()).buckets.find(({ name }) => name === 'new-one');
    expect((await pail.direct.headObject(made?.bucket ?? '', 'file')).size).toBe(1);
  });

  it.each(['ab', 'a'.repeat(41), 'Upper', '-hyphen', 'dot.dot', 'späte'])(
    'refuses the name %s: EINVAL',
    async (name) => {
      const pail = await openAsAdmin();

      await expect(pail.fs.mkdir(`/${name}`, 0o755)).rejects.toMatchObject({ code: 'EINVAL' });
      expect(pail.asked()).toEqual([]);
    },
  );

  it('is EEXIST for a name that is taken, also by somebody else a moment ago', async () => {
    const pail = await openAsAdmin();
    await pail.direct.createBucket('others');

    await expect(pail.fs.mkdir('/photos', 0o755)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(pail.fs.mkdir('/others', 0o755)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('is EDQUOT when the account may have no more', async () => {
    const pail = await openAsAdmin();
    const full = Array.from({ length: 49 }, (_, index) => pail.direct.createBucket(`bucket-${index}`));
    await Promise.all(full);

    await expect(pail.fs.mkdir('/one-more', 0o755)).rejects.toMatchObject({ code: 'EDQUOT' });
  });

  it('looks when the answer is lost, and does not ask twice', async () => {
    const pail = await openAsAdmin();
    pail.faults.add({ operation: 'createBucket', fault: { kind: 'lost-answer' } });

    await pail.fs.mkdir('/new-one', 0o755);

    expect(pail.asked()).toEqual(['createBucket', 'listBuckets']);
    expect(await names(pail.fs, '/')).toEqual(['new-one', 'photos']);
  });
});

describe('rmdir of a bucket', () => {
  it('removes an empty one [buckets/remove]', async () => {
    const pail = await openAsAdmin({ others: ['old-one'] });

    await pail.fs.rmdir('/old-one');

    expect(await names(pail.fs, '/')).toEqual(['photos']);
    expect((await pail.direct.listBuckets()).buckets.map(({ name }) => name)).toEqual(['photos']);
  });

  it.each([
    ['a file', 'file'],
    ['a file in a folder', 'd/file'],
    ['a key that no directory shows', 'd//file'],
    ['such a key alone', '//'],
  ])('refuses one that holds %s, known or not: ENOTEMPTY', async (_what, key) => {
    const pail = await openAsAdmin();
    // What is known is that it is empty.
    expect(await names(pail.fs, '/photos')).toEqual([]);
    await pail.direct.putObject(pail.bucket, key, uploadOf('x'));

    await expect(pail.fs.rmdir('/photos')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    expect(pail.asked()).not.toContain('deleteBucket');
  });

  it('refuses one with a file that only this machine has', async () => {
    const pail = await openAsAdmin();
    pail.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 402 } });
    await expect(writeFile(pail.fs, '/photos/file', 'x')).rejects.toMatchObject({ code: 'EDQUOT' });
    pail.asked();

    await expect(pail.fs.rmdir('/photos')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    expect(pail.asked()).not.toContain('putObject');
  });

  it('waits for what unlink has promised to delete (write-back)', async () => {
    const pail = await openAsAdmin({ settings: { writeBack: true } });
    await pail.direct.putObject(pail.bucket, 'file', uploadOf('x'));
    expect(await names(pail.fs, '/photos')).toEqual(['file']);

    await pail.fs.unlink('/photos/file');
    await pail.fs.rmdir('/photos');

    expect((await pail.direct.listBuckets()).buckets).toEqual([]);
  });

  it('tries at once what such a deletion waits to be tried again (write-back)', async () => {
    const pail = await openAsAdmin({ settings: { writeBack: true } });
    await pail.direct.putObject(pail.bucket, 'file', uploadOf('x'));
    expect(await names(pail.fs, '/photos')).toEqual(['file']);
    pail.faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 402 } });
    await pail.fs.unlink('/photos/file');
    await expect
      .poll(async () => (await pail.mounted.unsent.list()).map(({ state }) => state))
      .toEqual(['failed']);

    await pail.fs.rmdir('/photos');

    expect((await pail.direct.listBuckets()).buckets).toEqual([]);
  });

  it('leaves no name that is made meanwhile: it is refused, or the bucket stays', async () => {
    const pail = await openAsAdmin({ others: ['second'] });

    const [removed, made] = await Promise.allSettled([
      pail.fs.rmdir('/second'),
      writeFile(pail.fs, '/second/file', 'x'),
    ]);

    expect([removed.status, made.status]).toContain('rejected');
    expect([removed.status, made.status]).toContain('fulfilled');
  });

  it('is not for a mount that is read-only', async () => {
    const pail = await openAsAdmin({ others: ['second'], settings: { readOnly: true } });

    await expect(pail.fs.rmdir('/second')).rejects.toMatchObject({ code: 'EROFS' });
    await expect(pail.fs.mkdir('/third', 0o755)).rejects.toMatchObject({ code: 'EROFS' });
  });
});
