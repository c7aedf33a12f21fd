/** `pailfs unmount` as a person and a script use it, on real mounts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findMount } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { draftText } from '../support/draft-bytes.ts';
import { CommandLine, killServing, isAlive } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer } from '../support/embedded-service.ts';

/** On a busy machine the serving process takes longer to end than `unmount` waits in silence. */
const MAYBE_WAITING =
  /^(pailfs: waiting (for uploads to finish|until the programs that use it have let go) \(pailfs is process \d+, \d+ s\)\n)*$/;
const DONE = { code: 0, stdout: '', stderr: expect.stringMatching(MAYBE_WAITING) as string };

async function arrange(): Promise<{ readonly at: CommandLine }> {
  return { at: await CommandLine.open(await startEmbeddedServer()) };
}

/** A program that keeps the mount busy until the test ends. */
async function occupy(mountpoint: string): Promise<void> {
  const child = spawn('sh', ['-c', 'echo ready; exec sleep 600'], {
    cwd: mountpoint,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
}

describe('pailfs unmount', () => {
  it('returns when the process is gone', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    const pid = await at.servingProcess();

    const outcome = await at.run(['unmount', at.mountpoint]);

    expect(outcome).toEqual(DONE);
    expect(await at.isMounted()).toBe(false);
    expect(await isAlive(pid)).toBe(false);
  });

  it('finds the mount by a relative path and with a trailing slash', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', 'mnt']);

    expect(await at.run(['unmount', './mnt/'])).toEqual(DONE);
  });

  // Only root can become somebody else.
  it.runIf(process.getuid?.() === 0).each(['.', 'busy'])(
    'leaves the mount of another user alone, and ends with 32, whatever its directory is called (%s)',
    async (name) => {
      const { at } = await arrange();
      const mountpoint = join(at.mountpoint, name);
      await mkdir(mountpoint, { recursive: true });
      await at.run(['mount', 'photos', mountpoint]);
      onTestFinished(() => unmountDirectory(mountpoint, { lazy: false }));
      await chmod(at.home, 0o711);
      const words = CommandLine.words.map((word) => `'${word}'`).join(' ');

      const outcome = await at.shell(
        `HOME=/nonexistent setpriv --reuid=65534 --regid=65534 --clear-groups ${words} unmount '${mountpoint}'`,
      );

      expect(outcome).toMatchObject({
        code: 32,
        stderr: `pailfs: ${mountpoint} cannot be unmounted by you: it is another user's mount; that user can, and so can root\n`,
      });
      expect(await findMount(mountpoint)).toBeDefined();
    },
  );

  it('names the program that keeps the mount busy, and leaves it mounted', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    await occupy(at.mountpoint);

    const outcome = await at.run(['unmount', at.mountpoint]);
    const debugged = await at.run(['unmount', at.mountpoint, '--debug']);

    expect(outcome).toMatchObject({
      code: 16,
      stderr: expect.stringMatching(/^pailfs: \S+ is in use by sleep \(process \d+\): close .*\n$/) as string,
    });
    expect(debugged).toMatchObject({ code: 16, stderr: expect.stringMatching(/^ {4}at /m) as string });
    expect(await at.isMounted()).toBe(true);
  });

  it('does not keep it busy itself where it is called from within', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    const program = ['sh', '-c', 'cd mnt && exec "$@"', 'sh', ...CommandLine.words];

    expect(await at.run(['unmount', at.mountpoint], { program })).toEqual(DONE);
    expect(await at.isMounted()).toBe(false);
  });

  // fusermount mounts nothing inside a FUSE mount for an ordinary user.
  it.runIf(process.getuid?.() === 0)('names what is mounted inside', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    const inner = join(at.mountpoint, 'inner');
    await mkdir(inner);
    await at.run(['mount', 'photos', inner]);

    const busy = await at.run(['unmount', at.mountpoint]);

    expect(busy).toMatchObject({
      code: 16,
      stderr: expect.stringContaining(`photos is mounted inside, at ${inner}; unmount that first`) as string,
    });
    expect(await at.run(['unmount', inner])).toEqual(DONE);
  });

  it('names what could not be stored, and the file that keeps its bytes [write/unmount]', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    await at.run(['mount', 'photos', at.mountpoint]);
    server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 402 } });
    const written = writeFile(join(at.mountpoint, 'a.txt'), 'unsent');
    await expect(written).rejects.toMatchObject({ errno: -constants.errno.EDQUOT });

    const outcome = await at.run(['unmount', at.mountpoint]);

    expect(outcome.code).toBe(1);
    const kept = /^pailfs: \/a\.txt could not be uploaded .*: its bytes are kept in (\S+)$/m.exec(
      outcome.stderr,
    );
    expect(await draftText(kept?.[1] ?? '')).toBe('unsent');
  });

  it.each([['--timeout', '0.5'], ['--leave-pending']])(
    'leaves to the next mount what is not stored, and says what that is: %s [unmount/leave]',
    async (...flags) => {
      const server = await startEmbeddedServer();
      const at = await CommandLine.open(server);
      await at.run(['mount', 'photos', at.mountpoint]);
      server.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
      await expect(writeFile(join(at.mountpoint, 'a.txt'), 'unsent')).rejects.toThrow();
      server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'stall' } });

      const outcome = await at.run(['unmount', at.mountpoint, ...flags]);
      server.faults.clear();
      const next = await at.run(['mount', 'photos', at.mountpoint]);

      expect(outcome.code).toBe(1);
      expect(outcome.stderr).toMatch(
        /^pailfs: \/a\.txt could not be uploaded \(.*, 6 B\): its bytes are kept in \S+$/m,
      );
      expect(outcome.stderr).toMatch(/"pailfs uploads" shows it\n$/);
      expect(next).toMatchObject({ code: 0 });
      const bytes = async (): Promise<string> => {
        const object = await server.direct.getObject(server.bucket, 'a.txt').catch(() => null);
        return object === null ? '' : (await bytesOf(object.body)).toString();
      };
      await expect.poll(bytes).toBe('unsent');
    },
  );

  it('is not waited for by a process that gets a second signal [unmount/leave]', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    const mount = await at.mountInFront(['photos', at.mountpoint]);
    server.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
    await expect(writeFile(join(at.mountpoint, 'a.txt'), 'unsent')).rejects.toThrow();
    server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'stall' } });

    mount.signal('SIGTERM');
    await expect.poll(() => mount.stderr).toContain('Finishing');
    mount.signal('SIGINT');
    const code = await mount.ended();

    expect(code).toBe(1);
    expect(mount.stderr).toContain('Asked to end at once');
    expect(mount.stderr).toContain('/a.txt');
    const { stdout } = await at.run(['uploads', '--json']);
    // Other mounts of this machine are listed, too.
    const places = (JSON.parse(stdout) as { baseUrl: string }[]).filter(
      ({ baseUrl }) => baseUrl === server.baseUrl,
    );
    expect(places).toMatchObject([{ changes: [{ path: '/a.txt', bytes: 6 }] }]);
  });

  it('nor by one that was detached, and that a program still uses [unmount/leave]', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    const mount = await at.mountInFront(['photos', at.mountpoint]);
    server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'stall' } });
    // Its close waits for the upload.
    const written = writeFile(join(at.mountpoint, 'a.txt'), 'unsent').catch((error: unknown) => error);
    await at.run(['unmount', at.mountpoint, '--lazy', '--timeout', '1']);

    mount.signal('SIGTERM');
    await expect.poll(() => mount.stderr).toContain('Finishing');
    mount.signal('SIGTERM');
    const code = await mount.ended();

    expect(code).toBe(1);
    expect(mount.stderr).toContain('/a.txt');
    // Not ETIMEDOUT, which would be the upload's end.
    expect(await written).toMatchObject({ syscall: 'close', code: 'EIO' });
  });

  it('detaches a busy mount when asked to', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    await occupy(at.mountpoint);

    // Whose time is up says so at once when it was held up: what is said before is waited for without a limit.
    const waiting = at.start(['unmount', at.mountpoint, '--lazy']);
    let said = '';
    waiting.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    await expect
      .poll(() => said)
      .toMatch(
        /^pailfs: waiting until the programs that use it have let go \(pailfs is process \d+, \d+ s\)\n/,
      );
    waiting.kill('SIGKILL');
    const outcome = await at.run(['unmount', at.mountpoint, '--lazy', '--timeout', '1']);

    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/is unmounted, but process \d+/);
    expect(await at.isMounted()).toBe(false);
  });

  it('says so when nothing is mounted there, or something else', async () => {
    const { at } = await arrange();

    const nothing = await at.run(['unmount', at.mountpoint]);
    const missing = await at.run(['unmount', join(at.home, 'none')]);
    const other = await at.run(['unmount', '/proc']);

    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^pailfs: nothing is mounted/) as string,
    });
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') as string });
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a mount of proc, not of pailfs') as string,
    });
  });

  it('clears away a mount whose process was killed, and says that nobody knows what is missing', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    await killServing(at);

    const outcome = await at.run(['unmount', at.mountpoint]);

    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ended without saying whether everything is stored') as string,
    });
    expect(await at.isMounted()).toBe(false);
  });
});
