/** `pailfs unpublish -r` on a mount: one folder of which nothing can be asked keeps no other link. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';
import { visibilityOf } from '../support/stored-state.ts';

it('the links of all other files go, and it is said of which folder nobody knows', async () => {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  expect(await at.run(['mount', 'photos', at.mountpoint, '--metadata-ttl', '0'])).toMatchObject({ code: 0 });
  await mkdir(join(at.mountpoint, 'd/e'), { recursive: true });
  await writeFile(join(at.mountpoint, 'd/a'), 'bytes');
  const listed = (): number =>
    server.requests.all.filter(({ operation, folder }) => operation === 'listObjects' && folder === 'd/e')
      .length;
  await at.run(['publish', '-r', 'mnt/d']);
  const before = listed();
  await at.run(['publish', '-r', 'mnt/d']);

  // The last question of the service is about what no name shows.
  const skip = listed() - before - 1;
  const fault = { kind: 'status', status: 403 } as const;
  server.faults.add({ operation: 'listObjects', key: 'd/e', skip, times: Infinity, fault });
  const { code, stdout, stderr } = await at.run(['unpublish', '-r', 'mnt/d']);
  server.faults.clear();

  expect(await visibilityOf(server, 'd/a')).toBe('private');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^mnt\/d\/a is private\n/);
  expect(stderr).toMatch(/^pailfs: mnt\/d\/e is not made private: /m);
});
