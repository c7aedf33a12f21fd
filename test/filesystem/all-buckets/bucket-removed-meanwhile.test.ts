/** What of a bucket that rmdir removes is lost, and what is rmdir told where the service's answer does not say it? (§4.5) */
import { describe, expect, it } from 'vitest';
import type { FileSystemOperations } from '../../../src/filesystem/operations.ts';
import type { ObjectService } from '../../../src/service/object-service.ts';
import { heldRequests } from '../../support/held-requests.ts';
import { InterceptedService } from '../../support/intercepted-service.ts';
import { openAllForTest, type AllBucketsForTest } from '../../support/open-all-for-test.ts';
import { names } from '../../support/open-for-test.ts';

const settings = { bucketAdmin: true };
const others = ['second'];

const namesOfBuckets = async ({ direct }: AllBucketsForTest): Promise<readonly string[]> =>
  (await direct.listBuckets()).buckets.map(({ name }) => name);

describe('a name that a program makes in a bucket while rmdir removes it', () => {
  it.each<readonly [string, (fs: FileSystemOperations) => Promise<unknown>]>([
    [
      'a file',
      (fs) =>
        fs.create('/second/f', { read: false, write: true, truncate: false, exclusive: true, mode: 0o644 }),
    ],
    ['a folder', (fs) => fs.mkdir('/second/d', 0o755)],
  ])('waits for the end, and is refused: %s [buckets/remove]', async (_what, make) => {
    const held = heldRequests('deleteBucket');
    const pail = await openAllForTest({ settings, others, between: held.between });
    const removed = pail.fs.rmdir('/second');
    await held.begun;
    let isOver = false;
    const made = make(pail.fs).finally(() => {
      isOver = true;
    });
    made.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const wasOver = isOver;
    held.letGo();

    await removed;
    await expect(made).rejects.toMatchObject({ code: 'ENOENT' });
    expect(wasOver).toBe(false);
  });
});

describe('rmdir of a bucket', () => {
  it('waits while a name is made in it, and then finds that', async () => {
    const held = heldRequests('createFolder');
    const pail = await openAllForTest({ settings, others, between: held.between });
    const made = pail.fs.mkdir('/second/d', 0o755);
    await held.begun;
    const removed = pail.fs.rmdir('/second');
    removed.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    held.letGo();

    await made;
    await expect(removed).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    expect(await namesOfBuckets(pail)).toContain('second');
  });

  it('keeps one of whose keys the service says too little to show them', async () => {
    const between = (service: ObjectService): ObjectService =>
      new InterceptedService(service, async ({ operation }, proceed) => {
        const answer = await proceed();
        return operation === 'listObjects'
          ? ({ ...(answer as object), skipped: 1 } as typeof answer)
          : answer;
      });
    const pail = await openAllForTest({ settings, others, between });

    await expect(pail.fs.rmdir('/second')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    expect(await namesOfBuckets(pail)).toContain('second');
  });

  it('is done where somebody else has removed it in the same moment', async () => {
    const pail = await openAllForTest({ settings, others });
    pail.faults.add({ operation: 'deleteBucket', fault: { kind: 'status', status: 404 } });

    await pail.fs.rmdir('/second');
    expect(pail.asked()).toContain('deleteBucket');
  });

  it('looks when the answer is lost', async () => {
    const pail = await openAllForTest({ settings, others });
    pail.faults.add({ operation: 'deleteBucket', times: Infinity, fault: { kind: 'lost-answer' } });

    await pail.fs.rmdir('/second');
    expect(await names(pail.fs, '/')).toEqual(['photos']);
  });

  it('fails where it is refused, and the bucket stays in sight', async () => {
    const pail = await openAllForTest({ settings, others });
    pail.faults.add({ operation: 'deleteBucket', times: Infinity, fault: { kind: 'status', status: 403 } });

    await expect(pail.fs.rmdir('/second')).rejects.toMatchObject({ code: 'EACCES' });
    expect(await names(pail.fs, '/')).toEqual(['photos', 'second']);
  });
});

describe('what the service says of a bucket that it does not make', () => {
  it('is no full account where it is no 400', async () => {
    const pail = await openAllForTest({ settings });
    pail.faults.add({ operation: 'createBucket', fault: { kind: 'status', status: 422 } });

    await expect(pail.fs.mkdir('/new-one', 0o755)).rejects.toMatchObject({ code: 'EIO' });
  });
});
