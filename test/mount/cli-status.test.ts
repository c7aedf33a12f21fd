/** `pailfs status` as a person and a script use it, on real mounts. */
import { chmod, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CommandLine, goneProcess, type Outcome } from '../support/command-line.ts';
import { DEFAULT_DRIVER } from '../support/drivers.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

/** On a machine that is busy enough a mount may seem silent. */
async function onceServing(at: CommandLine, mountpoint: string): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await expect
    .poll(async () => (outcome = await at.run(['status', mountpoint, '--json'])).stdout)
    .toContain('"state": "serving"');
  if (outcome === undefined) throw new Error('never asked');
  return outcome;
}

describe('pailfs status', () => {
  it('shows a mount from its beginning to its end', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    await at.run(['mount', 'photos', at.mountpoint, '--read-only']);
    const pid = await at.servingProcess();

    const shown = await onceServing(at, './mnt/');
    const all = await at.run(['status']);
    process.kill(pid, 'SIGKILL');
    await goneProcess(pid);
    const dead = await at.run(['status', at.mountpoint]);
    await at.run(['unmount', at.mountpoint]);
    const over = await at.run(['status', at.mountpoint]);

    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toEqual([
      {
        mountpoint: at.mountpoint,
        bucket: 'photos',
        baseUrl: server.baseUrl,
        driver: DEFAULT_DRIVER,
        pid,
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        readOnly: true,
        mayWrite: true,
        state: 'serving',
        logFile: expect.stringContaining(at.home) as string,
        live: expect.objectContaining({ phase: 'serving', changes: [] }) as object,
        unsent: [],
      },
    ]);
    expect(shown.stdout).not.toContain(server.credentials.secretAccessKey);
    const line = all.stdout.split('\n').find((row) => row.startsWith(`${at.mountpoint} `));
    expect(line).toMatch(new RegExp(` photos .* ${DEFAULT_DRIVER} +${pid} .* ro +\\w+$`));
    expect(dead.code).toBe(0);
    expect(dead.stdout).toMatch(/ ro +dead\n$/);
    expect(over).toMatchObject({ code: 1, stdout: '' });
  });

  // Only root can become somebody else.
  it.runIf(process.getuid?.() === 0)(
    "says of another user's mount that it is one, as uploads does",
    async () => {
      const at = await CommandLine.open(await startEmbeddedServer());
      await at.run(['mount', 'photos', at.mountpoint, '--allow-other']);
      await chmod(at.home, 0o711);
      const words = CommandLine.words.map((word) => `'${word}'`).join(' ');
      const asked = (command: string): Promise<Outcome> =>
        at.shell(
          `setpriv --reuid=12345 --regid=12345 --clear-groups env HOME=/nonexistent XDG_STATE_HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent ${words} ${command} '${at.mountpoint}'`,
        );

      const outcomes = [await asked('status'), await asked('uploads')];
      await at.run(['unmount', at.mountpoint]);

      const expected = {
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^pailfs: nobody can be asked about \S+\/mnt: it is another user's mount, or .*\n$/,
        ) as string,
      };
      expect(outcomes).toEqual([expected, expected]);
    },
  );

  it('names scratch files that are on this machine alone [scratch/status]', async () => {
    const at = await CommandLine.open(await startEmbeddedServer());
    await at.run(['mount', 'photos', at.mountpoint]);
    await writeFile(`${at.mountpoint}/.notes.swp`, 'swap');

    await expect
      .poll(async () => (await at.run(['status', at.mountpoint])).stdout)
      .toMatch(/ scratch +local .* \/\.notes\.swp$/m);
    const { stdout } = await at.run(['status', at.mountpoint, '--json']);
    await at.run(['unmount', at.mountpoint]);

    expect(JSON.parse(stdout)).toMatchObject([
      { live: { waiting: { scratch: 1 }, changes: [{ path: '/.notes.swp', bytes: 4 }] } },
    ]);
  });

  it('says of a mount that does not answer that it is silent, and waits for it no longer than need be', async () => {
    const at = await CommandLine.open(await startEmbeddedServer());
    const mount = await at.mountInFront(['photos', at.mountpoint]);

    mount.signal('SIGSTOP');
    const silent = await at.run(['status', at.mountpoint, '--json']);
    mount.signal('SIGCONT');
    const serving = await onceServing(at, at.mountpoint);

    expect(JSON.parse(silent.stdout)).toMatchObject([{ state: 'silent', live: null }]);
    expect(JSON.parse(serving.stdout)).toMatchObject([{ state: 'serving' }]);
  });
});
