/** What becomes of the file systems of buckets that cannot be opened, are being opened, or do not end as they should? */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { OpenBuckets, type BucketFileSystem } from '../../../src/filesystem/all-buckets/open-buckets.ts';
import type { EndOfMount } from '../../../src/filesystem/end-of-mount.ts';
import type { Bucket } from '../../../src/service/records.ts';
import { signal } from '../../support/signal.ts';

const bucket = (name: string): Bucket => ({ bucket: `id-${name}`, name }) as Bucket;

/** A file system that ends as `close` says. */
function fileSystem(close: (end: EndOfMount) => Promise<never[]>): BucketFileSystem {
  const opened = { operations: {}, close, bytesSent: () => 7 };
  return {
    fileSystem: opened,
    stateDirectory: '/',
    release: () => Promise.resolve(),
  } as unknown as BucketFileSystem;
}

const end: EndOfMount = { patience: 0 };

describe('a bucket that could not be opened', () => {
  it('is opened by who looks into it the next time', async () => {
    let tries = 0;
    const buckets = new OpenBuckets(() => {
      tries += 1;
      return tries === 1
        ? Promise.reject(new Error('the disk is full'))
        : Promise.resolve(fileSystem(() => Promise.resolve([])));
    }, silentLog);

    await expect(buckets.of(bucket('a'))).rejects.toThrow('the disk is full');
    expect((await buckets.of(bucket('a'))).bucket.name).toBe('a');
    expect(tries).toBe(2);
  });
});

describe('the end of a mount', () => {
  it('ends also the bucket that is being opened just then', async () => {
    const opening = signal();
    const ended: string[] = [];
    const buckets = new OpenBuckets(async () => {
      await opening.given;
      return fileSystem(() => {
        ended.push('a');
        return Promise.resolve([]);
      });
    }, silentLog);
    const opened = buckets.of(bucket('a'));
    const closed = buckets.close(end);
    opening.give();
    await Promise.all([opened, closed]);

    expect(ended).toEqual(['a']);
  });

  it('fails as the first bucket whose end does, and ends the others', async () => {
    const ended: string[] = [];
    const buckets = new OpenBuckets(
      ({ name }) =>
        Promise.resolve(
          fileSystem(() => {
            ended.push(name);
            return name === 'b' ? Promise.resolve([]) : Promise.reject(new Error(`${name} cannot end`));
          }),
        ),
      silentLog,
    );
    for (const name of ['a', 'b', 'c']) await buckets.of(bucket(name));

    await expect(buckets.close(end)).rejects.toThrow('a cannot end');
    expect(ended).toEqual(['a', 'b', 'c']);
  });

  it('is over for no bucket while another one gets anywhere', async () => {
    const progress: (number | undefined)[] = [];
    const buckets = new OpenBuckets(
      () =>
        Promise.resolve(
          fileSystem((given) => {
            progress.push(given.progress?.());
            return Promise.resolve([]);
          }),
        ),
      silentLog,
    );
    for (const name of ['a', 'b']) await buckets.of(bucket(name));
    await buckets.close(end);

    expect(progress).toEqual([14, 14]);
  });
});
