/** SEMANTICS: a file is renamed while a program writes to it: the stored file moves, and what is half written stays with its program. */
import { describe, expect, it } from 'vitest';
import { bytesUnder, namesBelow } from '../model/service-contents.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import {
  names,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { edit, openToEdit, openToRewrite, setXattr, textAt, writeAt } from '../support/program-acts.ts';

const MODES = [{ writeBack: false }, { writeBack: true }];

describe.each(MODES)('a stored file renamed while a program writes to it, writeBack: $writeBack', (mode) => {
  it.each([
    { how: 'edits it in place', open: openToEdit, half: 'halfold', whole: 'wholend' },
    { how: 'writes it anew', open: openToRewrite, half: 'half', whole: 'wholenew' },
  ])(
    'who $how has it along, and the service the stored version, until the close [rename/handles]',
    async ({ open, half, whole }) => {
      const scene = await withStored(mode);
      const { fs, stored, mounted } = scene;
      const handle = await open(fs, '/f');
      await writeAt(fs, handle, 'half');

      await fs.rename('/f', '/g', false);

      expect(await serviceOf(scene)).toEqual({ g: 'wholeold' });
      expect(await names(fs, '/')).toEqual(['g']);
      expect(handle.path).toBe('/g');
      expect((await readFile(fs, '/g')).toString()).toBe(half === 'half' ? 'half' : 'halfeold');
      await writeAt(fs, handle, whole);
      await fs.flush(handle);
      await fs.release(handle);
      await drained(mounted);
      expect((await stored('g')).toString()).toBe(whole === 'wholenew' ? whole : 'wholendd');
      expect(await serviceOf(scene)).toEqual({ g: (await stored('g')).toString() });
      expect((await fs.getAttributes('/g')).mode).toBe(0o640);
    },
  );

  it('over another file replaces that at once, and the close then stores the rest [rename/handles]', async () => {
    const scene = await withStored(mode);
    const { fs, mounted } = scene;
    await scene.foreignWrite('g', 'other');
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'half');

    await fs.rename('/f', '/g', false);

    expect(await serviceOf(scene)).toEqual({ g: 'wholeold' });
    expect((await readFile(fs, '/g')).toString()).toBe('half');
    await writeAt(fs, handle, ' and whole', 4);
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await serviceOf(scene)).toEqual({ g: 'half and whole' });
  });

  it('is whole under its new name after a kill before the close, and the half is set aside there [rename/crash] [crash/half]', async () => {
    const scene = await withStored(mode);
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'half');
    await scene.fs.rename('/f', '/g', false);

    const next = await mountOver(await diskNow(scene), scene);
    await drained(next);

    expect(await serviceOf(scene)).toEqual({ g: 'wholeold' });
    expect((await readFile(next.operations, '/g')).toString()).toBe('wholeold');
    expect(next.setAside.map(({ key }) => key)).toEqual(['g']);
    await scene.fs.release(handle);
  });

  it('keeps what was set on the draft for the close, and its link [visibility/rename] [xattr/draft]', async () => {
    const scene = await withStored(mode);
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
    const scene = await withStored(mode);
    const { fs, direct, bucket, mounted } = scene;
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'half');
    await direct.deleteObject(bucket, 'f');

    await fs.rename('/f', '/g', false);

    expect(await serviceOf(scene)).toEqual({});
    expect(await textAt(fs, handle)).toBe('halfeold');
    expect(await names(fs, '/')).toEqual(['g']);
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await serviceOf(scene)).toEqual({ g: 'halfeold' });
  });

  it('in a folder that is renamed is whole there, too, until the close [rename/folders]', async () => {
    const scene = await openForTest({ settings: mode });
    const { fs, mounted } = scene;
    await scene.foreignWrite('d/f', 'wholeold');
    const handle = await openToRewrite(fs, '/d/f');
    await writeAt(fs, handle, 'half');

    await fs.rename('/d', '/e', false);

    expect(await serviceOf(scene)).toEqual({ 'e/f': 'wholeold' });
    expect((await readFile(fs, '/e/f')).toString()).toBe('half');
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await serviceOf(scene)).toEqual({ 'e/f': 'half' });
  });

  it('is as before when the rename fails, and its close stores it [rename/undo]', async () => {
    const scene = await withStored(mode);
    const { fs, faults, mounted } = scene;
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'half');
    faults.add({ operation: 'deleteObject', key: 'f', fault: { kind: 'status', status: 403 } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EACCES' });

    expect(await serviceOf(scene)).toEqual({ f: 'wholeold' });
    expect((await readFile(fs, '/f')).toString()).toBe('half');
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await serviceOf(scene)).toEqual({ f: 'half' });
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
      expect(await serviceOf(scene)).toEqual({ g: 'promised' });
      await next.close({ patience: 1000 });
      await fs.flush(handle);
      await fs.release(handle);
      await drained(scene.mounted);
      expect(await serviceOf(scene)).toEqual({ g: 'half' });
    },
  );

  it('an edit of what was promised goes on from it under the new name [write-back/newest]', async () => {
    const scene = await withStored({ writeBack: true });
    const { fs } = scene;
    await writeFile(fs, '/f', 'promised');
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'P');

    await fs.rename('/f', '/g', false);

    expect(await serviceOf(scene)).toEqual({ g: 'promised' });
    await fs.flush(handle);
    await fs.release(handle);
    await drained(scene.mounted);
    expect(await serviceOf(scene)).toEqual({ g: 'Promised' });
  });
});

