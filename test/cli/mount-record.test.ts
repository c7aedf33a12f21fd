/** What is left of the record of a mount that cannot be written, as on a full disk? And what else than records may be where they are? */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRecords, recordFile, writeRecord } from '../../src/cli/found-mounts/mount-record.ts';
import { mountRecordOf } from '../support/mount-record.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('the record of a mount that cannot be written leaves nothing beside it', async () => {
  const directory = await temporaryDirectory();
  const file = recordFile(directory, mountRecordOf());
  await mkdir(file);
  await expect(writeRecord(directory, mountRecordOf())).rejects.toThrow('EISDIR');
  expect((await readdir(directory)).map((name) => join(directory, name))).toEqual([file]);
});

it('what is no record is passed over, and nobody waits for it: any user can make it, and root reads all', async () => {
  const directory = await temporaryDirectory();
  const name = (pid: number): string =>
    recordFile(directory, mountRecordOf({ process: { pid, startTime: '1' } }));
  await writeRecord(directory, mountRecordOf());
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', name(1)]);
  await symlink('/dev/zero', name(2));
  await mkdir(name(3));
  await writeFile(name(4), '');
  await truncate(name(4), 2 ** 40);
  await writeFile(name(5), '[]');

  expect(await readRecords([directory])).toEqual([mountRecordOf()]);
});
