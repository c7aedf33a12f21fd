/** What is promised about folders and their listings? (§4.6, §4.11) */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import type { Setup } from './contract-setup.ts';
import { walk } from './walk.ts';

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

export function listingContract(setup: () => Promise<Setup>): void {
  it.each([1, 2, 3, 1000])(
    'lists one level, every entry once and in the order of bytes, unless it is switched, %d to a page (§4.11)',
    async (limit) => {
      const { service, bucket, behaviours } = await setup();
      const keys = ['b', 'a', 'f/x', 'f/deep/er/y', 'f/deep/z', 'f.txt', 'f0', 'g/1', 'ü', '🙂', '\uffee'];
      for (const key of keys) await service.putObject(bucket, key, uploadOf(key));

      const top = await walk(service, bucket, { folder: '', limit });
      const folder = await walk(service, bucket, { folder: 'f', limit });

      expect(top.folders.toSorted(byBytes)).toEqual(['f/', 'g/']);
      // 🙂 is after \uffee in UTF-8 though before it in UTF-16.
      const files = ['a', 'b', 'f.txt', 'f0', 'ü', '\uffee', '🙂'];
      expect(top.files.toSorted(byBytes)).toEqual(files);
      expect(isDeepStrictEqual(top.files, files)).toBe(behaviours.order === 'keys');
      expect(folder.folders).toEqual(['f/deep/']);
      expect(folder.files.filter((key) => key !== 'f/')).toEqual(['f/x']);
      for (const page of [...top.pages, ...folder.pages])
        expect(page.folders.length + page.objects.length).toBeLessThanOrEqual(limit);
      expect(folder.pages[0]).toMatchObject({ bucket, folder: 'f', skipped: 0 });
    },
  );

  it('goes on after the last name given when entries come and go (§4.11 rule 5)', async () => {
    const { service, bucket } = await setup();
    const names = Array.from({ length: 30 }, (_, at) => String(at * 10).padStart(3, '0'));
    for (const name of names)
      await service.putObject(bucket, Number(name) % 20 === 0 ? `d/${name}` : `d/${name}/f`, uploadOf('x'));
    let turn = 0;

    const { folders, files } = await walk(service, bucket, { folder: 'd', limit: 4 }, async (page) => {
      const given = page.objects.at(-1)?.key;
      if (given !== undefined) await service.deleteObject(bucket, given);
      turn += 1;
      await service.putObject(bucket, `d/!early-${turn}`, uploadOf('new'));
      await service.putObject(bucket, `d/zzz-${turn}`, uploadOf('new'));
    });

    const seen = [...folders, ...files].map((name) => name.replace(/^d\/|\/$/g, ''));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(names));
    expect(seen.some((name) => name.startsWith('zzz-'))).toBe(true);
  });

  it('refuses bookmarks that are altered, cut, numeric or of another listing (§4.11)', async () => {
    const { service, bucket } = await setup();
    for (const key of ['a', 'b', 'c', 'd', 'f/a', 'f/b', 'f/c', 'f/d'])
      await service.putObject(bucket, key, uploadOf(key));
    const { nextPage } = await service.listObjects(bucket, { folder: 'f', limit: 1 });
    const page = nextPage ?? '';
    const other = (await service.createBucket('other')).bucket;

    const middle = Math.floor(page.length / 2);
    const altered = page.slice(0, middle) + (page[middle] === 'A' ? 'B' : 'A') + page.slice(middle + 1);
    for (const bad of [altered, page.slice(0, -4), `${page}AAAA`, ` ${page}`, '2', '', 'AAAA'])
      await expect(service.listObjects(bucket, { folder: 'f', limit: 1, page: bad })).rejects.toMatchObject({
        kind: 'stale-bookmark',
        status: 400,
      });
    await expect(service.listObjects(bucket, { folder: '', page })).rejects.toMatchObject({
      kind: 'stale-bookmark',
    });
    await expect(service.listObjects(other, { folder: 'f', page })).rejects.toMatchObject({
      kind: 'stale-bookmark',
    });
    expect((await service.listObjects(bucket, { folder: 'f', page })).folder).toBe('f');
  });

  it('holds 100 entries a page unless asked otherwise, and at most 1000 (§8)', async () => {
    const { service, bucket, behaviours } = await setup();
    for (let count = 0; count < 101; count += 1) await service.putObject(bucket, `k${count}`, uploadOf(''));

    const { pages, files } = await walk(service, bucket, { folder: '' });

    expect(new Set(files).size).toBe(101);
    if (behaviours.pages === 'ordinary') expect(pages.map(({ objects }) => objects.length)).toEqual([100, 1]);
    await expect(service.listObjects(bucket, { folder: '', limit: 0 })).rejects.toMatchObject({
      status: 400,
    });
    const tooMany = service.listObjects(bucket, { folder: '', limit: 1001 });
    if (behaviours.excessiveLimit === 'refused')
      await expect(tooMany).rejects.toMatchObject({ kind: 'rejected' });
    else expect((await tooMany).objects.length).toBeLessThanOrEqual(1000);
  });

  it('takes every liberty of §4.11 rule 6 when it is nasty', async () => {
    const { service, bucket, behaviours } = await setup();
    for (let count = 0; count < 40; count += 1)
      await service.putObject(bucket, count % 3 === 0 ? `${count}/f` : `${count}`, uploadOf(''));

    const { pages } = await walk(service, bucket, { folder: '', limit: 10 });

    const sizes = pages.slice(0, -1).map(({ folders, objects }) => folders.length + objects.length);
    expect(sizes.includes(0)).toBe(behaviours.pages === 'nasty');
    expect(sizes.some((size) => size > 0 && size < 10)).toBe(behaviours.pages === 'nasty');
  });

  it('has an empty top, and nothing or a refusal for folders that are not there', async () => {
    const { service, bucket, behaviours } = await setup();
    await service.putObject(bucket, 'file', uploadOf(''));
    await service.deleteObject(bucket, 'file');

    expect(await walk(service, bucket, { folder: '' })).toMatchObject({ folders: [], files: [] });
    const missing = walk(service, bucket, { folder: 'not/there' });
    if (behaviours.missingFolder === 'missing')
      await expect(missing).rejects.toMatchObject({ kind: 'missing', status: 404 });
    else expect(await missing).toMatchObject({ folders: [], files: [] });
  });

  it('shows a created folder, made once or twice, nested or not; the second time may be refused (§4.6)', async () => {
    const { service, bucket, behaviours } = await setup();

    await service.createFolder(bucket, 'new/nested');
    const again = service.createFolder(bucket, 'new/nested');

    if (behaviours.existingFolder === 'made') await again;
    else await expect(again).rejects.toMatchObject({ kind: 'rejected', status: 409 });
    expect((await walk(service, bucket, { folder: '' })).folders).toEqual(['new/']);
    expect((await walk(service, bucket, { folder: 'new' })).folders).toEqual(['new/nested/']);
    const { folders, entries } = await walk(service, bucket, { folder: 'new/nested' });
    expect(folders).toEqual([]);
    expect(entries.map(({ key, size }) => [key, size])).toEqual(
      behaviours.folderEntries === 'listed' ? [['new/nested/', 0]] : [],
    );
  });

  it('refuses a folder without a name', async () => {
    const { service, bucket } = await setup();

    await expect(service.createFolder(bucket, '')).rejects.toMatchObject({ kind: 'rejected', status: 400 });
  });

  it('keeps or drops a folder whose last file goes, as it is switched', async () => {
    const { service, bucket, behaviours } = await setup();
    await service.createFolder(bucket, 'made');
    await service.putObject(bucket, 'made/f', uploadOf(''));
    await service.putObject(bucket, 'grown/f', uploadOf(''));

    await service.deleteObject(bucket, 'made/f');
    await service.deleteObject(bucket, 'grown/f');

    const left = { implicit: ['made/'], lasting: ['grown/', 'made/'], vanishing: [] }[behaviours.folders];
    expect((await walk(service, bucket, { folder: '' })).folders.toSorted(byBytes)).toEqual(left);
  });

  it('removes an empty folder by DELETE of its name with a slash, if so switched, and never a full one', async () => {
    const { service, bucket, behaviours } = await setup();
    await service.createFolder(bucket, 'empty');
    await service.createFolder(bucket, 'full');
    await service.putObject(bucket, 'full/f', uploadOf(''));

    for (const key of ['empty/', 'full/']) {
      const deleted = service.deleteObject(bucket, key);
      if (behaviours.deleteFolder === 'refused')
        await expect(deleted).rejects.toMatchObject({ kind: 'rejected', status: 400 });
      else await deleted;
    }
    // What is not there can always be deleted (§4.10).
    await service.deleteObject(bucket, 'none/');

    const { folders } = await walk(service, bucket, { folder: '' });
    expect(folders).toEqual(behaviours.deleteFolder === 'removes' ? ['full/'] : ['empty/', 'full/']);
    expect((await walk(service, bucket, { folder: 'full' })).files).toContain('full/f');
  });

  it('knows the details of a folder, or not, as it is switched', async () => {
    const { service, bucket, behaviours } = await setup();
    await service.createFolder(bucket, 'made');
    await service.putObject(bucket, 'grown/f', uploadOf(''));

    for (const key of ['made/', 'grown/']) {
      const head = service.headObject(bucket, key);
      if (behaviours.headFolder === 'missing') await expect(head).rejects.toMatchObject({ kind: 'missing' });
      else {
        expect((await head).size).toBe(0);
        const part = service.getObject(bucket, key, { range: { start: 0, end: 5 } });
        if (behaviours.range === 'ignored') expect((await part).range).toEqual({ start: 0, end: 0 });
        else await expect(part).rejects.toMatchObject({ kind: 'range-refused' });
      }
    }
    await expect(service.headObject(bucket, 'nothing/')).rejects.toMatchObject({ kind: 'missing' });
    await expect(service.headObject(bucket, 'made')).rejects.toMatchObject({ kind: 'missing' });
  });
}