describe('with write-back, a file that was never closed renamed over one whose promised content waits', () => {
  it.each(['old', null])(
    'leaves the promise until its own close, also after a kill; stored before: %s [write-back/rename] [write-back/crash]',
    async (before) => {
      const scene = await openForTest({ settings: { writeBack: true } });
      const { fs } = scene;
      if (before !== null) await scene.foreignWrite('g', before);
      await writeFile(fs, '/g', 'promised');
      const handle = await openToRewrite(fs, '/new');
      await writeAt(fs, handle, 'half');

      await fs.rename('/new', '/g', false);

      expect((await readFile(fs, '/g')).toString()).toBe('half');
      expect(await names(fs, '/')).toEqual(['g']);
      const next = await mountOver(await diskNow(scene), scene);
      expect((await readFile(next.operations, '/g')).toString()).toBe('promised');
      await drained(next);
      expect(await serviceOf(scene)).toEqual({ g: 'promised' });
      await next.close({ patience: 1000 });
      await writeAt(fs, handle, ' and whole', 4);
      await fs.flush(handle);
      await fs.release(handle);
      await drained(scene.mounted);
      expect(await serviceOf(scene)).toEqual({ g: 'half and whole' });
      expect((await scene.mounted.close({ patience: 1000 })).map(({ path }) => path)).toEqual([]);
    },
  );

  it('that goes up in the background, and a kill after the close finds only what was closed [write-back/newest]', async () => {
    const scene = await withStored({ writeBack: true });
    const { fs, clock } = scene;
    await edit(fs, '/f', 'W', 0);
    const handle = await openToRewrite(fs, '/new');
    await writeAt(fs, handle, 'half');
    await fs.rename('/new', '/f', false);

    clock.advance(1000);

    await expect.poll(() => serviceOf(scene)).toEqual({ f: 'Wholeold' });
    await fs.flush(handle);
    await fs.release(handle);
    const next = await mountOver(await diskNow(scene), scene);
    await drained(next);
    expect(await serviceOf(scene)).toEqual({ f: 'half' });
  });

  it('that others have open stays theirs as it was [unlink/open]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    const { fs } = scene;
    await writeFile(fs, '/g', 'promised');
    const reader = await openToEdit(fs, '/g');
    const handle = await openToRewrite(fs, '/new');
    await writeAt(fs, handle, 'half');

    await fs.rename('/new', '/g', false);

    expect(await textAt(fs, reader)).toBe('promised');
    await writeAt(fs, reader, 'X');
    const next = await mountOver(await diskNow(scene), scene);
    expect((await readFile(next.operations, '/g')).toString()).toBe('promised');
    await next.close({ patience: 0, giveUp: AbortSignal.abort() });
    await fs.flush(reader);
    await fs.release(reader);
    expect((await readFile(fs, '/g')).toString()).toBe('half');
    await fs.flush(handle);
    await fs.release(handle);
    await drained(scene.mounted);
    expect(await serviceOf(scene)).toEqual({ g: 'half' });
  });

  it('while its close is under way takes the promise’s place, and no later mount brings that back [write-back/newest]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    const { fs } = scene;
    await writeFile(fs, '/g', 'promised');
    const handle = await openToRewrite(fs, '/new');
    await writeAt(fs, handle, 'newer');
    const closing = fs.flush(handle);

    await fs.rename('/new', '/g', false);

    await closing;
    await fs.release(handle);
    await drained(scene.mounted);
    const next = await mountOver(await diskNow(scene), scene);
    await drained(next);
    expect(await serviceOf(scene)).toEqual({ g: 'newer' });
    expect(next.setAside).toEqual([]);
  });

  it('over one whose next close is under way leaves what that promises, for a mount that is killed, too [write-back/newest]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    const { fs } = scene;
    await writeFile(fs, '/g', 'promised');
    const again = await openToRewrite(fs, '/g');
    await writeAt(fs, again, 'promised again');
    const handle = await openToRewrite(fs, '/new');
    await writeAt(fs, handle, 'half');
    const closing = fs.flush(again);

    await fs.rename('/new', '/g', false);

    await closing;
    const next = await mountOver(await diskNow(scene), scene);
    await drained(next);
    expect(await serviceOf(scene)).toEqual({ g: 'promised again' });
    await fs.release(again);
    await fs.release(handle);
  });

  it('and removed before its close takes both away', async () => {
    const scene = await withStored({ writeBack: true });
    const { fs } = scene;
    await writeFile(fs, '/f', 'promised');
    const handle = await openToRewrite(fs, '/new');
    await writeAt(fs, handle, 'half');
    await fs.rename('/new', '/f', false);

    await fs.unlink('/f');

    await fs.flush(handle);
    await fs.release(handle);
    await drained(scene.mounted);
    expect(await serviceOf(scene)).toEqual({});
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });
});

