/** Files that nobody uses are closed for now, and go on when they are used, however many at once. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { nodeLocalFiles, type LocalFile } from '../../src/content/local-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Of these more than five hundred are closed. */
const COUNT = 1100;

async function restingFiles(): Promise<readonly LocalFile[]> {
  const directory = join(await temporaryDirectory(), 'drafts');
  const files: LocalFile[] = [];
  onTestFinished(async () => {
    for (const file of files) await file.remove();
  });
  for (let number = 0; number < COUNT; number += 1) {
    const file = await nodeLocalFiles.create(directory);
    files.push(file);
    await file.write(Buffer.from(textOf(number)), 0);
    await file.sync();
  }
  return files;
}

const textOf = (number: number): string => `bytes ${number}`;

async function read(file: LocalFile, number: number): Promise<string> {
  const into = new Uint8Array(textOf(number).length);
  await file.read(into, 0);
  return Buffer.from(into).toString();
}

it('all of them can be read in one turn', async () => {
  const files = await restingFiles();

  const texts = await Promise.all(files.map(read));

  expect(texts).toEqual(files.map((_file, number) => textOf(number)));
});

it('all of them can lose their names in one turn, and are read as before', async () => {
  const files = await restingFiles();
  await Promise.all(files.slice(-600).map((file) => file.unlink()));

  expect(await Promise.all(files.map(read))).toEqual(files.map((_file, number) => textOf(number)));
});

it('what is written to one that was closed is on the disk after its sync', async () => {
  const files = await restingFiles();
  const last = files.at(-1);
  await last?.write(Buffer.from('B'), 0);
  await last?.sync();

  expect(await readFile(last?.path ?? '', 'utf8')).toBe(`Bytes ${COUNT - 1}`);
});
