/** SEMANTICS: a file that waits here is reached through its folders, also when nobody can be asked about these any more. */
import { describe, expect, it } from 'vitest';
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

  it('costs no question about its folders [errors/away]', async () => {
    const { fs, asked, clock } = await awayWithWaiting(writeBack);
    const isQuestion = (line: string): boolean => /^(list|head)/.test(line);
    asked();

    await fs.getAttributes('/a');
    await fs.getAttributes('/a/b');
    clock.advance(LONG);
    await fs.getAttributes('/a/b');

    expect(asked().filter(isQuestion)).toEqual([]);
  });

  it('tells nothing of other folders, nor what else is in its own [errors/away]', async () => {
    const { fs } = await awayWithWaiting(writeBack);

    expect(await errnoOfCall(fs.getAttributes('/other'))).toBe('EIO');
    expect(await errnoOfCall(fs.getAttributes('/a/bc'))).toBe('EIO');
    expect(await errnoOfCall(fs.getAttributes('/a/b/g'))).toBe('EIO');
    expect(await errnoOfCall(names(fs, '/a/b'))).toBe('EIO');
  });
});

describe('a file that is being written', () => {
  it('keeps its folder in sight when others have removed everything in that', async () => {
    const { fs, foreignWrite, direct, bucket, clock, stored } = await openForTest();
    await foreignWrite('d/f', 'old');
    await names(fs, '/d');
    const handle = await openToRewrite(fs, '/d/new');
    await writeAt(fs, handle, 'mine');
    await direct.deleteObject(bucket, 'd/f');
    clock.advance(LONG);

    expect(await fs.getAttributes('/d')).toMatchObject({ kind: 'folder' });
    expect(await names(fs, '/d')).toEqual(['new']);
    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('d/new')).toString()).toBe('mine');
  });

  it('is the end of its folder when it was the last that kept it', async () => {
    const { fs, foreignWrite, direct, bucket, clock, faults } = await openForTest();
    await foreignWrite('d/f', 'old');
    await names(fs, '/d');
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 }, times: Infinity });
    const handle = await openToRewrite(fs, '/d/new');
    await writeAt(fs, handle, 'mine');
    await direct.deleteObject(bucket, 'd/f');
    clock.advance(LONG);
    expect(await fs.getAttributes('/d')).toMatchObject({ kind: 'folder' });

    expect(await errnoOfCall(fs.flush(handle))).toBe('EACCES');
    await fs.release(handle);

    expect(await errnoOfCall(fs.getAttributes('/d'))).toBe('ENOENT');
  });
});
