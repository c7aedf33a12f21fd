/** SEMANTICS: what a program sees when another machine changes the bucket. */
import { describe, expect, it } from 'vitest';
import { FIRST_WINDOW } from '../../src/content/read-plan.ts';
import { draftText } from '../support/draft-bytes.ts';
import { closing, names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import {
  LogForTest,
  edit,
  openToEdit,
  openToRead,
  openToRewrite,
  textAt,
  writeAt,
} from '../support/program-acts.ts';

const TTL = 10_000;

describe('a file that somebody else overwrites', () => {
  it('shows the old size and bytes within the TTL, the new ones after it [fresh/ttl]', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('f', 'old');
    await readFile(fs, '/f');
    await foreignWrite('f', 'newer');

    expect((await fs.getAttributes('/f')).size).toBe(3);
    expect((await readFile(fs, '/f')).toString()).toBe('old');
    clock.advance(TTL);

    expect((await fs.getAttributes('/f')).size).toBe(5);
    expect((await readFile(fs, '/f')).toString()).toBe('newer');
  });

  it('shows the current bytes at every open when metadata is never trusted [fresh/open]', async () => {
    const { fs, foreignWrite } = await openForTest({ settings: { metadataTtl: 0 } });
    for (const content of ['one', 'two!', 'three']) {
      await foreignWrite('f', content);

      expect((await readFile(fs, '/f')).toString()).toBe(content);
    }
  });

  it('shows them at once after a refresh [fresh/refresh]', async () => {
    const { fs, foreignWrite, mounted } = await openForTest();
    await foreignWrite('f', 'old');
    await readFile(fs, '/f');
    await foreignWrite('f', 'newer');

    mounted.refresh('/');

    expect((await readFile(fs, '/f')).toString()).toBe('newer');
  });

  it('is ESTALE to an open handle that has not got its bytes, and the name leads to the new file at once [fresh/no-mixing]', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('f', 'old');
    const handle = await openToRead(fs, '/f');
    await foreignWrite('f', 'newer');

    await expect(textAt(fs, handle)).rejects.toMatchObject({
      code: 'ESTALE',
      path: '/f',
      reason: 'the file was replaced while it was open',
    });
    expect((await readFile(fs, '/f')).toString()).toBe('newer');
    await expect(textAt(fs, handle)).rejects.toMatchObject({ code: 'ESTALE' });
    await fs.release(handle);
  });

  it('stays readable through an open handle when all of it is cached [fresh/no-mixing]', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('f', 'old');
    const handle = await openToRead(fs, '/f');
    await textAt(fs, handle);
    await foreignWrite('f', 'newer');
    clock.advance(TTL);
    await names(fs, '/');

    expect(await textAt(fs, handle)).toBe('old');
    expect((await readFile(fs, '/f')).toString()).toBe('newer');
    await fs.release(handle);
  });

  it('never mixes two versions in one handle [fresh/no-mixing]', async () => {
    const { fs, foreignWrite } = await openForTest();
    const size = 4 * FIRST_WINDOW;
    await foreignWrite('f', patternedBytes(size, 1));
    const handle = await openToRead(fs, '/f');
    await fs.read(handle, Buffer.alloc(10), 0);
    await foreignWrite('f', patternedBytes(size, 2));

    await expect(fs.read(handle, Buffer.alloc(10), 3 * FIRST_WINDOW)).rejects.toMatchObject({
      code: 'ESTALE',
    });
    await fs.release(handle);
  });
});

