/** SEMANTICS: when a truncation is stored. */
import { describe, expect, it } from 'vitest';
import { readFile } from '../support/open-for-test.ts';
import { openToEdit, openToRead } from '../support/program-acts.ts';
import { withListedFile } from '../support/stored-state.ts';

describe('a truncation', () => {
  it.each([
    [2, 'ol'],
    [5, 'old\0\0'],
    [0, ''],
  ])('to %i bytes without a handle is stored at once [write/truncate]', async (size, content) => {
    const { fs, stored } = await withListedFile();

    await fs.truncate('/f', size);

    expect((await stored('f')).toString()).toBe(content);
    expect((await readFile(fs, '/f')).toString()).toBe(content);
  });

  it.each([
    [2, 'ol'],
    [5, 'old\0\0'],
  ])('to %i bytes through a handle is stored by its flush', async (size, content) => {
    const { fs, stored, asked } = await withListedFile();
    const handle = await openToEdit(fs, '/f');
    await fs.truncate('/f', size, handle);
    expect(asked()).not.toContain('putObject f');
    expect((await fs.getAttributes('/f')).size).toBe(size);

    await fs.flush(handle);

    expect((await stored('f')).toString()).toBe(content);
    await fs.release(handle);
  });

  it('without a handle tells its caller that it could not be stored [write/truncate]', async () => {
    const { fs, faults, stored } = await withListedFile();
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });

    await expect(fs.truncate('/f', 2)).rejects.toMatchObject({ code: 'EDQUOT' });

    expect((await stored('f')).toString()).toBe('old');
  });

  it('of a file that a program reads is stored at once, too [write/truncate]', async () => {
    const { fs, stored } = await withListedFile();
    const reader = await openToRead(fs, '/f');

    await fs.truncate('/f', 2);

    expect((await stored('f')).toString()).toBe('ol');
    await fs.release(reader);
  });

  it('of a file that a program writes to is stored by that [write/truncate]', async () => {
    const { fs, stored, asked } = await withListedFile();
    const writer = await openToEdit(fs, '/f');

    await fs.truncate('/f', 2);

    expect(asked()).not.toContain('putObject f');
    await fs.flush(writer);
    expect((await stored('f')).toString()).toBe('ol');
    await fs.release(writer);
  });

  it('to the size that it has costs nothing', async () => {
    const { fs, asked } = await withListedFile();

    await fs.truncate('/f', 3);

    expect(asked()).toEqual([]);
  });
});
