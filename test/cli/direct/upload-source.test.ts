/** Where do the bytes of what is no file wait until they are stored? */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSource, SentFile } from '../../../src/cli/direct/upload-source.ts';
import { CommandLine } from '../../support/command-line.ts';
import { bytesOf, startEmbeddedServer, uploadOf } from '../../support/embedded-service.ts';
import { patternedBytes } from '../../support/patterned-bytes.ts';
import { sendAll } from '../../support/sent-pieces.ts';
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

it('a large file is read into the memory of three pieces', async () => {
  const file = join(await temporaryDirectory(), 'file');
  const bytes = patternedBytes(3_000_000);
  await writeFile(file, bytes);
  const source = await openSource(file);
  onTestFinished(() => source.close());
  const upload = new SentFile(source, 'text/plain', () => undefined);

  const sent = await sendAll(upload);

  expect(sent.content.equals(bytes)).toBe(true);
  expect(sent.memory).toBe(3 * 128 * 1024);
  expect(await upload.md5()).toBe(createHash('md5').update(bytes).digest('hex'));
});

it.each([
  ['longer', 'bytes, and more', 'it is longer than when it was opened: put it again, or give it on stdin'],
  ['shorter', 'byte', 'it is shorter than when it was opened: put it again, or give it on stdin'],
])('of a file that becomes %s the end is not read as if it were one', async (_case, later, reason) => {
  const file = join(await temporaryDirectory(), 'file');
  await writeFile(file, 'bytes');
  const source = await openSource(file);
  onTestFinished(() => source.close());

  await writeFile(file, later);

  await expect(textOf(new SentFile(source, 'text/plain', () => undefined))).rejects.toThrow(reason);
});

it('who puts a file that is longer than it says is told so; what has its name stays; on stdin it is stored', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'f', uploadOf('old'));
  const stored = async (): Promise<string> =>
    (await bytesOf((await server.direct.getObject(server.bucket, 'f')).body)).toString();
  const at = await CommandLine.open(server);
  const fromStdin = ['sh', '-c', 'exec "$@" < /proc/version', 'sh', ...CommandLine.words];

  const told = await at.run(['put', '/proc/version', 'photos:f']);
  const kept = await stored();
  await at.run(['put', '-', 'photos:f'], { program: fromStdin });

  const reason = 'it is longer than when it was opened: put it again, or give it on stdin';
  expect(told).toEqual({ code: 1, stdout: '', stderr: `pailfs: /proc/version is not stored: ${reason}\n` });
  expect(kept).toBe('old');
  expect(await stored()).toBe(await readFile('/proc/version', 'utf8'));
});
