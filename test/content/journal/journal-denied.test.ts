/** The files of a journal are another user's: what is it taken for? */
import { basename } from 'node:path';
import { readdir } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { put } from '../../../src/content/journal/journal.ts';
import { RowDatabase } from '../../../src/content/journal/row-database.ts';
import { draftRecordOf } from '../../support/journal-records.ts';
import { openJournal } from '../../support/open-journal.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** The name of what this user may not open; undefined: nothing. Root, who may run the tests, may open all. */
const another = vi.hoisted(() => ({ user: undefined as string | undefined }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const access = async (path: string, mode: number): Promise<void> => {
    if (basename(path) === another.user) throw Object.assign(new Error('denied'), { code: 'EACCES' });
    await real.access(path, mode);
  };
  return { ...real, access };
});

it.each(['journal', 'CURRENT'])(
  'for no damaged one: all of it is there once they may be opened (%s) [crash/unsent]',
  async (name) => {
    const directory = await temporaryDirectory();
    const { journal } = await openJournal(directory);
    await journal.commit([put('draft', draftRecordOf('waits'))]);
    await journal.close();
    const open = vi.spyOn(RowDatabase, 'open').mockRejectedValueOnce(new Error('IO error: permission'));
    onTestFinished(() => {
      open.mockRestore();
      another.user = undefined;
    });
    another.user = name;

    await expect(openJournal(directory)).rejects.toMatchObject({ code: 'EACCES' });
    another.user = undefined;
    const { journal: after, messages } = await openJournal(directory);

    expect([after.contents.drafts.map(({ id }) => id), messages]).toEqual([['waits'], []]);
    expect(await readdir(directory)).toEqual(['journal']);
  },
);
