/** What does a person get with credentials that may only read? (§5) */
import { appendFile, chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

async function arrange(): Promise<{ readonly server: EmbeddedServer; readonly at: CommandLine }> {
  const server = await startEmbeddedServer();
  return { server, at: await CommandLine.open(server) };
}

describe('credentials that may only read', () => {
  it('mount with one warning, which the log has, too; reading works, and every change is denied at once [errors/denied]', async () => {
    const { server, at } = await arrange();
    const { accessKeyId, secretAccessKey } = server.readOnlyCredentials;
    const launch = {
      environment: { PAILFS_ACCESS_KEY_ID: accessKeyId, PAILFS_SECRET_ACCESS_KEY: secretAccessKey },
    };

    await server.direct.putObject(server.bucket, 'f', uploadOf('bytes'));
    const file = join(at.mountpoint, 'f');

    const outcome = await at.run(['mount', 'photos', at.mountpoint], launch);
    const read = await readFile(file, 'utf8');
    server.requests.reset();
    const codes: unknown[] = [];
    for (const change of [
      () => appendFile(file, 'x'),
      () => writeFile(join(at.mountpoint, 'new'), 'x'),
      () => chmod(file, 0o600),
      () => mkdir(join(at.mountpoint, 'd')),
      () => rename(file, join(at.mountpoint, 'g')),
      () => rm(file),
    ]) {
      codes.push(
        await change().then(
          () => 'done',
          (error: unknown) => (error as NodeJS.ErrnoException).code,
        ),
      );
    }
    const asked = server.requests.operations;
    const published = await at.run(['publish', 'mnt/f']);
    const shown = await at.run(['status', at.mountpoint]);
    const log = await at.log();

    expect(shown.stdout).toMatch(/^\S+ .* ro +\w+$/m);
    expect(shown.stdout).toMatch(/^notice {3}these credentials may only read/m);
    expect(outcome).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^pailfs: warning: these credentials may only read: every change is refused \(EACCES\)[^\n]*\n$/,
      ) as string,
    });
    expect(read).toBe('bytes');
    expect(codes).toEqual(Array<string>(6).fill('EACCES'));
    expect(asked.filter((operation) => /^(put|delete|create|set)/.test(operation))).toEqual([]);
    expect(published.stderr).toBe('pailfs: mnt/f is not published: these credentials may only read\n');
    expect(log.match(/may only read/g)).toHaveLength(1);
  });

  it('mount without a word with --read-only, and every change is EROFS [errors/denied] [errors/read-only]', async () => {
    const { server, at } = await arrange();
    const { accessKeyId, secretAccessKey } = server.readOnlyCredentials;

    const outcome = await at.run(['mount', 'photos', at.mountpoint, '--read-only'], {
      environment: { PAILFS_ACCESS_KEY_ID: accessKeyId, PAILFS_SECRET_ACCESS_KEY: secretAccessKey },
    });

    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
    await expect(writeFile(join(at.mountpoint, 'new'), 'x')).rejects.toThrow('EROFS');
  });
});