it('a file whose upload has an unknown end, written to since, is renamed as the service has it [rename/handles] [write/unknown]', async () => {
  for (const kind of ['lost-answer', 'reset'] as const) {
    const scene = await withStored({ writeBack: false });
    const { fs, faults } = scene;
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'closed');
    faults.add({ operation: 'putObject', fault: { kind } });
    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'EIO' });
    await writeAt(fs, handle, 'CL');

    await fs.rename('/f', '/g', false);

    expect(await serviceOf(scene)).toEqual({ g: kind === 'reset' ? 'wholeold' : 'closed' });
    await fs.flush(handle);
    await fs.release(handle);
    expect(await serviceOf(scene)).toEqual({ g: 'CLosed' });
  }
});

it('a file never stored has no name on the service before its close [rename/draft]', async () => {
  const scene = await openForTest();
  const { fs } = scene;
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'half');

  await fs.rename('/f', '/g', false);

  expect(await serviceOf(scene)).toEqual({});
  await edit(fs, '/g', 'H', 0);
  await fs.release(handle);
  expect(await serviceOf(scene)).toEqual({ g: 'Half' });
});

async function withStored(settings: TestOptions['settings'] = {}): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings });
  await scene.foreignWrite('f', 'wholeold');
  await scene.fs.setAttributes('/f', { mode: 0o640 });
  return scene;
}

async function serviceOf({ direct, bucket }: FileSystemForTest): Promise<Record<string, string>> {
  const { files } = await namesBelow(direct, bucket, '');
  const held: Record<string, string> = {};
  for (const key of [...files].sort())
    held[key] = (await bytesUnder(direct, bucket, key))?.toString() ?? 'nothing';
  return held;
}
