/** `pailfs mount` as a person and a script use it, on real mounts. */
import { once } from 'node:events';
import { open, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { draftText } from '../support/draft-bytes.ts';
import { CommandLine, ForegroundMount, killServing, killWhileWriting } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import type { EmbeddedServer } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';

const DONE = { code: 0, stdout: '', stderr: '' };

interface Scene {
  readonly server: EmbeddedServer;
  readonly at: CommandLine;
}

async function arrange(): Promise<Scene> {
  const server = await startEmbeddedServer();
  return { server, at: await CommandLine.open(server) };
}

async function storedText({ server }: Scene, key: string): Promise<string> {
  return (await bytesOf((await server.direct.getObject(server.bucket, key)).body)).toString();
}

/** What runs with this path among its arguments. */
async function processesNaming(path: string): Promise<readonly string[]> {
  const { output } = await shell('/', 'ps -eo stat=,args=');
  return output.split('\n').filter((line) => line.includes(path) && !line.startsWith('Z'));
}

describe('pailfs mount in the background', () => {
  it('returns, silently, when the directory can be used', async () => {
    const scene = await arrange();
    const { server, at } = scene;
    await server.direct.putObject(server.bucket, 'a.txt', uploadOf('from elsewhere'));

    const outcome = await at.run(['mount', 'photos', at.mountpoint]);

    expect(outcome).toEqual(DONE);
    expect(await readFile(join(at.mountpoint, 'a.txt'), 'utf8')).toBe('from elsewhere');
    await writeFile(join(at.mountpoint, 'b.txt'), 'from here');
    expect(await storedText(scene, 'b.txt')).toBe('from here');
  });

  it('takes a bucket by identifier as well', async () => {
    const { server, at } = await arrange();

    expect(await at.run(['mount', server.bucket, at.mountpoint])).toEqual(DONE);
    expect(await at.isMounted()).toBe(true);
  });

  it('can be called as mount(8) does, with options in -o', async () => {
    const { at } = await arrange();

    const outcome = await at.run([
      'photos',
      at.mountpoint,
      '-o',
      'rw,ro,_netdev,nofail,metadata_ttl=0,umask=077',
    ]);

    expect(outcome).toEqual(DONE);
    expect((await stat(at.mountpoint)).mode & 0o777).toBe(0o700);
    await expect(writeFile(join(at.mountpoint, 'a'), '')).rejects.toMatchObject({ code: 'EROFS' });
  });

  it('keeps open nothing that its caller has open', async () => {
    const { at } = await arrange();
    // Shells number so what a script holds a lock by, and what the substitution of a process is read by.
    const program = ['bash', '-c', 'exec "$@" 63> caller-63 200> caller-200', 'bash', ...CommandLine.words];

    await at.run(['mount', 'photos', at.mountpoint], { program });

    const { output } = await shell('/', 'readlink /proc/"$1"/fd/*', String(await at.servingProcess()));
    expect(output).toContain(at.home);
    expect(output).not.toContain('caller-');
  });

  it('lives in a session of its own, away from the caller’s directory', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    const pid = await at.servingProcess();

    const { output: folder } = await shell('/', `readlink /proc/${pid}/cwd`);
    const facts = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Behind the name in parentheses: state, parent, group, session.
    const session = facts.slice(facts.lastIndexOf(')') + 2).split(' ')[3];

    expect([session, folder.trim()]).toEqual([String(pid), '/']);
  });

  it('shows its secret in neither arguments, environment nor log', async () => {
    const { server, at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint, '--debug']);
    await readdir(at.mountpoint);
    const pid = await at.servingProcess();

    const texts = [
      await readFile(`/proc/${pid}/cmdline`, 'utf8'),
      await readFile(`/proc/${pid}/environ`, 'utf8'),
      await at.log(),
    ];

    expect(texts.join('\n')).not.toContain(server.credentials.secretAccessKey);
    expect(texts[0]).toContain(at.mountpoint);
  });

  it('keeps its files where only their owner can read them', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);

    const { output } = await shell(at.home, 'find state/pailfs -perm /077');

    expect(output).toBe('');
  });

  it('begins its log anew when somebody has removed it', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    const pid = await at.servingProcess();
    await shell(at.home, 'rm state/pailfs/logs/*.log');

    // It writes a line at each.
    const logAfterSignal = async (): Promise<string> => {
      process.kill(pid, 'SIGUSR1');
      return at.log().catch(() => '');
    };

    await expect.poll(logAfterSignal).toContain('"msg":"Refreshing"');
  });

  it('makes, for a log that is to lie in its own state directory, that directory', async () => {
    const { at } = await arrange();
    const log = join(at.home, 'state', 'pailfs', 'mine', 'log');

    const outcome = await at.run(['mount', 'photos', at.mountpoint, '--log-file', log]);

    expect(outcome).toEqual(DONE);
    expect(await readFile(log, 'utf8')).toContain(at.mountpoint);
  });

  it('ignores an XDG directory that is not absolute, instead of writing below the root', async () => {
    const { at } = await arrange();
    const environment = { XDG_STATE_HOME: 'relative' };

    const outcome = await at.run(['mount', 'photos', at.mountpoint], { environment });

    expect(outcome).toEqual(DONE);
    expect(await readdir(join(at.home, '.local', 'state', 'pailfs'))).toContain('logs');
    expect([...(await readdir(at.home)), ...(await readdir('/'))]).not.toContain('relative');
  });

  it('gives each of two mounts of one bucket a state directory of its own', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    const other = await CommandLine.open({
      baseUrl: '',
      credentials: { accessKeyId: '', secretAccessKey: '' },
    });
    await at.run(['mount', 'photos', other.mountpoint]);

    const { output } = await shell(at.home, 'ls -d state/pailfs/*/[0-9] | sed "s,.*/,,"');

    expect(output).toBe('0\n1\n');
  });

  it('is healed by the next mount after its process was killed', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    await killServing(at);

    const outcome = await at.run(['mount', 'photos', at.mountpoint]);

    expect(outcome.code).toBe(0);
    expect(await readdir(at.mountpoint)).toEqual([]);
  });

  it('lets no program write to the bare directory while the next mount is refused after its process was killed', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    await killServing(at);

    const outcome = await at.run(['mount', 'no-such-bucket', at.mountpoint]);

    expect(outcome.code).not.toBe(0);
    await expect(writeFile(join(at.mountpoint, 'a.txt'), 'lost')).rejects.toMatchObject({ code: 'ENOTCONN' });
  });

  it('names the half files that a killed mount left, and leaves them alone [crash/half]', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);
    await killWhileWriting(at, 'a.txt', 'precious');

    const outcome = await at.run(['mount', 'photos', at.mountpoint]);

    expect(outcome.code).toBe(0);
    const draft = /set aside: a\.txt \(.*\) in (\S+); .*pailfs uploads/.exec(outcome.stderr)?.[1] ?? '';
    expect(await draftText(draft)).toBe('precious');
    expect(await readdir(at.mountpoint)).toEqual([]);
  });
});

