/** What does a mount do when its credentials change under it? */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Credentials } from '../../src/client/credentials.ts';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

interface Scene {
  readonly server: EmbeddedServer;
  readonly at: CommandLine;
  /** Puts these where the mount has its credentials from. */
  readonly replace: (credentials: Credentials) => Promise<void>;
}

/** Without a word of credentials in the environment. */
async function arrange(): Promise<Scene> {
  const server = await startEmbeddedServer();
  const nobody = { accessKeyId: '', secretAccessKey: '' };
  const at = await CommandLine.open({ baseUrl: server.baseUrl, credentials: nobody });
  const replace = ({ accessKeyId, secretAccessKey }: Credentials): Promise<void> =>
    writeFile(
      join(at.home, 'credentials'),
      `access_key_id = "${accessKeyId}"\nsecret_access_key = "${secretAccessKey}"\n`,
      { mode: 0o600 },
    );
  await replace(server.credentials);
  await server.direct.putObject(server.bucket, 'a.txt', uploadOf('from elsewhere'));
  return { server, at, replace };
}

it.each<[string, (at: CommandLine) => string]>([
  ['file', (at) => `credentials_file=${at.home}/credentials`],
  ['command', (at) => `credential_command=sed 's/.*= "//; s/"$//' ${at.home}/credentials`],
])(
  'new credentials from a %s are taken in the background, as soon as the service refuses the old',
  async (_title, option) => {
    const { server, at, replace } = await arrange();
    const outcome = await at.run(['mount', 'photos', at.mountpoint, '-o', `${option(at)},metadata_ttl=0`]);
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
    await writeFile(join(at.mountpoint, 'b.txt'), 'from here');

    await replace(server.readOnlyCredentials);
    server.faults.add({ operation: 'listObjects', fault: { kind: 'status', status: 401 } });

    expect(await readdir(at.mountpoint)).toEqual(['a.txt', 'b.txt']);
    expect(await readFile(join(at.mountpoint, 'a.txt'), 'utf8')).toBe('from elsewhere');
    // It is the new ones that may only read.
    await expect(writeFile(join(at.mountpoint, 'c.txt'), 'x')).rejects.toMatchObject({ code: 'EACCES' });
    const log = await at.log();
    expect(log).toContain('they were read again');
    expect(log).not.toContain(server.credentials.secretAccessKey);
    expect(log).not.toContain(server.readOnlyCredentials.secretAccessKey);
  },
);

it('a command that fails ends the start in one line', async () => {
  const { at } = await arrange();

  const outcome = await at.run([
    'mount',
    'photos',
    at.mountpoint,
    '--credential-command',
    'echo sealed >&2; exit 1',
  ]);

  expect(outcome).toEqual({
    code: 1,
    stdout: '',
    stderr: 'pailfs: the credential command ended with exit code 1; it says: sealed\n',
  });
});
