/** SEMANTICS: a file that waits here is reached through its folders, also when nobody can be asked about these any more. */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';

/** Longer than names are trusted. */
const LONG = 60_000;

/** `/a/b/f` was closed here, and nobody answers any more. */
async function awayWithWaiting(writeBack: boolean): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings: { writeBack } });
  await scene.foreignWrite('a/b/f', 'old');
  await scene.foreignWrite('other/f', 'old');
  for (const folder of ['/', '/a', '/a/b', '/other']) await names(scene.fs, folder);
  scene.faults.add({ fault: { kind: 'status', status: 503 }, times: Infinity });
  expect(await errnoOfCall(writeFile(scene.fs, '/a/b/f', 'waits'))).toBe(writeBack ? 'none' : 'EIO');
  scene.clock.advance(LONG);
  return scene;
}

describe.each([
  ['written through', false],
  ['written back', true],
])('a file %s that waits while the service is away', (_how, writeBack) => {
  it('is found, read, and changed after its folders are trusted no more [errors/away]', async () => {
    const { fs, faults, stored, mounted } = await awayWithWaiting(writeBack);

    expect(await fs.getAttributes('/a')).toMatchObject({ kind: 'folder' });
    expect(await fs.getAttributes('/a/b')).toMatchObject({ kind: 'folder' });
    expect(await fs.getAttributes('/a/b/f')).toMatchObject({ kind: 'file', size: 5 });
    expect((await readFile(fs, '/a/b/f')).toString()).toBe('waits');
    await fs.setAttributes('/a/b', { mode: 0o700 });
    expect(await fs.getAttributes('/a/b')).toMatchObject({ mode: 0o700 });
    const handle = await openToEdit(fs, '/a/b/f');
    await writeAt(fs, handle, '!', 5);
    faults.clear();
    await fs.fsync(handle);
    await fs.release(handle);

    expect((await stored('a/b/f')).toString()).toBe('waits!');
    expect(await mounted.unsent.list()).toEqual([]);
  });

  it('is removed as any other: with write-back at once, else not before the service answers [errors/away]', async () => {
    const { fs, faults, direct, bucket, mounted } = await awayWithWaiting(writeBack);
    await fs.getAttributes('/a/b');

    expect(await errnoOfCall(fs.unlink('/a/b/f'))).toBe(writeBack ? 'none' : 'EIO');
    expect(await errnoOfCall(fs.getAttributes('/a/b/f'))).toBe(writeBack ? 'ENOENT' : 'none');
    faults.clear();
    if (writeBack) await drained(mounted);
    else await fs.unlink('/a/b/f');

    await expect(direct.headObject(bucket, 'a/b/f')).rejects.toMatchObject({ kind: 'missing' });
    expect(await mounted.unsent.list()).toEqual([]);
  });

  it('tells nothing of other folders, nor what else is in its own [errors/away]', async () => {
    const { fs } = await awayWithWaiting(writeBack);

    expect(await errnoOfCall(fs.getAttributes('/other'))).toBe('EIO');
    expect(await errnoOfCall(fs.getAttributes('/a/bc'))).toBe('EIO');
    expect(await errnoOfCall(fs.getAttributes('/a/b/g'))).toBe('EIO');
    expect(await errnoOfCall(names(fs, '/a/b'))).toBe('EIO');
  });
});

describe('a folder in which a file is written', () => {
  it('is what the service says it is, once it answers', async () => {
    const { fs, foreignWrite, direct, bucket, clock } = await openForTest();
    await foreignWrite('d/f', 'old');
    await names(fs, '/d');
    const handle = await openToRewrite(fs, '/d/new');
    await writeAt(fs, handle, 'mine');
    await direct.deleteObject(bucket, 'd/f');
    clock.advance(LONG);

    expect(await errnoOfCall(fs.getAttributes('/d'))).toBe('ENOENT');
    await fs.flush(handle);
    await fs.release(handle);
    expect(await fs.getAttributes('/d')).toMatchObject({ kind: 'folder' });
  });

  it('is refused as all others where the service refuses who asks', async () => {
    const { fs, faults } = await awayWithWaiting(false);
    faults.clear();
    faults.add({ fault: { kind: 'status', status: 403 }, times: Infinity });

    expect(await errnoOfCall(fs.getAttributes('/a/b'))).toBe('EACCES');
  });
});
