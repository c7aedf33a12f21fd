/** Does a program get of files what §4.6 to §4.10 promise? */
import { describe, expect, it } from 'vitest';
import { names, readFile, writeFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { errnoOfCall, openToRead, textAt, xattr } from '../support/program-acts.ts';
import { openScene, SERVICES } from './scene.ts';

describe.each(SERVICES)('files of %s', (_service, behaviours) => {
  it('are stored as a program wrote them', async () => {
    const { fs, stored } = await openScene(behaviours);

    await writeFile(fs, '/f', patternedBytes(300_000));

    expect((await stored('f')).equals(patternedBytes(300_000))).toBe(true);
  });

  it('keep the type that came with their bytes', async () => {
    const { fs, direct, bucket, foreignWrite } = await openScene(behaviours);
    await foreignWrite('theirs', 'x', 'image/png');

    await writeFile(fs, '/mine.html', '<p>');

    expect(await xattr(fs, '/theirs', 'user.mime_type')).toBe('image/png');
    expect((await direct.headObject(bucket, 'mine.html')).contentType).toBe('text/html');
  });

  it('are read as they were stored', async () => {
    const { fs, foreignWrite } = await openScene(behaviours);
    await foreignWrite('f', patternedBytes(300_000));

    expect((await readFile(fs, '/f')).equals(patternedBytes(300_000))).toBe(true);
  });

  it('show size and type where no listing has told them', async () => {
    const { fs, foreignWrite } = await openScene(behaviours);
    await foreignWrite('d/f', 'twelve bytes', 'image/png');

    const type = await xattr(fs, '/d/f', 'user.mime_type');

    expect(type).toBe('image/png');
    expect((await fs.getAttributes('/d/f')).size).toBe(12);
  });

  it('tell their type with their bytes', async () => {
    const { fs, foreignWrite, requests } = await openScene(behaviours);
    await foreignWrite('f', 'x', 'image/png');
    await names(fs, '/');

    await readFile(fs, '/f');

    expect(await xattr(fs, '/f', 'user.mime_type')).toBe('image/png');
    expect(requests.count('headObject')).toBe(0);
  });

  it('are missing where the service has none', async () => {
    const { fs } = await openScene(behaviours);

    expect(await errnoOfCall(fs.getAttributes('/none'))).toBe('ENOENT');
  });

  it('cannot be read any more when somebody has deleted them', async () => {
    const { fs, foreignWrite, direct, bucket, forget } = await openScene(behaviours);
    await foreignWrite('f', 'x');
    await names(fs, '/');
    await direct.deleteObject(bucket, 'f');

    const read = async (): Promise<string> => textAt(fs, await openToRead(fs, '/f'));
    const believed = await errnoOfCall(read());
    forget();
    const asked = await errnoOfCall(read());

    expect([believed, asked]).toEqual(['ESTALE', 'ENOENT']);
  });

  it('are gone for everybody when a program deletes them', async () => {
    const { fs, foreignWrite, direct, bucket } = await openScene(behaviours);
    await foreignWrite('f', 'x');

    await fs.unlink('/f');

    await expect(direct.headObject(bucket, 'f')).rejects.toMatchObject({ kind: 'missing' });
  });

  it('can be deleted when somebody else was faster', async () => {
    const { fs, foreignWrite, direct, bucket } = await openScene(behaviours);
    await foreignWrite('f', 'x');
    await names(fs, '/');
    await direct.deleteObject(bucket, 'f');

    expect(await errnoOfCall(fs.unlink('/f'))).toBe('none');
  });

  it('cannot be stored in a grace period: EDQUOT, and the old bytes stay', async () => {
    const { fs, foreignWrite, stored, store } = await openScene(behaviours);
    await foreignWrite('f', 'old');
    store.changeAccount({ gracePeriod: true });

    const errno = await errnoOfCall(writeFile(fs, '/f', 'new'));
    store.changeAccount({ gracePeriod: false });

    expect(errno).toBe('EDQUOT');
    expect((await stored('f')).toString()).toBe('old');
  });
});

describe.each(SERVICES)('folders of %s', (_service, behaviours) => {
  it('are made for others, too', async () => {
    const { fs, forget } = await openScene(behaviours);

    await fs.mkdir('/d', 0o755);
    forget();

    expect(await names(fs, '/')).toEqual(['d']);
    expect(await names(fs, '/d')).toEqual([]);
  });

  it('are made in folders, too', async () => {
    const { fs, forget } = await openScene(behaviours);

    await fs.mkdir('/d', 0o755);
    await fs.mkdir('/d/e', 0o755);
    forget();

    expect(await names(fs, '/d')).toEqual(['e']);
  });

  it('are there for every file that is stored in them', async () => {
    const { fs, foreignWrite } = await openScene(behaviours);

    await foreignWrite('a/b/f', 'x');

    expect(await names(fs, '/')).toEqual(['a']);
    expect(await names(fs, '/a')).toEqual(['b']);
    expect(await names(fs, '/a/b')).toEqual(['f']);
  });
});
