/** What do programs make of a mount whose bucket somebody else has deleted? */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it.each(['kernel', 'native'])(
  'they hear that it cannot be listed, and a backup keeps what it has (%s) [errors/missing]',
  async (driver) => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    const outside = await temporaryDirectory();
    await at.run(['mount', 'photos', at.mountpoint, '--metadata-ttl', '0', '--driver', driver]);
    await writeFile(join(at.mountpoint, 'a'), 'x');
    await mkdir(join(outside, 'backup'));
    const backUp = `rsync -a --delete '${at.mountpoint}/' backup/`;
    const before = await shell(outside, backUp);

    await server.direct.deleteBucket(server.bucket);
    const listed = await shell(outside, `ls '${at.mountpoint}'`);
    await shell(outside, backUp);

    expect(before.errors).toBe('');
    expect(listed).toMatchObject({
      output: '',
      errors: expect.stringContaining('Input/output error') as string,
    });
    expect(await readdir(join(outside, 'backup'))).toEqual(['a']);
  },
);
