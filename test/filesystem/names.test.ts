/** SEMANTICS: names, hostile keys and listings, and mounts that may not change anything. */
import { bytesOf } from '../support/embedded-service.ts';
import { describe, expect, it } from 'vitest';
import type { ObjectPage } from '../../src/service/records.ts';
import { openFileSystem } from '../../src/filesystem/open-file-system.ts';
import { defaultSettings, names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { LogForTest, openToRead, setXattr } from '../support/program-acts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { entriesOf } from '../support/directory-entries.ts';

describe('names', () => {
  it('over 255 bytes are ENAMETOOLONG in every call, and nothing is asked [names/too-long]', async () => {
    const { fs, asked } = await openForTest();
    const long = `/${'é'.repeat(128)}`;
    const calls = [
      fs.getAttributes(long),
      entriesOf(fs, long),
      openToRead(fs, long),
      writeFile(fs, long, ''),
      fs.truncate(long, 0),
      fs.setAttributes(long, {}),
      fs.unlink(long),
      fs.mkdir(long, 0o755),
      fs.rmdir(long),
      fs.rename(long, '/x', false),
      fs.rename('/x', long, false),
      fs.getXattr(long, 'user.mime_type'),
      setXattr(fs, long, 'user.mime_type', 'a/b'),
      fs.listXattrs(`/d${long}`),
      fs.removeXattr(`${long}/x`, 'user.mime_type'),
    ];

    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'ENAMETOOLONG' });

    expect(asked()).toEqual([]);
  });

  it('of 255 bytes work, and unicode forms stay apart [names/path]', async () => {
    const { fs, stored } = await openForTest();
    const listed = ['\u00e9', 'e\u0301', `${'é'.repeat(127)}x`, '%2F', 'a+b', ' '];
    for (const name of listed) await writeFile(fs, `/${name}`, name);

    expect(await names(fs, '/')).toEqual([...listed].sort());
    for (const name of listed) expect((await stored(name)).toString()).toBe(name);
  });

  it('that are no Unicode are EILSEQ, and NUL is EINVAL [names/not-unicode]', async () => {
    const { fs } = await openForTest();

    await expect(fs.getAttributes('/\ud800')).rejects.toMatchObject({ code: 'EILSEQ' });
    await expect(writeFile(fs, '/a\0b', '')).rejects.toMatchObject({ code: 'EINVAL' });
  });
});

