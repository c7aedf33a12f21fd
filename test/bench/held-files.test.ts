/** When a write is over: the store holds what was written, byte for byte, and nothing else. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { differenceOf, type ExpectedFile } from '../../bench/store/held-files.ts';
import { openEmbeddedService, uploadOf, type EmbeddedService } from '../support/embedded-service.ts';

const files = [fileOf('tree/a/1', 'one'), fileOf('tree/b/2', 'two'), fileOf('top', '')];

describe('a bucket', () => {
  let store: EmbeddedService;

  beforeEach(async () => {
    store = await openEmbeddedService();
    for (const [key, text] of [
      ['tree/a/1', 'one'],
      ['tree/b/2', 'two'],
      ['top', ''],
    ] as const)
      await put(key, text);
  });

  it('holds its files when nothing is missing and nothing is odd, with folders made or not', async () => {
    await store.direct.createFolder(store.bucket, 'tree/a');

    expect(await difference(files)).toBe(0);
  });

  it('does not before the last file is there, or when one is too many', async () => {
    expect(await difference([...files, fileOf('tree/b/3', 'three')])).toBe(1);
    expect(await difference(files.slice(1))).toBeGreaterThan(0);
    expect(await difference([])).toBeGreaterThan(0);
  });

  it.each([
    ['other bytes of the same length', 'owt'],
    ['half of the bytes', 'tw'],
  ])('does not with %s', async (_what, text) => {
    await put('tree/b/2', text);

    expect(await difference(files)).toBeGreaterThan(0);
  });

  it('does not while an empty folder is left', async () => {
    for (const { key } of files) await store.direct.deleteObject(store.bucket, key);
    await store.direct.createFolder(store.bucket, 'tree/a');

    expect(await difference([])).toBeGreaterThan(0);
    expect(await difference([fileOf('top', '')])).toBeGreaterThan(1);
  });

  it('is looked through to the last of its pages', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => fileOf(`many/${index}`, ''));
    for (const { key } of many) await put(key, '');

    expect(await difference([...files, ...many])).toBe(0);
    expect(await difference([...files, ...many.slice(0, -1)])).toBe(1);
  });

  function difference(expected: readonly ExpectedFile[]): Promise<number> {
    return differenceOf(store.direct, store.bucket, expected);
  }

  async function put(key: string, text: string): Promise<void> {
    await store.direct.putObject(store.bucket, key, uploadOf(text));
  }
});

function fileOf(key: string, text: string): ExpectedFile {
  return { key, size: text.length, etag: createHash('md5').update(text).digest('hex') };
}
