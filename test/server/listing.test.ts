/** What does a page of a large bucket cost? Steps are counted, not timed. */
import { describe, expect, it } from 'vitest';
import { Index, entryKey, type FileRow } from '../../src/server/index-rows.ts';
import { listLevel } from '../../src/server/listing.ts';

const ROW: FileRow = {
  kind: 'file',
  blob: 'x',
  size: 1,
  etag: 'x',
  modified: 0,
  contentType: 'x',
  public: false,
  publicUntil: 0,
};

describe('a listing', () => {
  it('takes a step for each entry of the level, however much is below', async () => {
    const index = await Index.open(null);
    for (let folder = 0; folder < 20; folder += 1) {
      const keys = Array.from({ length: 1000 }, (_, at) => `top/folder-${folder}/file-${at}`);
      await index.commit(keys.map((key) => ({ type: 'put', key: entryKey('b', key), value: ROW })));
    }
    await index.commit([{ type: 'put', key: entryKey('b', 'top/zzz'), value: ROW }]);
    let steps = 0;
    const listing = index.listing.bind(index);
    index.listing = (...where) => {
      const cursor = listing(...where);
      const next = cursor.next.bind(cursor);
      cursor.next = () => {
        steps += 1;
        return next();
      };
      return cursor;
    };

    const level = await listLevel(index, {
      bucket: 'b',
      prefix: 'top/',
      limit: 1000,
      from: { last: '', step: 0 },
      nasty: false,
      order: 'keys',
      ownEntry: false,
    });
    await index.close();

    expect(level.folders).toHaveLength(20);
    expect(level.files.map(({ key }) => key)).toEqual(['top/zzz']);
    expect(level.next).toBeNull();
    expect(steps).toBe(22);
  });
});
