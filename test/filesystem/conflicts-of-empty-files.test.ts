/** SEMANTICS: whoever adds to an empty file that others have filled meanwhile has not meant to replace what they stored. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openToEdit, openToRead, openToRewrite, writeAt, xattr } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const MAKERS = [
  ['others had stored', ({ foreignWrite }: FileSystemForTest) => foreignWrite('log', '')],
  ['was stored here', ({ fs }: FileSystemForTest) => writeFile(fs, '/log', '')],
] as const;

describe.each(MAKERS)('an empty file that %s and that somebody else fills meanwhile', (_case, make) => {
  it('is theirs, and what was added here is kept beside it [conflict/keep-both]', async () => {
    const opened = await openForTest();
    const { fs, foreignWrite, stored } = opened;
    await make(opened);
    await names(fs, '/');
    const handle = await openToEdit(fs, '/log');
    await writeAt(fs, handle, 'mine');
    await foreignWrite('log', 'theirs');

    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('log')).toString()).toBe('theirs');
    expect(Object.values(await textsOf(opened)).sort()).toEqual(['mine', 'theirs']);
  });

  it('is ours when the program emptied it first, as it means to replace whatever is there [write/rewrite-wins]', async () => {
    const opened = await openForTest();
    const { fs, foreignWrite } = opened;
    await make(opened);
    await names(fs, '/');
    const handle = await openToRewrite(fs, '/log');
    await writeAt(fs, handle, 'mine');
    await foreignWrite('log', 'theirs');

    await fs.flush(handle);
    await fs.release(handle);

    expect(await textsOf(opened)).toEqual({ log: 'mine' });
  });
});

it.each([false, true])(
  'an empty file that was stored here, write-back %s, and that others fill while one reads it, is theirs when a program adds to it [conflict/keep-both]',
  async (writeBack) => {
    const opened = await openForTest({ settings: { writeBack } });
    const { fs, foreignWrite } = opened;
    const maker = await openToRewrite(fs, '/log');
    const reader = await openToRead(fs, '/log');
    await fs.fsync(maker);
    await fs.release(maker);
    const handle = await openToEdit(fs, '/log');
    await foreignWrite('log', 'theirs');

    await writeAt(fs, handle, 'mine');
    await fs.fsync(handle);

    expect(Object.values(await textsOf(opened)).sort()).toEqual(['mine', 'theirs']);
    for (const one of [reader, handle]) await fs.release(one);
  },
);

it('what is added while the empty file waits does not replace what others store once that is there [conflict/keep-both]', async () => {
  const opened = await openForTest({ settings: { writeBack: true } });
  const { fs, foreignWrite, clock } = opened;
  await writeFile(fs, '/log', '');
  const handle = await openToEdit(fs, '/log');
  await writeAt(fs, handle, 'mine');
  clock.advance(1000);
  await expect.poll(() => textsOf(opened)).toEqual({ log: '' });
  await setTimeout(50);
  await foreignWrite('log', 'theirs');

  await fs.fsync(handle);

  expect(Object.values(await textsOf(opened)).sort()).toEqual(['mine', 'theirs']);
  await fs.release(handle);
});

it.each([false, true])(
  'a file that is written, write-back %s, while it goes up as the program had emptied it replaces what others store [write/rewrite-wins]',
  async (writeBack) => {
    const opened = await openForTest({ settings: { writeBack } });
    const { fs, foreignWrite, service } = opened;
    const upload = holdNext(service, 'putObject');
    const handle = await openToRewrite(fs, '/log');
    const storing = fs.fsync(handle);
    await upload.begun;
    const writing = writeAt(fs, handle, 'mine');
    // Else it waits for the upload.
    if (writeBack) await writing;
    upload.letGo();
    await Promise.all([storing, writing]);
    await foreignWrite('log', 'theirs');

    await fs.fsync(handle);

    expect(await textsOf(opened)).toEqual({ log: 'mine' });
    await fs.release(handle);
  },
);

it('what is added to an empty file that was opened before it was stored does not replace what others store [conflict/keep-both]', async () => {
  const opened = await openForTest({ settings: { writeBack: true } });
  const { fs, foreignWrite, clock } = opened;
  await writeFile(fs, '/log', '');
  const handle = await openToEdit(fs, '/log');
  clock.advance(1000);
  await expect.poll(() => xattr(fs, '/log', 'user.pailfs.state')).toBe('clean');
  await foreignWrite('log', 'theirs');

  await writeAt(fs, handle, 'mine');
  await fs.fsync(handle);

  expect(Object.values(await textsOf(opened)).sort()).toEqual(['mine', 'theirs']);
  await fs.release(handle);
});

it('who empties a file that waits and goes on to write it once that is stored replaces what others store meanwhile [write/rewrite-wins]', async () => {
  const opened = await openForTest({ settings: { writeBack: true } });
  const { fs, foreignWrite } = opened;
  await writeFile(fs, '/log', 'waits');
  const handle = await openToRewrite(fs, '/log');
  await fs.fsync(handle);
  expect(await textsOf(opened)).toEqual({ log: '' });
  await foreignWrite('log', 'theirs');

  await writeAt(fs, handle, 'mine');
  await fs.fsync(handle);

  expect(await textsOf(opened)).toEqual({ log: 'mine' });
  await fs.release(handle);
});
