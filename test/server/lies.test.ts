/** Can the service be made to tell things later than they happen? */
import { describe, expect, it } from 'vitest';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';

describe('a service that lies in time', () => {
  it('answers an upload and shows it only after the next request', async () => {
    const { direct, bucket, store } = await openEmbeddedService();
    await direct.putObject(bucket, 'a', uploadOf('old'));
    store.lies.showUploadsLate();

    await direct.putObject(bucket, 'a', uploadOf('newer'));

    expect((await direct.headObject(bucket, 'a')).size).toBe(3);
    expect((await direct.headObject(bucket, 'a')).size).toBe(5);
  });

  it('shows an upload after as many requests as asked for', async () => {
    const { direct, bucket, store } = await openEmbeddedService();
    store.lies.showUploadsLate(1, 2);
    await direct.putObject(bucket, 'a', uploadOf('late'));

    await direct.putObject(bucket, 'a', uploadOf('newest'));
    const between = await direct.headObject(bucket, 'a');

    expect(between.size).toBe(6);
    expect((await direct.headObject(bucket, 'a')).size).toBe(4);
  });

  it('forgets a late upload with its bucket', async () => {
    const { direct, bucket, store } = await openEmbeddedService();
    store.lies.showUploadsLate();
    await direct.putObject(bucket, 'a', uploadOf('new'));

    await direct.deleteBucket(bucket);

    await expect(direct.headObject(bucket, 'a')).rejects.toMatchObject({ kind: 'missing' });
  });

  it('lists what there was at the chosen moment until told otherwise', async () => {
    const { direct, bucket, store } = await openEmbeddedService();
    await direct.putObject(bucket, 'a', uploadOf('a'));
    await store.lies.freezeListings();

    await direct.deleteObject(bucket, 'a');
    await direct.putObject(bucket, 'b', uploadOf('b'));
    const frozen = await direct.listObjects(bucket, { folder: '' });
    const truth = await direct.headObject(bucket, 'b');
    await store.lies.thawListings();
    const thawed = await direct.listObjects(bucket, { folder: '' });

    expect(frozen.objects.map(({ key }) => key)).toEqual(['a']);
    expect(truth.size).toBe(1);
    expect(thawed.objects.map(({ key }) => key)).toEqual(['b']);
  });
});
