import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DraftFacts } from '../../src/content/draft-facts.ts';
import { DraftFile } from '../../src/content/draft-file.ts';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { CONTENT_START, SLOT_SIZE } from '../../src/content/draft-header.ts';
import { readFully, writeFully } from '../../src/content/local-files.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { draftFactsOf, someDraftFacts } from '../support/journal-records.ts';
import { propertySettings } from '../support/property-settings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function setup() {
  const path = join(await temporaryDirectory(), 'drafts');
  await mkdir(path);
  const files = new FailingDisk();
  return { path, files, folder: new DraftFolder(path, files) };
}

async function created(folder: DraftFolder, facts: DraftFacts): Promise<DraftFile> {
  const draft = await folder.create(facts);
  onTestFinished(() => draft.close());
  return draft;
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function contentOf(draft: DraftFile): Promise<string> {
  const into = new Uint8Array(1000);
  return new TextDecoder().decode(into.subarray(0, await readFully(draft, into, 0)));
}

describe('a draft on disk', () => {
  it('holds its content from position 0 on, and can be cut and extended', async () => {
    const { folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));

    await writeFully(draft, text('hello world'), 0);
    await draft.truncate(5);
    await writeFully(draft, text('!'), 5);

    expect(await contentOf(draft)).toBe('hello!');
  });

  it('is found again by another process, with its content and all that was said of it', async () => {
    const { path, files, folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));
    await writeFully(draft, text('precious'), 0);
    await draft.describe(draftFactsOf('b'));
    await draft.sync();

    const [found] = await new DraftFolder(path, files).list();
    const reopened = await folder.open(draft.id);
    onTestFinished(() => reopened.close());

    expect(found).toMatchObject({ id: draft.id, path: draft.path, size: 8, header: draftFactsOf('b') });
    expect(await contentOf(reopened)).toBe('precious');
  });

  it('is what the journal has recorded of it where the disk has only an older header', async () => {
    const { folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));
    const recorded = draftFactsOf('a', { sealed: { size: 0, md5: null, at: 7 } });

    const reopened = await folder.open(draft.id, recorded);
    onTestFinished(() => reopened.close());

    expect(reopened.facts).toEqual(recorded);
  });

  it('keeps any facts', async () => {
    const { folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));

    await fc.assert(
      fc.asyncProperty(someDraftFacts(), async (facts) => {
        await draft.describe(facts);
        const reopened = await folder.open(draft.id);
        await reopened.close();
        expect(reopened.facts).toEqual(facts);
      }),
      propertySettings(100),
    );
  });

  it('refuses a key that does not fit its header, and stays what it was', async () => {
    const { folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));

    const describing = draft.describe(draftFactsOf('k'.repeat(SLOT_SIZE)));

    await expect(describing).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    expect(draft.facts).toEqual(draftFactsOf('a'));
    expect((await folder.list()).map(({ header }) => header)).toEqual([draftFactsOf('a')]);
  });

  it('has a header for every key that a program can name', async () => {
    const { folder } = await setup();

    const draft = await created(folder, draftFactsOf('\u0001'.repeat(4095)));

    expect((await folder.list()).map(({ header }) => header)).toEqual([draft.facts]);
  });

  it('has a header of whatever length', async () => {
    const { folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));

    for (let length = 3600; length < 4100; length += 1) {
      await draft.describe(draftFactsOf('k'.repeat(length)));
      const reopened = await folder.open(draft.id);
      await reopened.close();
      expect(reopened.facts).toEqual(draft.facts);
    }
  });

  it('is found by a few of its bytes: a mount may find ten thousands', async () => {
    const { files, folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));
    await draft.write(new Uint8Array(100_000), 0);

    expect(await folder.list()).toHaveLength(1);

    expect(files.asked).toBeLessThanOrEqual(8192);
  });

  it('says what it is on a disk that lets nobody write to it any more', async () => {
    const { folder, files } = await setup();
    const draft = await created(folder, draftFactsOf('a'));
    await writeFully(draft, text('abc'), 0);
    files.failures.set('open', 'EROFS');

    expect(await folder.list()).toMatchObject([{ id: draft.id, size: 3, header: { key: 'a' } }]);
  });

  it('leaves no file behind when the disk is full at its beginning', async () => {
    const { files, folder } = await setup();
    files.room = 20;

    await expect(folder.create(draftFactsOf('a'))).rejects.toMatchObject({ code: 'ENOSPC' });

    expect(await folder.list()).toEqual([]);
  });

  it('is still the one it was when the disk fails in the middle of a new header', async () => {
    const { files, folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));
    await draft.describe(draftFactsOf('b'));
    files.room = 25;
    await expect(draft.describe(draftFactsOf('c'))).rejects.toMatchObject({ code: 'ENOSPC' });
    files.room = Infinity;

    const between = await folder.list();
    await draft.describe(draftFactsOf('d'));

    expect(between.map(({ header }) => header)).toEqual([draftFactsOf('b')]);
    expect((await folder.list()).map(({ header }) => header)).toEqual([draftFactsOf('d')]);
  });

  it('is not durable while its name is not', async () => {
    const { files, folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));
    files.failures.set('sync-directory', 'EIO');

    await expect(draft.sync()).rejects.toMatchObject({ code: 'EIO' });
  });
});

describe('a damaged draft', () => {
  async function damaged(change: (bytes: Uint8Array) => Uint8Array) {
    const { path, folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));
    await draft.describe(draftFactsOf('b'));
    await writeFully(draft, text('content'), 0);
    await writeFile(join(path, draft.id), change(await readFile(join(path, draft.id))));
    const [found] = await folder.list();
    return found;
  }

  it('is known by its older header when the newer one is damaged', async () => {
    const found = await damaged((bytes) => {
      bytes[SLOT_SIZE + 60] = 0;
      return bytes;
    });

    expect(found).toMatchObject({ size: 7, header: draftFactsOf('a') });
  });

  it('never shows facts that were not written, whichever byte of it is turned', async () => {
    const { path, folder } = await setup();
    const draft = await created(folder, draftFactsOf('a'));
    const file = join(path, draft.id);
    const whole = await readFile(file);

    await fc.assert(
      fc.asyncProperty(fc.nat(400), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const bytes = Uint8Array.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ mask;
        await writeFile(file, bytes);

        const [found] = await folder.list();

        if (found !== undefined && 'key' in found.header) expect(found.header).toEqual(draftFactsOf('a'));
        else expect(found?.header).toHaveProperty('unreadable');
      }),
      propertySettings(200),
    );
  });

  it('of which both headers are lost is listed all the same, with the size of its bytes', async () => {
    const found = await damaged((bytes) => bytes.fill(0, 0, CONTENT_START));

    expect(found?.size).toBe(7);
    expect(found?.header).toEqual({ unreadable: 'no header' });
  });

  it('that is shorter than a header, a folder, or of a later format is listed, too', async () => {
    const { path, folder } = await setup();
    await writeFile(join(path, '1'), '');
    await mkdir(join(path, '2'));
    await writeFile(join(path, '3'), 'pailfs draft 2\n0 2 00000000\n{}\n');
    await truncate(join(path, '3'), CONTENT_START);

    const found = await folder.list();

    expect(found.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(found[2]?.header).toEqual({ unreadable: 'a header of format 2; no header' });
  });
});
