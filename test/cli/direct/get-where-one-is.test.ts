/** Who may write to the directory that one is in gets files into it, whether or not one may look for it from the top. */
import { chmod, lstat, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine } from '../../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../../support/embedded-service.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

// Root may search everything.
const SOMEBODY = 'exec setpriv --reuid=65534 --regid=65534 --clear-groups';

it.runIf(process.getuid?.() === 0)('get needs no right to search what is above where one is', async () => {
  const server = await startEmbeddedServer();
  for (const key of ['a', 'b']) await server.direct.putObject(server.bucket, key, uploadOf(key));
  const at = await CommandLine.open(server);
  const locked = await temporaryDirectory();
  const here = join(locked, 'here');
  await mkdir(here);
  await symlink('there', join(here, 'b'));
  await chmod(here, 0o777);
  await chmod(locked, 0o700);

  const program = ['sh', '-c', `cd '${here}' && ${SOMEBODY} "$@"`, 'sh'];
  // The home is root's.
  const environment = { HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' };
  const outcome = await at.run(['get', 'photos:a', 'photos:b', '.'], {
    program: [...program, ...CommandLine.words],
    environment,
  });

  expect(outcome).toEqual({
    code: 0,
    stdout: 'fetched photos:a into a (1 B)\nfetched photos:b into b (1 B)\n',
    stderr: '',
  });
  expect(await readFile(join(here, 'there'), 'utf8')).toBe('b');
  expect((await lstat(join(here, 'b'))).isSymbolicLink()).toBe(true);
});
