/** Two downloads of different files into one place begin in the same moment: whose bytes does the part hold, by its record? */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PartialFile } from '../../../src/cli/direct/partial-file.ts';
import { readRecord } from '../../../src/cli/direct/part-record.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it.each([0, 1, 2, 3, 4, 5])(
  'no record says that they are those of another (%i turns between them)',
  async (turns) => {
    const target = join(await temporaryDirectory(), 'out');
    const begin = async (key: string, after: number): Promise<string> => {
      for (let each = 0; each < after; each += 1) await turn();
      const origin = { baseUrl: 'https://storage.example.com', bucket: 'photos', key, etag: key, size: 1 };
      const part = await PartialFile.open(target, origin);
      await part.write(Buffer.from(key), 0);
      await part.close();
      return key;
    };

    const begun = await Promise.allSettled([begin('a', 0), begin('b', turns)]);

    const record = await readRecord(`${target}.part`);
    expect([undefined, await readFile(`${target}.part`, 'utf8')]).toContain(record?.key);
    for (const each of begun)
      if (each.status === 'rejected') expect(String(each.reason)).toContain('another pailfs get writes');
  },
);
