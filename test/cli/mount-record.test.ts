/** What is left of the record of a mount that cannot be written, as on a full disk? */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordFile, writeRecord } from '../../src/cli/found-mounts/mount-record.ts';
import { mountRecordOf } from '../support/mount-record.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('the record of a mount that cannot be written leaves nothing beside it', async () => {
  const directory = await temporaryDirectory();
  const file = recordFile(directory, mountRecordOf());
  await mkdir(file);
  await expect(writeRecord(directory, mountRecordOf())).rejects.toThrow('EISDIR');
  expect((await readdir(directory)).map((name) => join(directory, name))).toEqual([file]);
});
