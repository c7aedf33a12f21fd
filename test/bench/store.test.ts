/** The store of the bench: it serves files that it does not have, and counts what it sends twice. */
import { describe, expect, it } from 'vitest';
import { Pattern } from '../../bench/contents/pattern.ts';
import { PatternedService } from '../../bench/store/patterned-service.ts';
import { CountedService, repeatedBytes, ServedBytes } from '../../bench/store/served-bytes.ts';
import { bytesOf, openEmbeddedService, uploadOf } from '../support/embedded-service.ts';

const SIZE = 5 * 2 ** 30;

describe('a bucket of the pattern', () => {
  it('lists, describes and serves its files, whole ranges of gigabytes away', async () => {
    const { service, bucket } = await openPatterned();

    const top = await service.listObjects(bucket, { folder: '' });
    const folder = await service.listObjects(bucket, { folder: 'large' });
    const { range, body, head } = await service.getObject(bucket, 'large/b', {
      range: { start: SIZE - 300_000, end: SIZE + 10 },
    });

    expect([top.folders, top.objects]).toEqual([['large/'], []]);
    expect(folder.objects.map(({ key, size }) => [key, size])).toEqual([
      ['large/a', 10],
      ['large/b', SIZE],
    ]);
    expect(range).toEqual({ start: SIZE - 300_000, end: SIZE });
    expect((await bytesOf(body)).equals(new Pattern().bytes(2, SIZE - 300_000, 300_000))).toBe(true);
    expect(head).toEqual(await service.headObject(bucket, 'large/b'));
    expect(folder.objects[1]?.etag).toBe(head.etag);
  });

  it('refuses what it has not', async () => {
    const { service, bucket } = await openPatterned();

    await expect(service.headObject(bucket, 'large/c')).rejects.toMatchObject({ kind: 'missing' });
    await expect(service.getObject(bucket, 'large/c')).rejects.toMatchObject({ kind: 'missing' });
    await expect(
      service.getObject(bucket, 'large/a', { range: { start: 10, end: 11 } }),
    ).rejects.toMatchObject({ kind: 'range-refused' });
  });
});

describe('bytes that leave the store', () => {
  it.each([
    [[], 0],
    [
      [
        [0, 10],
        [10, 20],
      ],
      0,
    ],
    [
      [
        [10, 20],
        [0, 15],
      ],
      5,
    ],
    [
      [
        [0, 10],
        [0, 10],
        [0, 10],
      ],
      20,
    ],
    [
      [
        [0, 100],
        [10, 20],
        [50, 60],
        [90, 110],
      ],
      30,
    ],
  ] as const)('of ranges %j are so many sent again: %i', (ranges, repeated) => {
    expect(repeatedBytes(ranges.map(([start, end]) => ({ start, end })))).toBe(repeated);
  });

  it('are counted as they are taken, file by file', async () => {
    const { direct, bucket } = await openEmbeddedService();
    for (const key of ['a', 'b']) await direct.putObject(bucket, key, uploadOf('0123456789'));
    const served = new ServedBytes();
    const service = new CountedService(direct, served);

    for (const key of ['a', 'b']) await bytesOf((await service.getObject(bucket, key)).body);
    const first = served.takeRepeated();
    await bytesOf((await service.getObject(bucket, 'a')).body);
    await service.getObject(bucket, 'a');
    await bytesOf((await service.getObject(bucket, 'a', { range: { start: 8, end: 10 } })).body);

    expect([first, served.takeRepeated(), served.takeRepeated()]).toEqual([0, 2, 0]);
  });
});

async function openPatterned(): Promise<{ service: PatternedService; bucket: string }> {
  const { direct, bucket } = await openEmbeddedService();
  const service = new PatternedService(direct);
  service.fill(bucket, [
    { key: 'large/b', size: SIZE, number: 2 },
    { key: 'large/a', size: 10, number: 1 },
  ]);
  return { service, bucket };
}
