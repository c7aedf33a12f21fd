/** SEMANTICS: what a program sees of its own changes. */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest, readAll, readFile, writeFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { edit, openToRead, openToRewrite, textAt, writeAt, xattr } from '../support/program-acts.ts';

const TTL = 10_000;

describe('own changes', () => {
  it('are seen at once, also by programs that listed the folder before [fresh/own-changes]', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('old', '');
    await names(fs, '/');

    await writeFile(fs, '/new', 'x');
    await fs.mkdir('/folder', 0o755);
    await fs.unlink('/old');
    await fs.rename('/new', '/renamed', false);

    expect(await names(fs, '/')).toEqual(['folder', 'renamed']);
    await expect(fs.getAttributes('/old')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.getAttributes('/new')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are seen while they are not stored: size, time and bytes of the draft', async () => {
    const { fs, asked, clock } = await openForTest();
    await names(fs, '/');
    asked();
    const handle = await openToRewrite(fs, '/f');
    clock.advance(500);

    await writeAt(fs, handle, 'draft');

    expect(await names(fs, '/')).toEqual(['f']);
    // The kernel sees each change of it: only that it is set aside one day it does not.
    expect(await fs.getAttributes('/f')).toMatchObject({ size: 5, mtime: clock.now(), validFor: 1000 });
    expect((await readFile(fs, '/f')).toString()).toBe('draft');
    expect(asked()).toEqual([]);
    await fs.release(handle);
  });

  it.each([false, true])(
    'leave in memory nothing of the bytes that they replace (write-back: %s)',
    async (writeBack) => {
      const { fs, mounted } = await openForTest({ settings: { writeBack } });
      await writeFile(fs, '/f', patternedBytes(100_000));
      await drained(mounted);
      await readFile(fs, '/f');
      const before = mounted.counts().inMemory;

      const reader = await openToRead(fs, '/f');
      await readAll(fs, reader);
      await writeFile(fs, '/f', patternedBytes(100_001));
      await fs.release(reader);
      await writeFile(fs, '/other', patternedBytes(100_002));
      await drained(mounted);
      await fs.rename('/other', '/f', false);
      await drained(mounted);

      expect([before, mounted.counts().inMemory]).toEqual([100_000, 100_002]);
      expect(Buffer.from(patternedBytes(100_002)).equals(await readFile(fs, '/f'))).toBe(true);
    },
  );

  it('count in df while they are not stored [attributes/statfs]', async () => {
    const { fs } = await openForTest();
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'draft');

    expect(fs.statistics()).toMatchObject({ usedBytes: 5, files: 1 });
    await fs.release(handle);
  });

  it('keep the time that a program set before its close, as cp -p does', async () => {
    const { fs, clock } = await openForTest();
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'copied');
    await fs.setAttributes('/f', { mtime: 12_345, mode: 0o600 }, handle);
    await fs.flush(handle);
    await fs.release(handle);
    clock.advance(TTL);
    await names(fs, '/');

    expect(await fs.getAttributes('/f')).toMatchObject({ mtime: 12_345, mode: 0o600 });
  });

  it('move the folder time, and other folders keep theirs [attributes/folder-mtime]', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('d/x', '');
    await foreignWrite('e/x', '');
    const before = (await fs.getAttributes('/e')).mtime;
    clock.advance(1234);

    await writeFile(fs, '/d/y', '');

    expect((await fs.getAttributes('/d')).mtime).toBe(before + 1234);
    expect((await fs.getAttributes('/e')).mtime).toBe(before);
  });
});

describe('a file that we stored and that the service has not named yet', () => {
  it('keeps its time and bytes when a listing names it by the MD5 of our bytes [attributes/own-upload]', async () => {
    const { fs, asked, clock } = await openForTest();
    await writeFile(fs, '/f', 'mine');
    await fs.setAttributes('/f', { mode: 0o600 });
    const { mtime } = await fs.getAttributes('/f');
    clock.advance(TTL);
    asked();

    await names(fs, '/');

    expect(await fs.getAttributes('/f')).toMatchObject({ mtime, mode: 0o600 });
    expect((await readFile(fs, '/f')).toString()).toBe('mine');
    expect(asked()).toEqual(['listObjects']);
  });

  it('keeps its time, and reads its bytes anew, when the ETag is no MD5 but size and time fit [attributes/own-upload]', async () => {
    const { fs, asked, clock } = await openForTest({ store: { behaviours: { etag: 'random' } } });
    await writeFile(fs, '/f', 'mine');
    const { mtime } = await fs.getAttributes('/f');
    clock.advance(TTL);
    await names(fs, '/');
    asked();

    expect((await fs.getAttributes('/f')).mtime).toBe(mtime);
    expect((await readFile(fs, '/f')).toString()).toBe('mine');
    expect(asked()).toEqual(['getObject f']);
  });

  it('is somebody else’s when another was stored in the same second with the same size', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await writeFile(fs, '/f', 'mine');
    await foreignWrite('f', 'them');
    clock.advance(TTL);

    expect((await readFile(fs, '/f')).toString()).toBe('them');
  });

  it('is somebody else’s when the service tells no time and no MD5', async () => {
    const { fs, clock, asked } = await openForTest({
      store: { behaviours: { etag: 'random', date: 'missing' } },
    });
    await writeFile(fs, '/f', 'mine');
    clock.advance(TTL);
    asked();

    expect((await readFile(fs, '/f')).toString()).toBe('mine');
    expect(asked()).toContain('getObject f');
  });

  it('tells its ETag when a program asks for it', async () => {
    const { fs, asked, direct, bucket } = await openForTest();
    await writeFile(fs, '/f', 'mine');
    asked();

    expect(await xattr(fs, '/f', 'user.pailfs.etag')).toBe((await direct.headObject(bucket, 'f')).etag);
    expect(asked()).toEqual(['headObject f']);
  });
});

describe('two handles on one file', () => {
  it('read the same draft, and go on with the new version after its upload [write/handles]', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('f', 'stored');
    const reader = await openToRead(fs, '/f');
    const writer = await openToRewrite(fs, '/f');

    await writeAt(fs, writer, 'draft');
    expect(await textAt(fs, reader)).toBe('draft');
    await fs.flush(writer);
    await fs.release(writer);
    asked();

    expect(await textAt(fs, reader)).toBe('draft');
    await fs.release(reader);
    expect((await readFile(fs, '/f')).toString()).toBe('draft');
    expect(asked()).toEqual([]);
  });

  it('merge what two writers put into different places', async () => {
    const { fs, foreignWrite, stored, asked } = await openForTest();
    await foreignWrite('f', 'aaaa');
    await names(fs, '/');
    asked();

    await Promise.all([edit(fs, '/f', 'B', 0), edit(fs, '/f', 'C', 3)]);

    expect((await stored('f')).toString()).toBe('BaaC');
    expect(asked().filter((line) => line.startsWith('getObject'))).toHaveLength(1);
  });
});
