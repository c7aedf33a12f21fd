/** What does `pailfs put -` store where nobody has given it anything on stdin? */
import { expect, it } from 'vitest';
import { CommandLine } from '../../support/command-line.ts';
import { bytesOf, startEmbeddedServer, uploadOf } from '../../support/embedded-service.ts';

it.each([
  ['closed', '<&-', { code: 1, stderr: /^pailfs: - is not stored: stdin is closed: .*\n$/, left: 'old' }],
  ['empty', '< /dev/null', { code: 0, stderr: /^$/, left: '' }],
])('stdin that is %s: only one that is open is a file', async (_case, redirection, told) => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a', uploadOf('old'));
  const at = await CommandLine.open(server);

  const { code, stderr } = await at.run(['put', '-', 'photos:a'], {
    program: ['sh', '-c', `exec "$@" ${redirection}`, 'sh', ...CommandLine.words],
  });

  expect(code).toBe(told.code);
  expect(stderr).toMatch(told.stderr);
  const stored = await bytesOf((await server.direct.getObject(server.bucket, 'a')).body);
  expect(stored.toString()).toBe(told.left);
});
