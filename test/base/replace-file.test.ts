/** What is there of a small file that gets other content, and of one that cannot? */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replaceFile } from '../../src/base/replace-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('the new content takes the place of the old one, for its owner alone', async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'note.json');
  await writeFile(file, 'old');
  await replaceFile(file, 'new', 0o600);
  expect(await readFile(file, 'utf8')).toBe('new');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['note.json']);
});

it('a file that cannot be replaced leaves nothing beside it', async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'note.json'));
  await expect(replaceFile(join(directory, 'note.json'), 'new', 0o600)).rejects.toThrow('EISDIR');
  expect(await readdir(directory)).toEqual(['note.json']);
});
