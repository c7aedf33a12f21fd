/** SEMANTICS: one file's states (design §3), cell by cell. */
import { describe, expect, it } from 'vitest';
import { end, situation, states } from '../support/file-states.ts';
import { closing, names, readFile, writeFile } from '../support/open-for-test.ts';
import { edit, openToEdit, openToRead, textAt, writeAt, xattr } from '../support/program-acts.ts';

const TTL = 10_000;

describe.each(Object.entries(states))('a file in the state "%s"', (name, { shows, arrange }) => {
  it('shows its bytes', async () => {
    const state = await situation(arrange);

    expect((await readFile(state.fs, '/f')).toString()).toBe(shows);
    expect((await state.fs.getAttributes('/f')).size).toBe(4);
    await end(state);
  });

  it('takes a write, and stores it at the close', async () => {
    const state = await situation(arrange);

    await edit(state.fs, '/f', '!', 4);
    await end(state);

    expect((await state.stored('f')).toString()).toBe(`${shows}!`);
    expect(await xattr(state.fs, '/f', 'user.pailfs.state')).toBe('clean');
  });

  it('is stored by fsync', async () => {
    const state = await situation(arrange);
    const handle = await openToEdit(state.fs, '/f');

    await state.fs.fsync(handle);

    expect((await state.stored('f')).toString()).toBe(shows);
    await state.fs.release(handle);
    await end(state);
  });

  it('goes with an unlink, for good', async () => {
    const state = await situation(arrange);

    await state.fs.unlink('/f');
    await end(state);

    await expect(state.direct.headObject(state.bucket, 'f')).rejects.toMatchObject({ kind: 'missing' });
    await expect(state.fs.getAttributes('/f')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await state.mounted.close({ patience: 60_000 })).toEqual([]);
  });

  it('goes along with a rename', async () => {
    const state = await situation(arrange);

    await state.fs.rename('/f', '/g', false);
    await end(state);

    expect((await state.stored('g')).toString()).toBe(shows);
    expect(await names(state.fs, '/')).toEqual(['g']);
    expect(await state.mounted.close({ patience: 60_000 })).toEqual([]);
    await expect(state.direct.headObject(state.bucket, 'f')).rejects.toMatchObject({ kind: 'missing' });
  });

  it('is replaced by a rename onto it', async () => {
    const state = await situation(arrange);
    await writeFile(state.fs, '/new', 'new');

    await state.fs.rename('/new', '/f', false);
    await end(state);

    expect((await state.stored('f')).toString()).toBe('new');
    expect((await readFile(state.fs, '/f')).toString()).toBe('new');
    expect(await state.mounted.close({ patience: 60_000 })).toEqual([]);
  });

  const waits = !['clean', 'uploading', 'ours, unnamed', 'set aside'].includes(name);

  it('never overwrites what somebody else stored since: with conflict=fail the program hears of it [conflict/setting]', async () => {
    const state = await situation(arrange, { conflict: 'fail' });
    // The PUT in flight was checked before; it ends here.
    if (name === 'uploading') await end(state);
    await state.foreignWrite('f', 'theirs');
    state.clock.advance(TTL);

    if (waits) {
      const handle = state.handles[0] ?? (await openToEdit(state.fs, '/f'));
      await expect(state.fs.flush(handle)).rejects.toMatchObject({ code: 'ESTALE' });
      await state.fs.release(handle);
    }

    expect((await state.stored('f')).toString()).toBe('theirs');
    expect((await readFile(state.fs, '/f')).toString()).toBe('theirs');
  });

  it('is kept beside what somebody else stored since [conflict/keep-both]', async () => {
    const state = await situation(arrange);
    if (name === 'uploading') await end(state);
    await state.foreignWrite('f', 'theirs');
    state.clock.advance(TTL);

    if (state.handles.length > 0) await end(state);
    else if (waits) await closing(state.fs, await openToEdit(state.fs, '/f'), () => Promise.resolve());

    const others = (await names(state.fs, '/')).filter((other) => other !== 'f');
    expect((await state.stored('f')).toString()).toBe('theirs');
    expect((await readFile(state.fs, '/f')).toString()).toBe('theirs');
    expect(others).toHaveLength(waits ? 1 : 0);
    for (const other of others) expect((await state.stored(other)).toString()).toBe(shows);
    expect(await state.mounted.close({ patience: 60_000 })).toEqual([]);
  });
});

describe('a detached file', () => {
  it('takes writes locally, flushes nothing, and cannot be overwritten by anybody', async () => {
    const state = await situation(() => Promise.resolve());
    const { fs, asked, foreignWrite } = state;
    const handle = await openToEdit(fs, '/f');
    await fs.unlink('/f');
    asked();

    await writeAt(fs, handle, 'B');
    await fs.flush(handle);
    await fs.fsync(handle);
    await foreignWrite('f', 'theirs');

    expect(await textAt(fs, handle)).toBe('Base');
    expect(asked()).toEqual([]);
    await fs.release(handle);
  });

  it('replaced by a rename keeps its bytes for its readers', async () => {
    const state = await situation(() => Promise.resolve());
    const { fs } = state;
    const handle = await openToRead(fs, '/f');
    await writeFile(fs, '/new', 'new');

    await fs.rename('/new', '/f', false);

    expect(await textAt(fs, handle)).toBe('base');
    await fs.release(handle);
  });
});
