/** Where do the bytes of what is no file wait until they are stored? */
import { execFile } from 'node:child_process';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSource, SentFile } from '../../../src/cli/direct/upload-source.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function textOf(file: SentFile): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.open()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

it('the bytes of a pipe can be read as often as need be, and are in no file that would stay', async () => {
  const directory = await temporaryDirectory();
  vi.stubEnv('TMPDIR', directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  const pipe = join(directory, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);

  const [source] = await Promise.all([openSource(pipe), writeFile(pipe, 'bytes')]);
  const names = await readdir(directory);
  const sent = new SentFile(source, 'text/plain', () => undefined);
  const read = [await textOf(sent), await textOf(sent)];
  await source.close();

  expect(names).toEqual(['pipe']);
  expect(read).toEqual(['bytes', 'bytes']);
});

it('a file is read as it was when it was opened, whatever has its name meanwhile', async () => {
  const file = join(await temporaryDirectory(), 'file');
  await writeFile(file, 'old');
  const source = await openSource(file);
  onTestFinished(() => source.close());
  await writeFile(`${file}.new`, 'newer');

  await rename(`${file}.new`, file);

  expect(await textOf(new SentFile(source, 'text/plain', () => undefined))).toBe('old');
});
