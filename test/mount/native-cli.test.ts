/** `pailfs mount -o driver=native`, from the command to the service. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';

const DONE = { code: 0, stdout: '', stderr: '' };

describe('pailfs mount -o driver=native', () => {
  it('mounts in the background, says so in the log, and unmounts', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    await server.direct.putObject(server.bucket, 'a.txt', uploadOf('from elsewhere'));

    expect(await at.run(['mount', 'photos', at.mountpoint, '-o', 'driver=native'])).toEqual(DONE);
    expect(await readFile(join(at.mountpoint, 'a.txt'), 'utf8')).toBe('from elsewhere');
    await writeFile(join(at.mountpoint, 'b.txt'), 'from here');
    const { body } = await server.direct.getObject(server.bucket, 'b.txt');
    expect((await bytesOf(body)).toString()).toBe('from here');
    expect(await at.log()).toMatch(/"driver":"native"/);

    expect(await at.run(['unmount', at.mountpoint])).toMatchObject({ code: 0, stdout: '' });
    expect(await at.isMounted()).toBe(false);
  });
});