describe('names that somebody else makes and deletes', () => {
  it('come and go when the TTL is over [fresh/ttl]', async () => {
    const { fs, foreignWrite, direct, bucket, clock } = await openForTest();
    await foreignWrite('a', '');
    expect(await names(fs, '/')).toEqual(['a']);
    await foreignWrite('b/c', '');
    await direct.deleteObject(bucket, 'a');

    expect(await names(fs, '/')).toEqual(['a']);
    await expect(fs.getAttributes('/b')).rejects.toMatchObject({ code: 'ENOENT' });
    clock.advance(TTL);

    expect(await names(fs, '/')).toEqual(['b']);
    expect((await fs.getAttributes('/b')).kind).toBe('folder');
    await expect(fs.getAttributes('/a')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('make a read of a deleted file ESTALE, and its name missing [fresh/no-mixing]', async () => {
    const { fs, foreignWrite, direct, bucket } = await openForTest();
    await foreignWrite('f', 'x');
    const handle = await openToRead(fs, '/f');
    await direct.deleteObject(bucket, 'f');

    await expect(textAt(fs, handle)).rejects.toMatchObject({
      code: 'ESTALE',
      reason: 'the file was deleted while it was open',
    });
    await expect(fs.getAttributes('/f')).rejects.toMatchObject({ code: 'ENOENT' });
    await fs.release(handle);
  });

  it('turn a file into a folder and back', async () => {
    const { fs, foreignWrite, direct, bucket, clock } = await openForTest();
    await foreignWrite('x', '');
    expect((await fs.getAttributes('/x')).kind).toBe('file');
    await direct.deleteObject(bucket, 'x');
    await foreignWrite('x/y', '');
    clock.advance(TTL);
    expect((await fs.getAttributes('/x')).kind).toBe('folder');
    await direct.deleteObject(bucket, 'x/y');
    await foreignWrite('x', '');
    clock.advance(TTL);

    expect((await fs.getAttributes('/x')).kind).toBe('file');
  });
});

describe('a file that is being written here when somebody else stores it', () => {
  it('is ESTALE at the close of an edit in place with conflict=fail; the edit is set aside and the log says where [conflict/setting]', async () => {
    const log = new LogForTest();
    const { fs, foreignWrite, stored } = await openForTest({ log, settings: { conflict: 'fail' } });
    await foreignWrite('f', 'base');
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'mine', 0);
    await foreignWrite('f', 'theirs');

    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'ESTALE' });
    expect(await textAt(fs, handle)).toBe('mine');
    await fs.release(handle);

    expect((await stored('f')).toString()).toBe('theirs');
    expect((await readFile(fs, '/f')).toString()).toBe('theirs');
    const [line] = log.about('set aside');
    expect(await draftText(String(line?.fields['where']))).toBe('mine');
  });

  it('is kept beside theirs also when it was stored while the visibility was asked for [conflict/keep-both]', async () => {
    const { fs, service, stored, foreignWrite } = await openForTest();
    await foreignWrite('f', 'base');
    const asks = service.getVisibility.bind(service);
    service.getVisibility = async (...call) => {
      const answer = await asks(...call);
      await foreignWrite('f', 'theirs');
      return answer;
    };

    await edit(fs, '/f', 'mine', 0);

    const [copy = ''] = (await names(fs, '/')).filter((name) => name !== 'f');
    expect((await stored('f')).toString()).toBe('theirs');
    expect((await stored(copy)).toString()).toBe('mine');
  });

  it('goes to the whole rewrite, which is last [write/rewrite-wins]', async () => {
    const { fs, foreignWrite, stored } = await openForTest();
    await foreignWrite('f', 'base');
    const handle = await openToRewrite(fs, '/f');
    await closing(fs, handle, async () => {
      await writeAt(fs, handle, 'mine');
      await foreignWrite('f', 'theirs');
    });

    expect((await stored('f')).toString()).toBe('mine');
  });

  it('is stored anew when it was deleted meanwhile: nobody loses bytes [write/edit-deleted]', async () => {
    const { fs, foreignWrite, stored, direct, bucket } = await openForTest();
    await foreignWrite('f', 'base');
    const handle = await openToEdit(fs, '/f');
    await closing(fs, handle, async () => {
      await writeAt(fs, handle, 'B');
      await direct.deleteObject(bucket, 'f');
    });

    expect((await stored('f')).toString()).toBe('Base');
  });

  it('is ESTALE at the first write when the base is gone before it was fetched [write/edit]', async () => {
    const { fs, foreignWrite, stored } = await openForTest();
    await foreignWrite('f', 'base');
    const handle = await openToEdit(fs, '/f');
    await foreignWrite('f', 'theirs');

    await expect(writeAt(fs, handle, 'x')).rejects.toMatchObject({ code: 'ESTALE' });
    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('f')).toString()).toBe('theirs');
    await edit(fs, '/f', 'T', 0);
    expect((await stored('f')).toString()).toBe('Theirs');
  });

  it('shows what was written last through a handle whose name had gone to another version', async () => {
    const { fs, foreignWrite, clock, stored } = await openForTest();
    await foreignWrite('f', 'base');
    const old = await openToEdit(fs, '/f');
    await foreignWrite('f', 'theirs');
    clock.advance(TTL);
    expect((await readFile(fs, '/f')).toString()).toBe('theirs');

    await fs.truncate('/f', 0, old);
    await writeAt(fs, old, 'mine');
    expect((await readFile(fs, '/f')).toString()).toBe('mine');
    await fs.flush(old);
    await fs.release(old);

    expect((await stored('f')).toString()).toBe('mine');
    expect((await readFile(fs, '/f')).toString()).toBe('mine');
  });

  it('is set aside when it could not be stored and its name shows another draft by then [write/passing-fault]', async () => {
    const log = new LogForTest();
    const { fs, foreignWrite, clock, stored, store } = await openForTest({ log });
    await foreignWrite('f', 'base');
    const old = await openToEdit(fs, '/f');
    await foreignWrite('f', 'theirs');
    clock.advance(TTL);
    const current = await openToRewrite(fs, '/f');
    await writeAt(fs, current, 'current');
    await fs.truncate('/f', 0, old);
    await writeAt(fs, old, 'from the old handle');
    store.changeAccount({ gracePeriod: true });

    await expect(fs.flush(old)).rejects.toMatchObject({ code: 'EDQUOT' });
    await fs.release(old);
    expect(await draftText(String(log.about('set aside')[0]?.fields['where']))).toBe('from the old handle');
    store.changeAccount({ gracePeriod: false });
    await fs.flush(current);
    await fs.release(current);

    expect((await stored('f')).toString()).toBe('current');
  });

  it('does not upload the same bytes over somebody else as if nothing had changed', async () => {
    const { fs, foreignWrite, stored, clock } = await openForTest();
    await foreignWrite('f', 'same');
    await readFile(fs, '/f');
    await foreignWrite('f', 'else');
    clock.advance(TTL);

    await writeFile(fs, '/f', 'same');

    expect((await stored('f')).toString()).toBe('same');
  });
});
