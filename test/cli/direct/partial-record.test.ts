/** The record of a download is never gone while its bytes are there: without it nobody goes on with them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Origin } from '../../../src/cli/direct/part-record.ts';
import { PartialFile } from '../../../src/cli/direct/partial-file.ts';
import { CommandLine } from '../../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../../support/embedded-service.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const ORIGIN: Origin = { baseUrl: 'http://service', bucket: 'b', key: 'k', etag: 'e', size: 8 };

/** By a process that has gone. */
async function interrupted(target: string, origin: Origin, startTime: string): Promise<void> {
  await writeFile(`${target}.part.json`, JSON.stringify({ ...origin, by: { pid: 2 ** 31, startTime } }));
  await writeFile(`${target}.part`, 'half');
}

it('a download goes on once the disk takes bytes, though it took none when it was tried in between', async () => {
  const { direct, bucket, baseUrl, ...server } = await startEmbeddedServer();
  await direct.putObject(bucket, 'f', uploadOf('half and half'));
  const { etag, size } = await direct.headObject(bucket, 'f');
  const at = await CommandLine.open({ baseUrl, ...server });
  await interrupted(join(at.home, 'f'), { baseUrl, bucket, key: 'f', etag, size }, '1');

  // As a full disk on which others take each block that becomes free.
  const program = ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh', ...CommandLine.words];
  expect((await at.run(['get', 'photos:f', 'f'], { program })).code).not.toBe(0);

  expect(await at.run(['get', 'photos:f', 'f'])).toEqual({
    code: 0,
    stdout: 'fetched photos:f into f (13 B; 4 B of them were there)\n',
    stderr: '',
  });
  expect(await readFile(join(at.home, 'f'), 'utf8')).toBe('half and half');
});

it('nothing of a longer record stays behind a shorter one', async () => {
  const target = join(await temporaryDirectory(), 'f');
  await interrupted(target, ORIGIN, '9'.repeat(100));

  await (await PartialFile.open(target, ORIGIN)).close();

  const record: unknown = JSON.parse(await readFile(`${target}.part.json`, 'utf8'));
  expect(record).toMatchObject({ by: { pid: process.pid } });
});
