/** SEMANTICS: a file is renamed while a program writes to it: the stored file moves, and what is half written stays with its program. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { edit, openToEdit, openToRewrite, setXattr, textAt, writeAt } from '../support/program-acts.ts';
import { textsOf, withStoredFile } from '../support/stored-state.ts';

const MODES = [{ writeBack: false }, { writeBack: true }];

describe.each(MODES)('a stored file renamed while a program writes to it, writeBack: $writeBack', (mode) => {
  it.each([
    { how: 'edits it in place', open: openToEdit, half: 'halfold', whole: 'wholend' },
    { how: 'writes it anew', open: openToRewrite, half: 'half', whole: 'wholenew' },
  ])(
    'who $how has it along, and the service the stored version, until the close [rename/handles]',
    async ({ open, half, whole }) => {
      const scene = await withStoredFile(mode);
      const { fs, stored, mounted } = scene;
      const handle = await open(fs, '/f');
      await writeAt(fs, handle, 'half');

      await fs.rename('/f', '/g', false);

      expect(await textsOf(scene)).toEqual({ g: 'wholeold' });
      expect(await names(fs, '/')).toEqual(['g']);
      expect(handle.path).toBe('/g');
      expect((await readFile(fs, '/g')).toString()).toBe(half === 'half' ? 'half' : 'halfeold');
      await writeAt(fs, handle, whole);
      await fs.flush(handle);
      await fs.release(handle);
      await drained(mounted);
      expect((await stored('g')).toString()).toBe(whole === 'wholenew' ? whole : 'wholendd');
      expect(await textsOf(scene)).toEqual({ g: (await stored('g')).toString() });
      expect((await fs.getAttributes('/g')).mode).toBe(0o640);
    },
  );

  it('over another file replaces that at once, and the close then stores the rest [rename/handles]', async () => {
    const scene = await withStoredFile(mode);
    const { fs, mounted } = scene;
    await scene.foreignWrite('g', 'other');
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'half');

    await fs.rename('/f', '/g', false);

    expect(await textsOf(scene)).toEqual({ g: 'wholeold' });
    expect((await readFile(fs, '/g')).toString()).toBe('half');
    await writeAt(fs, handle, ' and whole', 4);
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ g: 'half and whole' });
  });

  it('is whole under its new name after a kill before the close, and the half is set aside there [rename/crash] [crash/half]', async () => {
    const scene = await withStoredFile(mode);
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'half');
    await scene.fs.rename('/f', '/g', false);

    const next = await mountOver(await diskNow(scene), scene);
    await drained(next);

    expect(await textsOf(scene)).toEqual({ g: 'wholeold' });
    expect((await readFile(next.operations, '/g')).toString()).toBe('wholeold');
    expect(next.setAside.map(({ key }) => key)).toEqual(['g']);
    await scene.fs.release(handle);
  });

  it('keeps what was set on the draft for the close, and its link [visibility/rename] [xattr/draft]', async () => {
    const scene = await withStoredFile(mode);
    const { fs, direct, bucket, mounted } = scene;
    await direct.setVisibility(bucket, 'f', 'public');
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'half');
    await setXattr(fs, '/f', 'user.mime_type', 'text/x-own');

    await fs.rename('/f', '/g', false);

    expect((await direct.getVisibility(bucket, 'g')).visibility).toBe('public');
    expect((await direct.headObject(bucket, 'g')).contentType).not.toBe('text/x-own');
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect((await direct.getVisibility(bucket, 'g')).visibility).toBe('public');
    expect((await direct.headObject(bucket, 'g')).contentType).toBe('text/x-own');
  });

  it('that others have deleted goes along with its program, and is stored by the close [write/edit-deleted]', async () => {
    const scene = await withStoredFile(mode);
    const { fs, direct, bucket, mounted } = scene;
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'half');
    await direct.deleteObject(bucket, 'f');

    await fs.rename('/f', '/g', false);

    expect(await textsOf(scene)).toEqual({});
    expect(await textAt(fs, handle)).toBe('halfeold');
    expect(await names(fs, '/')).toEqual(['g']);
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ g: 'halfeold' });
  });

  it('that others have deleted keeps the type that it had [write/edit-deleted] [rename/type]', async () => {
    const scene = await openForTest({ settings: mode });
    const { fs, direct, bucket, mounted } = scene;
    await scene.foreignWrite('f.txt', 'wholeold', 'text/x-own');
    const handle = await openToEdit(fs, '/f.txt');
    await writeAt(fs, handle, 'half');
    await direct.deleteObject(bucket, 'f.txt');

    await fs.rename('/f.txt', '/g.txt', false);

    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect((await direct.headObject(bucket, 'g.txt')).contentType).toBe('text/x-own');
  });

  it('in a folder that is renamed is whole there, too, until the close [rename/folders]', async () => {
    const scene = await openForTest({ settings: mode });
    const { fs, mounted } = scene;
    await scene.foreignWrite('d/f', 'wholeold');
    const handle = await openToRewrite(fs, '/d/f');
    await writeAt(fs, handle, 'half');

    await fs.rename('/d', '/e', false);

    expect(await textsOf(scene)).toEqual({ 'e/f': 'wholeold' });
    expect((await readFile(fs, '/e/f')).toString()).toBe('half');
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ 'e/f': 'half' });
  });

  it('is as before when the rename fails, and its close stores it [rename/undo]', async () => {
    const scene = await withStoredFile(mode);
    const { fs, faults, mounted } = scene;
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'half');
    faults.add({ operation: 'deleteObject', key: 'f', fault: { kind: 'status', status: 403 } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EACCES' });

    expect(await textsOf(scene)).toEqual({ f: 'wholeold' });
    expect((await readFile(fs, '/f')).toString()).toBe('half');
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ f: 'half' });
  });
});

describe('with write-back, a file whose promised content waits, renamed while a program writes it anew', () => {
  it.each(['old', null])(
    'is stored with what the close has promised, after a kill too; stored before: %s [write-back/rename] [write-back/crash]',
    async (before) => {
      const scene = await openForTest({ settings: { writeBack: true } });
      const { fs } = scene;
      if (before !== null) await scene.foreignWrite('f', before);
      await writeFile(fs, '/f', 'promised');
      const handle = await openToRewrite(fs, '/f');
      await writeAt(fs, handle, 'half');

      await fs.rename('/f', '/g', false);

      expect((await readFile(fs, '/g')).toString()).toBe('half');
      const next = await mountOver(await diskNow(scene), scene);
      expect((await readFile(next.operations, '/g')).toString()).toBe('promised');
      await drained(next);
      expect(await textsOf(scene)).toEqual({ g: 'promised' });
      await next.close({ patience: 1000 });
      await fs.flush(handle);
      await fs.release(handle);
      await drained(scene.mounted);
      expect(await textsOf(scene)).toEqual({ g: 'half' });
    },
  );

  it('an edit of what was promised goes on from it under the new name [write-back/newest]', async () => {
    const scene = await withStoredFile({ writeBack: true });
    const { fs } = scene;
    await writeFile(fs, '/f', 'promised');
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'P');

    await fs.rename('/f', '/g', false);

    expect(await textsOf(scene)).toEqual({ g: 'promised' });
    await fs.flush(handle);
    await fs.release(handle);
    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ g: 'Promised' });
  });
});

it('a file whose upload has an unknown end, written to since, is renamed as the service has it [rename/handles] [write/unknown]', async () => {
  for (const kind of ['lost-answer', 'reset'] as const) {
    const scene = await withStoredFile({ writeBack: false });
    const { fs, faults } = scene;
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'closed');
    faults.add({ operation: 'putObject', fault: { kind } });
    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'EIO' });
    await writeAt(fs, handle, 'CL');

    await fs.rename('/f', '/g', false);

    expect(await textsOf(scene)).toEqual({ g: kind === 'reset' ? 'wholeold' : 'closed' });
    await fs.flush(handle);
    await fs.release(handle);
    expect(await textsOf(scene)).toEqual({ g: 'CLosed' });
  }
});

it('a file never stored has no name on the service before its close [rename/draft]', async () => {
  const scene = await openForTest();
  const { fs } = scene;
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'half');

  await fs.rename('/f', '/g', false);

  expect(await textsOf(scene)).toEqual({});
  await edit(fs, '/g', 'H', 0);
  await fs.release(handle);
  expect(await textsOf(scene)).toEqual({ g: 'Half' });
});
