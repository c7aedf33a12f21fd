/** All buckets of an account as one directory: what programs see at its top, and of each bucket from there. */
import { describe, expect, it } from 'vitest';
import type { Log } from '../../../src/base/log.ts';
import type { Bucket, BucketPage } from '../../../src/service/records.ts';
import { uploadOf } from '../../support/embedded-service.ts';
import { InterceptedService } from '../../support/intercepted-service.ts';
import { HeldAnswers } from '../../support/held-answers.ts';
import { openAllForTest, type AllBucketsForTest } from '../../support/open-all-for-test.ts';
import { names, readFile, writeFile } from '../../support/open-for-test.ts';

async function bucketNamed({ direct }: AllBucketsForTest, name: string): Promise<Bucket> {
  const found = (await direct.listBuckets()).buckets.find((bucket) => bucket.name === name);
  if (found === undefined) throw new Error(`no bucket ${name}`);
  return found;
}

/** Answers of List buckets as `change` has them. */
function listing(change: (buckets: readonly Bucket[]) => readonly Bucket[]) {
  return (service: AllBucketsForTest['service']) =>
    new InterceptedService(service, async ({ operation }, proceed) => {
      const answer = await proceed();
      if (operation !== 'listBuckets') return answer;
      const page = answer as BucketPage;
      return { ...page, buckets: change(page.buckets) } as typeof answer;
    });
}

async function textOf(pail: AllBucketsForTest, path: string, name: string): Promise<string> {
  return Buffer.from(await pail.fs.getXattr(path, name)).toString();
}

