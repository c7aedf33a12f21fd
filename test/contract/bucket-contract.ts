/** What is promised about buckets and accounts? (§4.2 to §4.5, §5, §8) */
import type { AccountSummary } from '../../src/service/records.ts';
import { expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { USAGE_INTERVAL, type Setup } from './contract-setup.ts';

export function bucketContract(setup: () => Promise<Setup>): void {
  it('tells a new bucket alike when made, asked for and listed (§4.2 to §4.4)', async () => {
    const { service, behaviours } = await setup();
    const isReady = behaviours.newBucket === 'active';

    const made = await service.createBucket('letters-2');

    expect(made).toMatchObject({ name: 'letters-2', sizeBytes: 0, objectCount: 0 });
    expect(made).toMatchObject(isReady ? { status: 'ACTIVE', statusMessage: null } : { status: 'PENDING' });
    expect(made.publicId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await service.getBucket(made.bucket)).toMatchObject({
      name: 'letters-2',
      publicId: made.publicId,
    });
    const { names, summary } = await listAll(service);
    expect(names.sort()).toEqual(['letters-2', 'photos']);
    expect(summary).toMatchObject({
      bucketCount: 2,
      bucketLimit: 50,
      limitBytes: null,
      createBlockedReason: null,
    });
    expect(summary.maxObjectSizeBytes).toBe(1_073_741_824);
  });

  it.each(['', 'ab', 'a'.repeat(41), '-ab', 'ab-', 'Abc', 'a_b', 'a.b', 'äbc', 'a b'])(
    'refuses the bucket name %j (§4.3)',
    async (name) => {
      const { service } = await setup();

      await expect(service.createBucket(name)).rejects.toMatchObject({ kind: 'rejected', status: 400 });
    },
  );

  it('refuses a name that the account already uses, but not one that another account uses (§4.3)', async () => {
    const { service, stranger, bucket } = await setup();

    await expect(service.createBucket('photos')).rejects.toMatchObject({ kind: 'rejected', status: 400 });

    const theirs = await stranger.createBucket('photos');
    expect(theirs.bucket).not.toBe(bucket);
  });

  it('refuses new buckets and uploads in a grace period, and nothing else (§8)', async () => {
    const { service, bucket, store, account } = await setup();
    await service.putObject(bucket, 'kept', uploadOf('bytes'));
    store.changeAccount({ gracePeriod: true }, account);

    await expect(service.createBucket('more')).rejects.toMatchObject({ kind: 'rejected', status: 400 });
    await expect(service.putObject(bucket, 'a', uploadOf('a'))).rejects.toMatchObject({
      kind: 'paused',
      status: 402,
    });
    expect((await service.listBuckets()).summary.createBlockedReason).toContain('grace period');
    expect((await service.headObject(bucket, 'kept')).size).toBe(5);

    store.changeAccount({ gracePeriod: false }, account);
    await service.putObject(bucket, 'a', uploadOf('a'));
  });

  it('refuses the first bucket of an account without a running service (§4.3)', async () => {
    const { service, stranger, store, account } = await setup();
    store.changeAccount({ runningService: false }, account);
    store.changeAccount({ runningService: false }, `${account}-stranger`);

    await expect(stranger.createBucket('first')).rejects.toMatchObject({ kind: 'rejected', status: 400 });
    expect((await stranger.listBuckets()).summary.createBlockedReason).toContain('running service');
    expect((await service.createBucket('second')).name).toBe('second');
  });

  it('lets an account have 50 buckets, each listed once whatever the page size (§8, §4.11)', async () => {
    const { service } = await setup();
    for (let count = 2; count <= 50; count += 1) await service.createBucket(`bucket-${count}`);

    await expect(service.createBucket('one-more')).rejects.toMatchObject({ kind: 'rejected', status: 400 });
    for (const limit of [7, 50, 100]) {
      const { names } = await listAll(service, limit);
      expect(new Set(names).size).toBe(50);
      expect(names).toHaveLength(50);
    }
  });

  it('refuses bookmarks that no listing of these buckets issued (§4.11)', async () => {
    const { service, stranger, bucket } = await setup();
    for (const name of ['one', 'two', 'three']) await stranger.createBucket(name);
    const { nextPage } = await stranger.listBuckets({ limit: 1 });
    for (const key of ['x', 'y', 'z']) await service.putObject(bucket, key, uploadOf(key));
    const ofFiles = (await service.listObjects(bucket, { folder: '', limit: 1 })).nextPage;

    for (const page of ['2', 'nonsense', nextPage ?? '', ofFiles ?? ''])
      await expect(service.listBuckets({ page })).rejects.toMatchObject({
        kind: 'stale-bookmark',
        status: 400,
      });
  });

  it("says of another account's bucket that it does not exist, whatever is asked (§5)", async () => {
    const { service, stranger, bucket } = await setup();
    await service.putObject(bucket, 'a', uploadOf('a'));
    const missing = { kind: 'missing' };

    await expect(stranger.getBucket(bucket)).rejects.toMatchObject({ ...missing, status: 404 });
    await expect(stranger.deleteBucket(bucket)).rejects.toMatchObject(missing);
    await expect(stranger.createFolder(bucket, 'x')).rejects.toMatchObject(missing);
    await expect(stranger.putObject(bucket, 'a', uploadOf('b'))).rejects.toMatchObject(missing);
    await expect(stranger.getObject(bucket, 'a')).rejects.toMatchObject(missing);
    await expect(stranger.headObject(bucket, 'a')).rejects.toMatchObject(missing);
    await expect(stranger.deleteObject(bucket, 'a')).rejects.toMatchObject(missing);
    await expect(stranger.listObjects(bucket, { folder: '' })).rejects.toMatchObject(missing);
    await expect(stranger.getVisibility(bucket, 'a')).rejects.toMatchObject(missing);
    await expect(stranger.setVisibility(bucket, 'a', 'public')).rejects.toMatchObject(missing);
    expect((await service.getVisibility(bucket, 'a')).visibility).toBe('private');
  });

  it('removes a bucket with every file in it (§4.5)', async () => {
    const { service, bucket } = await setup();
    for (let count = 0; count < 20; count += 1) await service.putObject(bucket, `f/${count}`, uploadOf('x'));

    await service.deleteBucket(bucket);

    await expect(service.getBucket(bucket)).rejects.toMatchObject({ kind: 'missing' });
    await expect(service.getObject(bucket, 'f/1')).rejects.toMatchObject({ kind: 'missing' });
    await expect(service.deleteBucket(bucket)).rejects.toMatchObject({ kind: 'missing' });
    expect((await listAll(service)).names).toEqual([]);
  });

  it('tells size and count of files, later than they change (§2.1)', async () => {
    const { service, bucket, clock } = await setup();
    await service.putObject(bucket, 'a', uploadOf('12345'));
    await service.putObject(bucket, 'a', uploadOf('123'));
    await service.putObject(bucket, 'b/c', uploadOf('1'));
    const early = await service.getBucket(bucket);

    clock.advance(USAGE_INTERVAL);
    const later = await service.getBucket(bucket);
    const { summary } = await listAll(service);
    await service.deleteObject(bucket, 'a');
    clock.advance(USAGE_INTERVAL);
    const last = await service.getBucket(bucket);

    expect(early).toMatchObject({ sizeBytes: 0, objectCount: 0 });
    expect(later).toMatchObject({ sizeBytes: 4, objectCount: 2 });
    expect(summary.usedBytes).toBe(4);
    expect(later.usageSyncedAt.getTime() - early.usageSyncedAt.getTime()).toBe(USAGE_INTERVAL);
    expect(last).toMatchObject({ sizeBytes: 1, objectCount: 1 });
  });
}

async function listAll(
  service: Setup['service'],
  limit?: number,
): Promise<{ names: string[]; summary: AccountSummary }> {
  const names: string[] = [];
  let page = await service.listBuckets({ limit });
  for (;;) {
    names.push(...page.buckets.map(({ name }) => name));
    if (page.nextPage === null) return { names, summary: page.summary };
    page = await service.listBuckets({ limit, page: page.nextPage });
  }
}
