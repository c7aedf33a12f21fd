/** What does `pailfs doctor` say of mounts, and of what they left? */
import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Check } from '../../src/cli/doctor/check.ts';
import { CommandLine, killWhileWriting } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

async function finding(at: CommandLine, name: string): Promise<Check & { readonly code: number | null }> {
  const { code, stdout } = await at.run(['doctor', '--json']);
  const found = (JSON.parse(stdout) as readonly Check[]).find(({ check }) => check === name);
  if (found === undefined) throw new Error(`no check ${name} in ${stdout}`);
  return { ...found, code };
}

it('a mount that serves is no finding, one whose process is gone is broken, and what it left is named', async () => {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  await at.run(['mount', 'photos', at.mountpoint]);
  const serving = await finding(at, 'mounts');
  await killWhileWriting(at, 'a.txt', 'precious');
  server.requests.reset();

  const dead = await finding(at, 'mounts');
  const left = await finding(at, 'not stored');

  expect(serving.says).not.toContain(at.mountpoint);
  expect(dead).toMatchObject({ code: 1, state: 'broken' });
  expect(dead.says).toMatch(
    /^the process is gone that served .*: mount again, or run "pailfs unmount" on it/,
  );
  expect(dead.says).toContain(at.mountpoint);
  expect(left).toMatchObject({ state: 'warning' });
  expect(left.says).toMatch(/1 set aside.*: "pailfs uploads" lists what waits here/);
  // Nothing was stored, and what waits still waits.
  expect(server.requests.count('putObject')).toBe(0);
  expect((await at.run(['uploads'])).stdout).toContain('/a.txt');
  await at.run(['unmount', at.mountpoint]);
  expect((await finding(at, 'mounts')).says).not.toContain(at.mountpoint);
  expect(await readdir(at.mountpoint)).toEqual([]);
});

it('a mount that does not answer is named, also beside a dead one', async () => {
  const server = await startEmbeddedServer();
  const [at, other] = [await CommandLine.open(server), await CommandLine.open(server)];
  const mount = await at.mountInFront(['photos', at.mountpoint]);
  await other.run(['mount', 'photos', other.mountpoint]);
  await killWhileWriting(other, 'a.txt', 'precious');

  mount.signal('SIGSTOP');
  const { says, state } = await finding(at, 'mounts');
  mount.signal('SIGCONT');

  expect(state).toBe('broken');
  const [gone, silent, ...more] = says.split('; ');
  expect(gone).toMatch(/^the process is gone that served .*: mount again, or run "pailfs unmount" on it$/);
  expect(gone).toContain(other.mountpoint);
  expect(silent).toMatch(/^no answer comes from .*: "pailfs status --json" names the log$/);
  expect(silent).toContain(at.mountpoint);
  expect(more).toEqual([]);
});
