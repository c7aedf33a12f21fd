/** For how long are the names of a folder believed whose pages take longer than the TTL? */
import { describe, expect, it } from 'vitest';
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { names, openForTest, readFile, type FileSystemForTest } from '../support/open-for-test.ts';

const TTL = 10_000;
const PAGES = 8;
/** The walk takes four times the TTL. */
const PAGE_TIME = TTL / 2;

/** Each page takes its time, and has two names. */
class SlowPages extends InterceptedService {
  clock: ManualClock | null = null;

  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  override async listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    const page = await super.listObjects(bucket, { ...query, limit: 2 });
    if (page.objects.length > 0) this.clock?.advance(PAGE_TIME);
    return page;
  }
}

/** A folder `long` of `PAGES` pages, listed just now. */
async function listed(metadataTtl = TTL): Promise<FileSystemForTest & { readonly last: string }> {
  let slow: SlowPages | undefined;
  const test = await openForTest({
    settings: { metadataTtl },
    between: (service) => (slow = new SlowPages(service)),
  });
  for (let index = 0; index < PAGES * 2; index += 1) await test.foreignWrite(`long/f${index + 10}`, 'x');
  await names(test.fs, '/');
  if (slow !== undefined) slow.clock = test.clock;
  test.asked();
  expect(await names(test.fs, '/long')).toHaveLength(PAGES * 2);
  return { ...test, last: `/long/f${PAGES * 2 + 9}` };
}

describe('a folder whose walk takes longer than the TTL', () => {
  it('is believed for as long as the walk took, counted from its last page [fresh/long-listings]', async () => {
    const { fs, asked, clock, last } = await listed();
    expect(asked()).toHaveLength(PAGES);

    // The request for the last page left one page's time ago; the first, seven before that.
    clock.advance((PAGES - 2) * PAGE_TIME - 1);
    await fs.getAttributes('/long/f10');
    await fs.getAttributes(last);
    await expect(fs.getAttributes('/long/absent')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await names(fs, '/long')).toHaveLength(PAGES * 2);
    // The folder itself is a name of a short listing.
    expect(asked().filter((line) => line !== 'listObjects')).toEqual([]);
    clock.advance(1);
    await fs.getAttributes('/long/f10');

    expect(asked()).toContain('headObject long/f10');
  });

  it('is believed while the walk goes on, however long ago its first page came [fresh/long-listings]', async () => {
    let slow: SlowPages | undefined;
    const test = await openForTest({ between: (service) => (slow = new SlowPages(service)) });
    const { fs, clock, asked, foreignWrite } = test;
    for (let index = 0; index < PAGES * 2; index += 1) await foreignWrite(`long/f${index + 10}`, 'x');
    await names(fs, '/');
    if (slow !== undefined) slow.clock = clock;
    asked();

    const asksWhileListing: string[][] = [];
    let batches = 0;
    for await (const batch of fs.readDirectory('/long')) {
      batches += 1;
      if (batch.length > 0 && batches === PAGES - 1) {
        asked();
        await fs.getAttributes('/long/f10');
        asksWhileListing.push(asked().filter((line) => line.startsWith('headObject')));
      }
    }

    expect(asksWhileListing).toEqual([[]]);
  });

  it('has each file confirmed within the TTL by whoever opens it [fresh/open]', async () => {
    const { fs, asked, last, foreignWrite } = await listed();
    await foreignWrite('long/f10', 'newer');
    asked();

    expect((await readFile(fs, '/long/f10')).toString()).toBe('newer');
    asked();
    await readFile(fs, last);

    expect(asked()).toEqual([`getObject ${last.slice(1)}`]);
  });

  it('is asked for anew by each look when the TTL is 0 [fresh/open]', async () => {
    const { fs, asked, foreignWrite } = await listed(0);
    await foreignWrite('long/f10', 'newer');
    asked();

    expect((await readFile(fs, '/long/f10')).toString()).toBe('newer');
    await names(fs, '/long');

    expect(asked().filter((line) => line === 'listObjects long').length).toBeGreaterThanOrEqual(PAGES);
  });

  it('keeps what was set here of a file when it is listed again [attributes/local]', async () => {
    const { fs, mounted } = await listed();
    await fs.setAttributes('/long/f10', { mode: 0o600 });
    const { identity } = await fs.getAttributes('/long/f11');

    mounted.refresh('/');
    const modes = new Map<string, number>();
    for await (const batch of fs.readDirectory('/long')) {
      for (const { name, attributes } of batch) modes.set(name, attributes.mode);
      await fs.setAttributes('/long/f12', { mode: 0o640 });
    }

    expect(modes.get('f10')).toBe(0o600);
    expect(await fs.getAttributes('/long/f11')).toMatchObject({ identity, mode: 0o644 });
    expect(await fs.getAttributes('/long/f12')).toMatchObject({ mode: 0o640 });
  });

  it('is believed no more once somebody asks for that [fresh/refresh]', async () => {
    const { fs, mounted, asked, clock } = await listed();
    clock.advance(TTL);
    mounted.refresh('/long');
    // Long enough for a TTL to be over, and the refresh of something else after it.
    clock.advance(TTL);
    mounted.refresh('/elsewhere');
    asked();

    await fs.getAttributes('/long/f10');

    expect(asked()).toContain('headObject long/f10');
  });
});
