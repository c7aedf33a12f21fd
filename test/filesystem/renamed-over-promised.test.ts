/** SEMANTICS: with write-back, what a close has promised when a file that was never closed is renamed over it. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { edit, openToEdit, openToRewrite, textAt, writeAt } from '../support/program-acts.ts';
import { textsOf, withStoredFile } from '../support/stored-state.ts';

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
      expect(await textsOf(scene)).toEqual({ g: 'promised' });
      await next.close({ patience: 1000 });
      await writeAt(fs, handle, ' and whole', 4);
      await fs.flush(handle);
      await fs.release(handle);
      await drained(scene.mounted);
      expect(await textsOf(scene)).toEqual({ g: 'half and whole' });
      expect((await scene.mounted.close({ patience: 1000 })).map(({ path }) => path)).toEqual([]);
    },
  );

  it('that goes up in the background, and a kill after the close finds only what was closed [write-back/newest]', async () => {
    const scene = await withStoredFile({ writeBack: true });
    const { fs, clock } = scene;
    await edit(fs, '/f', 'W', 0);
    const handle = await openToRewrite(fs, '/new');
    await writeAt(fs, handle, 'half');
    await fs.rename('/new', '/f', false);

    clock.advance(1000);

    await expect.poll(() => textsOf(scene)).toEqual({ f: 'Wholeold' });
    await fs.flush(handle);
    await fs.release(handle);
    const next = await mountOver(await diskNow(scene), scene);
    await drained(next);
    expect(await textsOf(scene)).toEqual({ f: 'half' });
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
    expect(await textsOf(scene)).toEqual({ g: 'half' });
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
    expect(await textsOf(scene)).toEqual({ g: 'newer' });
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
    expect(await textsOf(scene)).toEqual({ g: 'promised again' });
    await fs.release(again);
    await fs.release(handle);
  });

  it('and removed before its close takes both away', async () => {
    const scene = await withStoredFile({ writeBack: true });
    const { fs } = scene;
    await writeFile(fs, '/f', 'promised');
    const handle = await openToRewrite(fs, '/new');
    await writeAt(fs, handle, 'half');
    await fs.rename('/new', '/f', false);

    await fs.unlink('/f');

    await fs.flush(handle);
    await fs.release(handle);
    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({});
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });
});

describe('with write-back, a promised file renamed over another while the disk takes no record', () => {
  it('leaves both as they were to the next mount, after a kill [write-back/crash]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await writeFile(scene.fs, '/doc', 'old');
    await writeFile(scene.fs, '/new', 'new');
    const accept = refuseCommits('draft');

    await scene.fs.rename('/new', '/doc', false);
    const disk = await diskNow(scene);
    accept();

    const next = await mountOver(disk, scene, { settings: { writeBack: true } });
    expect(await names(next.operations, '/')).toEqual(['doc', 'new']);
    expect((await readFile(next.operations, '/doc')).toString()).toBe('old');
    expect((await readFile(next.operations, '/new')).toString()).toBe('new');
  });

  it('leaves the new one there once it does, and nothing of the old [write-back/newest]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await writeFile(scene.fs, '/doc', 'old');
    await writeFile(scene.fs, '/new', 'new');
    const accept = refuseCommits('draft');
    await scene.fs.rename('/new', '/doc', false);
    accept();

    await drained(scene.mounted);

    expect(await textsOf(scene)).toEqual({ doc: 'new' });
    const next = await mountOver(await diskNow(scene), scene, { settings: { writeBack: true } });
    await drained(next);
    expect(await textsOf(scene)).toEqual({ doc: 'new' });
    expect(await next.unsent.list()).toEqual([]);
  });
});