describe('keys that no directory can show', () => {
  it('are left out without disturbing the rest, and logged once a folder [names/hidden]', async () => {
    const log = new LogForTest();
    const { fs, foreignWrite, clock } = await openForTest({ log });
    for (const key of ['../x', './y', 'a//b', '/lead', 'n'.repeat(300), 'ok', 'a/ok', 'nul\0'])
      await foreignWrite(key, '');

    expect(await names(fs, '/')).toEqual(['a', 'ok']);
    expect(await names(fs, '/a')).toEqual(['ok']);
    clock.advance(10_000);
    await names(fs, '/');

    expect(log.about('cannot be shown').map(({ fields }) => fields)).toEqual([
      { folder: '/', hidden: 5 },
      { folder: '/a', hidden: 1 },
    ]);
  });

  it('of a folder and a file alike show the folder [names/folder-wins]', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('x', 'file');
    await foreignWrite('x/y', 'inside');

    expect((await fs.getAttributes('/x')).kind).toBe('folder');
    expect((await entriesOf(fs, '/')).map(({ attributes }) => attributes.kind)).toEqual(['folder']);
    expect((await readFile(fs, '/x/y')).toString()).toBe('inside');
  });

  it('of a folder and a file alike count the file, and show it when the folder is gone [names/folder-wins]', async () => {
    const { fs, foreignWrite, stored } = await openForTest();
    await foreignWrite('d/x', 'file');
    await foreignWrite('d/x/y', 'inside');
    expect(await names(fs, '/d')).toEqual(['x']);
    expect((await fs.getXattr('/d', 'user.pailfs.hidden')).toString()).toBe('1');
    // What is below would be somewhere else then, and the file left behind.
    await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EPERM' });

    await fs.unlink('/d/x/y');
    await fs.rmdir('/d/x');

    expect((await readFile(fs, '/d/x')).toString()).toBe('file');
    await expect(fs.rmdir('/d')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    expect((await entriesOf(fs, '/d')).map(({ attributes }) => attributes.kind)).toEqual(['file']);
    expect((await stored('d/x')).toString()).toBe('file');
  });

  it('equal to their own folder are no file', async () => {
    const { fs, direct, bucket, foreignWrite } = await openForTest({
      store: { behaviours: { folderEntries: 'listed' } },
    });
    await direct.createFolder(bucket, 'made');
    await foreignWrite('d/', '');

    expect(await names(fs, '/')).toEqual(['d', 'made']);
    expect(await names(fs, '/made')).toEqual([]);
    expect(await names(fs, '/d')).toEqual([]);
  });

  it('equal to their own folder keep it where they have bytes: neither rmdir nor a rename takes them away [names/hidden]', async () => {
    const { fs, direct, bucket, foreignWrite } = await openForTest();
    await foreignWrite('d/', 'somebody keeps this here');
    await foreignWrite('d/file', '');
    await fs.unlink('/d/file');

    await expect(fs.rmdir('/d')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EPERM' });

    expect((await fs.getXattr('/d', 'user.pailfs.hidden')).toString()).toBe('1');
    expect(await names(fs, '/d')).toEqual([]);
    const kept = await direct.getObject(bucket, 'd/');
    expect((await bytesOf(kept.body)).toString()).toBe('somebody keeps this here');
  });
});

/** A mount of a service whose listing of the top is what `page` says. */
async function mountListing(page: (bookmark: number) => Partial<ObjectPage>) {
  const { service, bucket, direct } = await openForTest();
  let pages = 0;
  const hostile = new InterceptedService(service, async (call, proceed) => {
    const answer = await proceed();
    if (call.operation !== 'listObjects' || call.folder !== '') return answer;
    pages += 1;
    return { ...answer, ...page(pages) };
  });
  // Bookmarks of such a service mean nothing to the one behind it.
  const list = hostile.listObjects.bind(hostile);
  hostile.listObjects = (name, query) => list(name, { ...query, page: undefined });
  const mounted = await openFileSystem({
    service: hostile,
    bucket: await direct.getBucket(bucket),
    clock: new ManualClock(),
    log: new LogForTest(),
    settings: defaultSettings(await temporaryDirectory()),
  });
  return mounted.operations;
}

describe('a listing', () => {
  it('that gives the same bookmark for ever is EIO [errors/hostile]', async () => {
    const fs = await mountListing(() => ({ nextPage: 'again' }));

    await expect(names(fs, '/')).rejects.toMatchObject({ code: 'EIO' });
  });

  it('of empty pages without end is EIO [errors/hostile]', async () => {
    const fs = await mountListing((page) => ({ nextPage: String(page) }));

    await expect(names(fs, '/')).rejects.toMatchObject({ code: 'EIO' });
  });

  it('that repeats the same page without end is EIO [errors/hostile]', async () => {
    const fs = await mountListing((page) => ({ folders: ['a/', 'b/'], nextPage: String(page) }));

    await expect(names(fs, '/')).rejects.toMatchObject({ code: 'EIO' });
  });

  it('with entries of other folders or without shape shows the rest [errors/hostile]', async () => {
    const fs = await mountListing(() => ({ folders: ['a/', 'b', '', 'c//'], skipped: 3 }));

    expect(await names(fs, '/')).toEqual(['a']);
  });

  it('whose next page cannot be had is EIO, and never half a listing', async () => {
    const { fs, foreignWrite, faults, asked } = await openForTest();
    for (let index = 0; index < 1001; index += 1) await foreignWrite(`f${index}`, '');
    faults.add({ operation: 'listObjects', skip: 1, fault: { kind: 'status', status: 503 } });

    await expect(names(fs, '/')).rejects.toMatchObject({ code: 'EIO' });
    expect(await names(fs, '/')).toHaveLength(1001);

    expect(asked()).toHaveLength(4);
  });

  it('of a service that pages as oddly as it may is complete', async () => {
    const { fs, foreignWrite } = await openForTest({ store: { behaviours: { pages: 'nasty' } } });
    for (let index = 0; index < 1100; index += 1) await foreignWrite(`f${index}`, '');
    for (let index = 0; index < 20; index += 1) await foreignWrite(`d${index}/x`, '');

    expect(await names(fs, '/')).toHaveLength(1120);
    expect((await fs.getAttributes('/d7/x')).kind).toBe('file');
  });
});

it('a read-only mount refuses every change with EROFS and sends nothing [errors/read-only]', async () => {
  const { fs, foreignWrite, asked, mounted } = await openForTest({ settings: { readOnly: true } });
  await foreignWrite('f', 'x');
  await readFile(fs, '/f');
  const handle = await openToRead(fs, '/f');
  asked();
  const changes = [
    writeFile(fs, '/f', ''),
    fs.open('/f', { read: true, write: true, truncate: false }),
    fs.open('/f', { read: true, write: false, truncate: true }),
    fs.write(handle, Buffer.from('x'), 0),
    fs.truncate('/f', 0),
    fs.setAttributes('/f', { mode: 0 }),
    fs.unlink('/f'),
    fs.mkdir('/d', 0o755),
    fs.rmdir('/d'),
    fs.rename('/f', '/g', false),
    setXattr(fs, '/f', 'user.pailfs.visibility', 'public'),
    fs.removeXattr('/f', 'user.mime_type'),
  ];

  for (const change of changes) await expect(change).rejects.toMatchObject({ code: 'EROFS' });
  await fs.flush(handle);
  await fs.release(handle);

  expect(await mounted.close({ patience: 60_000 })).toEqual([]);
  expect(asked()).toEqual([]);
});
