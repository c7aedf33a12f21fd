/** What goes on by what a program has open in a bucket, and by no name? */
import { describe, expect, it } from 'vitest';
import { uploadOf } from '../../support/embedded-service.ts';
import { openAllForTest } from '../../support/open-all-for-test.ts';
import { readFile, writeFile } from '../../support/open-for-test.ts';

const UPDATE = { read: true, write: true, truncate: false };

describe('a file of a bucket that is deleted while it is open', () => {
  it('is cut, changed and looked at by what is open, and never the one that took its name', async () => {
    const { fs } = await openAllForTest();
    await writeFile(fs, '/photos/f', 'the first');
    const handle = await fs.open('/photos/f', UPDATE);
    await fs.unlink('/photos/f');
    await writeFile(fs, '/photos/f', 'second');

    await fs.truncate('/photos/f', 3, handle);
    await fs.setAttributes('/photos/f', { mode: 0o600 }, handle);
    const [open, named] = [await fs.getAttributes('/photos/f', handle), await fs.getAttributes('/photos/f')];

    expect([open.size, open.mode & 0o777]).toEqual([3, 0o600]);
    expect([named.size, named.mode & 0o777]).toEqual([6, 0o644]);
    expect((await readFile(fs, '/photos/f')).toString()).toBe('second');
    await fs.release(handle);
  });
});

describe('a write in a bucket', () => {
  it('gives back the memory of its bytes, once it needs them no more', async () => {
    const { fs } = await openAllForTest();
    await writeFile(fs, '/photos/f', 'x');
    const handle = await fs.open('/photos/f', UPDATE);
    let freed = 0;
    await fs.write(handle, Buffer.from('bytes'), 0, () => {
      freed += 1;
    });
    await fs.flush(handle);
    await fs.release(handle);

    expect(freed).toBe(1);
  });

  it('by a shell replaces what is there with one upload: its first close stores no empty file', async () => {
    const pail = await openAllForTest();
    await pail.direct.putObject(pail.bucket, 'f', uploadOf('before'));
    const handle = await pail.fs.open('/photos/f', { read: false, write: true, truncate: true });
    pail.asked();
    await pail.fs.flush(handle, () => Promise.resolve(true));
    const first = pail.asked();
    await pail.fs.write(handle, Buffer.from('after'), 0);
    await pail.fs.flush(handle, () => Promise.resolve(false));
    await pail.fs.release(handle);

    expect(first).not.toContain('putObject');
    expect(pail.asked().filter((one) => one === 'putObject')).toHaveLength(1);
  });

  it('by a shell makes a file with one upload: it is known to close it once more', async () => {
    const pail = await openAllForTest();
    const intent = { read: false, write: true, truncate: true, exclusive: false, mode: 0o644 };
    const handle = await pail.fs.create('/photos/f', intent);
    await pail.fs.flush(handle, () => Promise.resolve(true));
    await pail.fs.write(handle, Buffer.from('text'), 0);
    await pail.fs.flush(handle, () => Promise.resolve(false));
    await pail.fs.release(handle);

    expect(pail.asked().filter((one) => one === 'putObject')).toHaveLength(1);
  });
});

describe('a bucket', () => {
  it('keeps its name, and one that is not there is missing', async () => {
    const { fs } = await openAllForTest({ others: ['second'] });
    await writeFile(fs, '/second/f', 'x');

    await expect(fs.rename('/photos', '/third', false)).rejects.toMatchObject({ code: 'EPERM' });
    await expect(fs.rename('/nothing', '/third', false)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.rename('/second/f', '/second', false)).rejects.toMatchObject({ code: 'EXDEV' });
  });

  it('replaces none of its files by a rename that is not to', async () => {
    const { fs } = await openAllForTest();
    for (const name of ['a', 'b']) await writeFile(fs, `/photos/${name}`, name);

    await expect(fs.rename('/photos/a', '/photos/b', true)).rejects.toMatchObject({ code: 'EEXIST' });
    expect((await readFile(fs, '/photos/b')).toString()).toBe('b');
  });

  it('is there, and no file, to who makes a file of its name', async () => {
    const { fs } = await openAllForTest();
    const make = (exclusive: boolean): Promise<unknown> =>
      fs.create('/photos', { read: false, write: true, truncate: false, exclusive, mode: 0o644 });

    await expect(make(true)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(false)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('gives a folder to whose program makes it', async () => {
    const { fs } = await openAllForTest();
    await fs.mkdir('/photos/d', 0o750, { uid: 1234, gid: 5678 });

    expect(await fs.getAttributes('/photos/d')).toMatchObject({ uid: 1234, gid: 5678 });
  });

  it('says of a value that is to be new that there is one', async () => {
    const { fs } = await openAllForTest();
    await writeFile(fs, '/photos/f', 'x');
    const set = fs.setXattr('/photos/f', 'user.mime_type', Buffer.from('text/css'), 'create');

    await expect(set).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