describe('pailfs mount that is given up before it is ready', () => {
  it.each([
    ['in the background', []],
    ['in front', ['-f']],
  ])('leaves nothing mounted and no process: %s', async (_where, words) => {
    const { server, at } = await arrange();
    server.faults.add({ operation: 'listBuckets', fault: { kind: 'stall' } });
    const child = at.start(['mount', 'photos', at.mountpoint, ...words]);
    // It does not wait for ever for the service.
    const end = once(child, 'close');
    await expect.poll(() => server.requests.count('listBuckets')).toBe(1);

    child.kill('SIGINT');
    await end;

    await expect.poll(() => processesNaming(at.mountpoint)).toEqual([]);
    expect(await at.isMounted()).toBe(false);
  });
});

describe('pailfs mount -f', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'ends with exit code 0 and unmounted at %s',
    async (signal) => {
      const { at } = await arrange();
      const mount = await at.mountInFront(['photos', at.mountpoint]);

      mount.signal(signal);

      expect(await mount.ended()).toBe(0);
      expect(await at.isMounted()).toBe(false);
    },
  );

  it('uploads what an open file holds before it ends at a signal', async () => {
    const scene = await arrange();
    const { at } = scene;
    const mount = await at.mountInFront(['photos', at.mountpoint]);
    const file = await open(join(at.mountpoint, 'a.txt'), 'w');
    onTestFinished(() => file.close().catch(() => undefined));
    await file.write('unsaved');

    mount.signal('SIGTERM');

    expect(await mount.ended()).toBe(0);
    expect(await at.isMounted()).toBe(false);
    expect(await storedText(scene, 'a.txt')).toBe('unsaved');
    expect(mount.stderr).toMatch(/is in use by/);
    expect(await at.run(['mount', 'photos', at.mountpoint])).toEqual(DONE);
  });

  it.each(['throw new Error("planted")', 'void Promise.reject(new Error("planted"))'])(
    'uploads and unmounts, and fails, after a fault of its own: %s',
    async (fault) => {
      const scene = await arrange();
      const { at } = scene;
      const planted = join(at.home, 'planted.mjs');
      await writeFile(planted, `process.on('SIGUSR2', () => { ${fault}; });`);
      const launch = { environment: { NODE_OPTIONS: `--import=${planted}` } };
      const mount = await at.mountInFront(['photos', at.mountpoint], launch);
      const file = await open(join(at.mountpoint, 'a.txt'), 'w');
      onTestFinished(() => file.close().catch(() => undefined));
      await file.write('unsaved');

      mount.signal('SIGUSR2');

      expect(await mount.ended()).toBe(1);
      expect(await at.isMounted()).toBe(false);
      expect(await storedText(scene, 'a.txt')).toBe('unsaved');
      expect(mount.stderr).toMatch(/An error of pailfs itself.*planted/);
    },
  );

  it('says where the bytes are that it could not upload, and fails [write/unmount]', async () => {
    const { server, at } = await arrange();
    const mount = await at.mountInFront(['photos', at.mountpoint]);
    const file = await open(join(at.mountpoint, 'a.txt'), 'w');
    onTestFinished(() => file.close().catch(() => undefined));
    await file.write('unsent');
    server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 403 } });

    mount.signal('SIGTERM');

    expect(await mount.ended()).toBe(1);
    expect(await at.isMounted()).toBe(false);
    const kept = /"file":"([^"]+)"/.exec(mount.stderr)?.[1] ?? '';
    expect(await draftText(kept)).toBe('unsent');
  });

  it('ends with exit code 0 when somebody else unmounts', async () => {
    const { at } = await arrange();
    const mount = await at.mountInFront(['photos', at.mountpoint]);

    const { exit } = await shell('/', 'umount "$1" || fusermount3 -u "$1"', at.mountpoint);

    expect(exit).toBe(0);
    expect(await mount.ended()).toBe(0);
  });

  it('[fresh/refresh] forgets what it knows about names at SIGUSR1', async () => {
    const { server, at } = await arrange();
    const mount = await at.mountInFront(['photos', at.mountpoint, '--metadata-ttl', '3600']);
    expect(await readdir(at.mountpoint)).toEqual([]);
    await server.direct.putObject(server.bucket, 'new', uploadOf('1'));

    mount.signal('SIGUSR1');

    await expect.poll(() => readdir(at.mountpoint)).toEqual(['new']);
  });

  it('opens no debugger at SIGUSR1, also when it is not ready yet', async () => {
    const { server, at } = await arrange();
    server.faults.add({ fault: { kind: 'stall' } });
    const child = at.start(['mount', 'photos', at.mountpoint, '-f']);
    const mount = new ForegroundMount(child);
    await expect.poll(() => server.faults.left).toBe(0);

    mount.signal('SIGUSR1');
    mount.signal('SIGTERM');

    expect(await mount.ended()).toBe(1);
    expect(mount.stderr).not.toMatch(/debugger/i);
  });

  it('logs 300 failing calls in less than 100 lines', async () => {
    const { server, at } = await arrange();
    const mount = await at.mountInFront(['photos', at.mountpoint, '--metadata-ttl', '0']);
    server.faults.add({ times: Infinity, fault: { kind: 'status', status: 403 } });

    const calls = Array.from({ length: 300 }, (_, call) => stat(join(at.mountpoint, `file-${call}`)));
    const results = await Promise.allSettled(calls);
    server.faults.clear();
    mount.signal('SIGTERM');
    await mount.ended();

    const codes = results.map(
      (result) => result.status === 'rejected' && (result.reason as NodeJS.ErrnoException).code,
    );
    expect(new Set(codes)).toEqual(new Set(['EACCES']));
    expect(mount.stderr.split('\n').length).toBeLessThan(100);
  });
});

describe('pailfs', () => {
  it('shows help with examples, and its version', async () => {
    const { at } = await arrange();

    const help = await at.run(['--help']);
    const mountHelp = await at.run(['mount', '--help']);
    const version = await at.run(['--version']);

    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('pailfs mount photos ~/photos') as string,
    });
    expect(mountHelp).toMatchObject({ code: 0, stdout: expect.stringContaining('/etc/fstab') as string });
    expect(mountHelp.stdout).not.toContain('secret-access-key');
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
  });
});
