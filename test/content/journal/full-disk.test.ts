/** The disk is full, or nearly, when a database is opened or takes no row: what is it taken for, and what stays in its directory? */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { put } from '../../../src/content/journal/journal.ts';
import { RowDatabase } from '../../../src/content/journal/row-database.ts';
import { draftRecordOf } from '../../support/journal-records.ts';
import { openJournal, reopenedJournal } from '../../support/open-journal.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const BLOCK = 4096;
const MIB = 1024 * 1024;

/** Bytes that every disk says it has left; undefined: as many as it has. */
const room = vi.hoisted(() => ({ free: undefined as number | undefined }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const statfs = async (path: string): Promise<unknown> => {
    const found = await real.statfs(path);
    return room.free === undefined ? found : { bsize: 4096, bavail: room.free / 4096 };
  };
  return { ...real, statfs };
});

beforeEach(() => {
  room.free = undefined;
});

it('a journal that does not open there is not taken for a damaged one: all of it is there once there is room', async () => {
  const directory = await temporaryDirectory();
  const { journal } = await openJournal(directory);
  await journal.commit([put('draft', draftRecordOf('waits'))]);
  await journal.close();
  const open = vi.spyOn(RowDatabase, 'open').mockRejectedValueOnce(new Error('no room'));
  onTestFinished(() => {
    open.mockRestore();
  });
  room.free = MIB - BLOCK;

  await expect(openJournal(directory)).rejects.toMatchObject({ code: 'ENOSPC' });
  room.free = undefined;
  const { journal: after, messages } = await openJournal(directory);

  expect([after.contents.drafts.map(({ id }) => id), messages]).toEqual([['waits'], []]);
});

it('what takes no row though there is room for it is not called full, and nothing is left of the look', async () => {
  const directory = await temporaryDirectory();
  const { journal } = await openJournal(directory);
  const batch = vi.spyOn(ClassicLevel.prototype, 'batch').mockRejectedValue(new Error('something else'));
  room.free = MIB;

  await expect(journal.commit([put('draft', draftRecordOf('a'))])).rejects.toMatchObject({ code: 'EIO' });
  room.free = 0;
  await expect(journal.commit([put('draft', draftRecordOf('b'))])).rejects.toMatchObject({ code: 'ENOSPC' });
  batch.mockRestore();

  expect(await readdir(directory)).toEqual(['journal']);
  await reopenedJournal(journal, directory);
});

it('a journal that is damaged on a disk with room is moved aside, and nothing is left of the look', async () => {
  const directory = await temporaryDirectory();
  const { journal } = await openJournal(directory);
  await journal.close();
  await writeFile(join(directory, 'journal', 'CURRENT'), 'nonsense');

  await openJournal(directory);

  const names = await readdir(directory);
  expect(names.map((name) => name.replace(/-.*/, ''))).toEqual(['journal', 'journal.damaged']);
});