describe('the directory of all buckets', () => {
  it.each(['ordinary', 'nasty'] as const)(
    'holds every bucket of the account by its name, of %s pages, and nobody else’s [buckets/all]',
    async (pages) => {
      const others = Array.from({ length: 20 }, (_, index) => `bucket-${index}`);
      const pail = await openAllForTest({ store: { behaviours: { pages } }, others });
      await pail.store.account('stranger').createBucket('not-ours');

      expect(await names(pail.fs, '/')).toEqual([...others, 'photos'].sort());
      await expect(pail.fs.getAttributes('/not-ours')).rejects.toMatchObject({ code: 'ENOENT' });
      expect(await pail.fs.getAttributes('/bucket-7')).toMatchObject({ kind: 'folder', mode: 0o755 });
    },
  );

  it('is asked for once in the TTL, and opens no bucket; then what others made is there [buckets/ttl]', async () => {
    const pail = await openAllForTest();

    await names(pail.fs, '/');
    await pail.fs.getAttributes('/photos');
    const early = pail.asked();
    await pail.direct.createBucket('new-one');
    const before = await names(pail.fs, '/');
    pail.clock.advance(10_001);
    const after = await names(pail.fs, '/');

    expect(early).toEqual([]);
    expect(before).toEqual(['photos']);
    expect(after).toEqual(['new-one', 'photos']);
    expect(pail.asked()).toEqual(['listBuckets']);
    expect(pail.mounted.stateDirectories).toEqual([]);
  });

  it('loses a bucket that somebody else deleted', async () => {
    const pail = await openAllForTest({ others: ['old-one'] });

    await pail.direct.deleteBucket((await bucketNamed(pail, 'old-one')).bucket);
    pail.clock.advance(10_001);

    await expect(pail.fs.getAttributes('/old-one')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('goes on to show what a refresh has shown when an older answer arrives [fresh/refresh]', async () => {
    const answers = new HeldAnswers();
    const pail = await openAllForTest({ between: answers.between });
    pail.clock.advance(10_001);
    const { made, letGo } = answers.hold('listBuckets');
    const before = names(pail.fs, '/');
    await made;
    await pail.direct.createBucket('new-one');
    pail.mounted.refresh('/');
    expect(await names(pail.fs, '/')).toEqual(['new-one', 'photos']);

    letGo();

    await before;
    expect(await names(pail.fs, '/')).toEqual(['new-one', 'photos']);
  });

  it('leaves out a bucket whose name no directory can have, and counts it', async () => {
    const pail = await openAllForTest({
      between: listing((buckets) => [
        ...buckets,
        ...buckets.map((one) => ({ ...one, bucket: 'x', name: 'a/b' })),
      ]),
    });

    expect(await names(pail.fs, '/')).toEqual(['photos']);
    expect(await textOf(pail, '/', 'user.pailfs.hidden')).toBe('1');
  });

  it('has no room for files, links or buckets that only the owner of the account makes [buckets/admin]', async () => {
    const pail = await openAllForTest({ others: ['second'] });
    const intent = { read: true, write: true, truncate: true, exclusive: false, mode: 0o644 };

    await expect(pail.fs.create('/file.txt', intent)).rejects.toMatchObject({ code: 'EPERM' });
    await expect(pail.fs.mkdir('/third', 0o755)).rejects.toMatchObject({ code: 'EPERM' });
    await expect(pail.fs.mkdir('/second', 0o755)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(pail.fs.rmdir('/second')).rejects.toMatchObject({ code: 'EPERM' });
    await expect(pail.fs.rmdir('/third')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(pail.fs.rename('/second', '/third', false)).rejects.toMatchObject({ code: 'EPERM' });
    await expect(pail.fs.unlink('/second')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(pail.asked()).toEqual([]);
  });

  it('keeps what is set on it until the mount ends', async () => {
    const pail = await openAllForTest();

    await pail.fs.setAttributes('/', { mode: 0o700 });

    expect(await pail.fs.getAttributes('/')).toMatchObject({ kind: 'folder', mode: 0o700 });
  });
});

describe('a bucket in it', () => {
  it('is read and written as in a mount of its own, with the requests of one', async () => {
    const pail = await openAllForTest({ others: ['second'] });
    const { bucket } = await bucketNamed(pail, 'second');

    await pail.fs.mkdir('/second/d', 0o755);
    await writeFile(pail.fs, '/second/d/file.txt', 'hello');
    const asked = pail.asked();

    expect(asked.filter((operation) => operation === 'putObject')).toHaveLength(1);
    expect((await pail.direct.headObject(bucket, 'd/file.txt')).size).toBe(5);
    expect((await readFile(pail.fs, '/second/d/file.txt')).toString()).toBe('hello');
    expect(await names(pail.fs, '/photos')).toEqual([]);
    await expect(pail.fs.getAttributes('/photos/d')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(pail.fs.getAttributes('/missing/d')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('shares no file identity with another: the kernel never takes bytes of the one for the other’s', async () => {
    const pail = await openAllForTest({ others: ['second'] });
    const { bucket } = await bucketNamed(pail, 'second');
    await pail.direct.putObject(pail.bucket, 'same', uploadOf('one'));
    await pail.direct.putObject(bucket, 'same', uploadOf('two'));

    const [one, two] = [
      await pail.fs.getAttributes('/photos/same'),
      await pail.fs.getAttributes('/second/same'),
    ];

    expect(one.identity).not.toBe(two.identity);
    expect((await readFile(pail.fs, '/photos/same')).toString()).toBe('one');
    expect((await readFile(pail.fs, '/second/same')).toString()).toBe('two');
  });

  it('gives no file to another by rename or link: EXDEV, and programs copy [buckets/between]', async () => {
    const pail = await openAllForTest({ others: ['second'] });
    await writeFile(pail.fs, '/photos/file', 'x');

    await expect(pail.fs.rename('/photos/file', '/second/file', false)).rejects.toMatchObject({
      code: 'EXDEV',
    });
    await expect(pail.fs.rename('/photos/file', '/file', false)).rejects.toMatchObject({ code: 'EXDEV' });
    await expect(pail.fs.link('/photos/file', '/second/file')).rejects.toMatchObject({ code: 'EXDEV' });
    await expect(pail.fs.link('/photos/file', '/photos/other')).rejects.toMatchObject({ code: 'EPERM' });
    await pail.fs.rename('/photos/file', '/photos/other', false);
    expect(await names(pail.fs, '/photos')).toEqual(['other']);
  });

  it('tells df of itself, and the top of all [buckets/statfs]', async () => {
    const pail = await openAllForTest({ others: ['second'] });
    const { bucket } = await bucketNamed(pail, 'second');
    await pail.direct.putObject(pail.bucket, 'one', uploadOf('one'));
    await pail.direct.putObject(bucket, 'two', uploadOf('twotwo'));
    pail.clock.advance(10_001);
    await names(pail.fs, '/');

    expect(pail.fs.statistics('/photos')).toMatchObject({ usedBytes: 3, files: 1 });
    expect(pail.fs.statistics('/second/below')).toMatchObject({ usedBytes: 6, files: 1 });
    expect(pail.fs.statistics('/')).toMatchObject({ usedBytes: 9, files: 2, freeBytes: 2 ** 50 });
  });

  it('says what the service says of it, for no request [xattr/bucket]', async () => {
    const pail = await openAllForTest();
    const told = await bucketNamed(pail, 'photos');

    const listed = await pail.fs.listXattrs('/photos');
    const values = await Promise.all(listed.map((name) => textOf(pail, '/photos', name)));

    expect(Object.fromEntries(listed.map((name, index) => [name, values[index]]))).toEqual({
      'user.pailfs.bucket': told.bucket,
      'user.pailfs.name': 'photos',
      'user.pailfs.public_id': told.publicId,
      'user.pailfs.region': told.region,
      'user.pailfs.status': 'ACTIVE',
      'user.pailfs.status_message': '',
      'user.pailfs.size_bytes': '0',
      'user.pailfs.object_count': '0',
      // That of the last answer, which may be later.
      'user.pailfs.usage_synced_at': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      'user.pailfs.created_at': told.createdAt.toISOString(),
      'user.pailfs.hidden': '0',
    });
    // The last of them looks into the bucket.
    expect(pail.asked()).toEqual(['listObjects']);
    await expect(pail.fs.getXattr('/photos', 'user.other')).rejects.toMatchObject({ code: 'ENODATA' });
    for (const path of ['/', '/photos']) {
      await expect(pail.fs.getXattr(path, 'system.posix_acl_access')).rejects.toMatchObject({
        code: 'ENOTSUP',
      });
    }
    await pail.fs.setXattr('/photos', 'user.pailfs.name', Buffer.from('dropped'), 'any');
    expect(await textOf(pail, '/photos', 'user.pailfs.name')).toBe('photos');
    await expect(pail.fs.setXattr('/photos', 'user.other', Buffer.from('x'), 'any')).rejects.toMatchObject({
      code: 'ENOTSUP',
    });
  });

  it('that is not ACTIVE is there, says so, and is as usable as the service has it [buckets/inactive]', async () => {
    const warnings: string[] = [];
    const log: Log = {
      debug: () => undefined,
      info: () => undefined,
      warn: (message) => warnings.push(message),
      error: () => undefined,
    };
    const pail = await openAllForTest({
      log,
      between: listing((buckets) =>
        buckets.map((bucket) => ({ ...bucket, status: 'CREATING', statusMessage: 'soon' })),
      ),
    });

    expect(await names(pail.fs, '/')).toEqual(['photos']);
    expect(await textOf(pail, '/photos', 'user.pailfs.status')).toBe('CREATING');
    expect(await textOf(pail, '/photos', 'user.pailfs.status_message')).toBe('soon');
    expect(pail.mounted.buckets()).toEqual([expect.objectContaining({ name: 'photos', status: 'CREATING' })]);
    await writeFile(pail.fs, '/photos/file', 'x');
    pail.faults.add({ operation: 'listObjects', times: Infinity, fault: { kind: 'status', status: 403 } });
    pail.clock.advance(10_001);
    await expect(names(pail.fs, '/photos')).rejects.toMatchObject({ code: 'EACCES' });
  });
});

describe('what is not stored yet', () => {
  it('is listed, tried again and handed over at the end with the bucket before its path [buckets/unsent]', async () => {
    const pail = await openAllForTest({ others: ['second'] });
    pail.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 402 } });
    await expect(writeFile(pail.fs, '/photos/a', 'a')).rejects.toMatchObject({ code: 'EDQUOT' });
    await expect(writeFile(pail.fs, '/second/b', 'b')).rejects.toMatchObject({ code: 'EDQUOT' });

    const listed = await pail.mounted.unsent.list();
    const refused = await pail.mounted.unsent.retry(null);
    pail.faults.clear();
    const [first] = listed;
    const stored = await pail.mounted.unsent.retry([first?.id ?? '']);

    expect(listed.map(({ path }) => path).sort()).toEqual(['/photos/a', '/second/b']);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(2);
    expect(refused.map(({ isDone }) => isDone)).toEqual([false, false]);
    expect(stored).toEqual([expect.objectContaining({ id: first?.id, path: first?.path, isDone: true })]);
    expect((await pail.mounted.unsent.list()).map(({ path }) => path)).not.toContain(first?.path);
  });

  it('is stored in every bucket at the end; what is refused stays, and is named', async () => {
    const pail = await openAllForTest({ others: ['second'] });
    const { bucket } = await bucketNamed(pail, 'second');
    pail.faults.add({ operation: 'putObject', times: 2, fault: { kind: 'status', status: 402 } });
    await expect(writeFile(pail.fs, '/photos/a', 'a')).rejects.toMatchObject({ code: 'EDQUOT' });
    await expect(writeFile(pail.fs, '/second/b', 'b')).rejects.toMatchObject({ code: 'EDQUOT' });
    pail.faults.add({
      operation: 'putObject',
      key: 'a',
      times: Infinity,
      fault: { kind: 'status', status: 402 },
    });

    const unsent = await pail.mounted.close({ patience: 60_000 });

    expect(unsent).toEqual([expect.objectContaining({ path: '/photos/a', bytes: 1 })]);
    expect((await pail.direct.headObject(bucket, 'b')).size).toBe(1);
  });
});
