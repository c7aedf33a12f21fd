/** What do the commands make of a mount whose process was killed, of which the kernel still knows attributes? */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine, goneProcess } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

it('doctor finds it dead, and mounting there again clears it away', async () => {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  await at.run(['mount', 'photos', at.mountpoint, '--metadata-ttl', '600']);
  const pid = await at.servingProcess();
  await lstat(at.mountpoint);
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);

  const shown = await lstat(at.mountpoint).then(
    () => 'attributes',
    () => 'an error',
  );
  const doctor = await at.run(['doctor', '--json']);
  const again = await at.run(['mount', 'photos', at.mountpoint]);

  expect(shown, 'what the kernel gives out of its cache').toBe('attributes');
  expect(doctor.stdout).toContain(`the process is gone that served`);
  expect(doctor.stdout).toContain(at.mountpoint);
  expect(again).toMatchObject({ code: 0 });
  expect(await at.isMounted()).toBe(true);
  await expect(readFile(join(at.mountpoint, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
});
