/** What do the commands make of a mount whose process was killed, of which the kernel still knows attributes? */
import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine, goneProcess, killServing, type Outcome } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

const statesIn = ({ stdout }: Outcome): readonly string[] =>
  (JSON.parse(stdout) as readonly { readonly state: string }[]).map(({ state }) => state);

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

it.each([
  ['another bucket', ['other'], {}, true],
  ['another state directory', ['photos', '--state-dir', 'elsewhere'], {}, true],
  [
    'other credentials',
    ['photos'],
    { PAILFS_ACCESS_KEY_ID: 'READKEY', PAILFS_SECRET_ACCESS_KEY: 'read secret' },
    false,
  ],
  ['nothing that changes', ['photos', '--read-only'], {}, false],
])(
  'what it left stays in sight where the next mount, of %s, does not go on with it',
  async (_name, words, environment, isSaid) => {
    const server = await startEmbeddedServer();
    await server.direct.createBucket('other');
    const at = await CommandLine.open(server);
    await at.run(['mount', 'photos', at.mountpoint, '--write-back']);
    server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    await writeFile(join(at.mountpoint, 'a.txt'), 'left');
    await killServing(at);

    const mounted = await at.run(['mount', ...words, at.mountpoint], { environment });
    const status = await at.run(['status', at.mountpoint, '--json']);
    const uploads = await at.run(['uploads', at.mountpoint]);
    const unmounted = await at.run(['unmount', at.mountpoint]);
    const after = await at.run(['status', at.mountpoint, '--json']);
    server.faults.clear();
    await at.run(['mount', 'photos', at.mountpoint]);
    const again = await at.run(['status', at.mountpoint, '--json']);

    expect([mounted.code, unmounted.code]).toEqual([0, 0]);
    expect(mounted.stderr.includes('what an earlier mount here did not store waits on')).toBe(isSaid);
    expect(statesIn(status)).toEqual(['serving', 'ended']);
    expect(uploads.stdout).toContain('/a.txt');
    expect(statesIn(after)).toEqual(['ended']);
    expect(statesIn(again)).toEqual(['serving']);
  },
);
