/** SEMANTICS: what an ordinary program does all day. */
import { describe, expect, it } from 'vitest';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';

describe('a program', () => {
  it('lists a bucket with one request a page and reads a small file with one more', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('a.txt', 'hello');
    await foreignWrite('folder/b.txt', 'world');

    expect(await names(fs, '/')).toEqual(['a.txt', 'folder']);
    expect(asked()).toEqual(['listObjects']);
    expect((await fs.getAttributes('/a.txt')).size).toBe(5);
    expect((await readFile(fs, '/a.txt')).toString()).toBe('hello');
    expect(asked()).toEqual(['getObject a.txt']);
    expect((await readFile(fs, '/a.txt')).toString()).toBe('hello');
    expect(asked()).toEqual([]);
  });

  it('stores a new file at close with one PUT, in a listed folder', async () => {
    const { fs, asked, stored } = await openForTest();
    await names(fs, '/');
    asked();

    await writeFile(fs, '/new.txt', 'content');

    expect(asked()).toEqual(['putObject new.txt']);
    expect((await stored('new.txt')).toString()).toBe('content');
    expect((await readFile(fs, '/new.txt')).toString()).toBe('content');
    expect(await names(fs, '/')).toEqual(['new.txt']);
    expect(asked()).toEqual([]);
  });

  it('rewrites, appends, renames and removes', async () => {
    const { fs, asked, stored, foreignWrite } = await openForTest();
    await foreignWrite('f', 'one');
    await names(fs, '/');
    asked();

    await writeFile(fs, '/f', 'two');
    expect(asked()).toEqual(['getVisibility f', 'putObject f']);
    const handle = await fs.open('/f', { read: true, write: true, truncate: false });
    await fs.write(handle, Buffer.from(' more'), 3);
    await fs.flush(handle);
    await fs.release(handle);
    expect(asked()).toEqual(['headObject f', 'putObject f']);
    expect((await stored('f')).toString()).toBe('two more');
    await fs.rename('/f', '/g', false);
    expect(asked()).toEqual(['putObject g', 'deleteObject f']);
    expect((await stored('g')).toString()).toBe('two more');
    await fs.unlink('/g');
    expect(asked()).toEqual(['deleteObject g']);
    expect(await names(fs, '/')).toEqual([]);
    expect(asked()).toEqual([]);
  });

  it('makes and removes folders', async () => {
    const { fs, asked } = await openForTest();
    await fs.mkdir('/d', 0o755);
    await writeFile(fs, '/d/x', 'x');
    asked();

    await expect(fs.rmdir('/d')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    await fs.unlink('/d/x');
    await fs.rmdir('/d');

    expect(await names(fs, '/')).toEqual([]);
  });

  it('keeps the public link over a rewrite', async () => {
    const { fs, asked, direct, bucket } = await openForTest();
    await writeFile(fs, '/p', 'old');
    await fs.setXattr('/p', 'user.pailfs.visibility', Buffer.from('public'), 'any');
    asked();

    await writeFile(fs, '/p', 'new');

    expect(asked()).toEqual(['putObject p', 'headObject p', 'setVisibility p']);
    expect((await direct.getVisibility(bucket, 'p')).visibility).toBe('public');
  });
});
