/** What does the directory of all buckets show by itself: how full, how old? */
import { describe, expect, it } from 'vitest';
import { uploadOf } from '../../support/embedded-service.ts';
import { openAllForTest } from '../../support/open-all-for-test.ts';
import { closing } from '../../support/open-for-test.ts';

const MAKING = { read: false, write: true, truncate: false, exclusive: true, mode: 0o644 };

describe('df', () => {
  it('counts what a bucket has not stored yet, of it and of all [buckets/statfs]', async () => {
    const { fs } = await openAllForTest({ others: ['second'] });
    const handle = await fs.create('/second/draft', MAKING);
    await closing(fs, handle, async () => {
      await fs.write(handle, Buffer.from('twelve bytes'), 0);

      expect([fs.statistics('/second').usedBytes, fs.statistics('/').usedBytes]).toEqual([12, 12]);
    });
  });

  it('has old figures at once, and new ones asked for [buckets/statfs]', async () => {
    const pail = await openAllForTest();
    await pail.direct.putObject(pail.bucket, 'one', uploadOf('one'));
    pail.clock.advance(10_001);

    expect(pail.fs.statistics('/').usedBytes).toBe(0);
    await expect.poll(() => pail.fs.statistics('/').usedBytes).toBe(3);
    expect(pail.asked()).toEqual(['listBuckets']);
  });

  it('goes on with old figures while the service is away, which the log tells', async () => {
    const lines: string[] = [];
    const note = (line: string): void => void lines.push(line);
    const log = { error: note, warn: note, info: () => undefined, debug: () => undefined };
    const pail = await openAllForTest({ log });
    pail.faults.add({ operation: 'listBuckets', fault: { kind: 'status', status: 403 } });
    pail.clock.advance(10_001);

    expect(pail.fs.statistics('/').files).toBe(0);
    await expect.poll(() => lines).toEqual(['the usage figures could not be refreshed']);
  });
});

it('the top is as new as the last bucket that was made or removed in it', async () => {
  const pail = await openAllForTest({ settings: { bucketAdmin: true } });
  const times: number[] = [];
  const look = async (): Promise<void> => {
    const { mtime, ctime } = await pail.fs.getAttributes('/');
    expect(ctime).toBe(mtime);
    times.push(mtime - pail.clock.now());
  };
  pail.clock.advance(1000);
  await pail.fs.mkdir('/new-one', 0o755);
  await look();
  pail.clock.advance(1000);
  await pail.fs.rmdir('/new-one');
  await look();

  expect(times).toEqual([0, 0]);
});

it('the top says of an attribute that is to be new that a bucket has it', async () => {
  const { fs } = await openAllForTest();
  const set = fs.setXattr('/photos', 'user.pailfs.region', Buffer.from('here'), 'create');

  await expect(set).rejects.toMatchObject({ code: 'EEXIST' });
});
