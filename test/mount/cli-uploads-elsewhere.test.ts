/** `pailfs uploads` where a mount was told to keep its bytes elsewhere, and the person who looks does not say where. */
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../src/cli/doctor/check.ts';
import { CommandLine, goneProcess, type ForegroundMount } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer, type EmbeddedServer } from '../support/embedded-service.ts';

interface Scene {
  readonly at: CommandLine;
  readonly server: EmbeddedServer;
  /** The files that say where bytes are. */
  readonly pointers: () => Promise<readonly string[]>;
}

async function arrange(): Promise<Scene> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  const pointers = (): Promise<readonly string[]> =>
    readdir(join(at.home, 'state', 'pailfs', 'elsewhere')).catch(() => []);
  return { at, server, pointers };
}

/** A file whose upload the service refuses for now. */
async function writeUnstored(
  { at, server }: Scene,
  name = 'a.txt',
  mountpoint = at.mountpoint,
): Promise<void> {
  server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 402 } });
  await expect(writeFile(join(mountpoint, name), 'kept')).rejects.toThrow();
  server.faults.clear();
}

async function kill(mount: ForegroundMount): Promise<void> {
  mount.signal('SIGKILL');
  await goneProcess(mount.pid);
}

/** What is listed of this service; other tests' are below other homes. */
async function listed({ at, server }: Scene, words: readonly string[] = []): Promise<readonly string[]> {
  const { stdout } = await at.run(['uploads', ...words, '--json']);
  const places = JSON.parse(stdout) as readonly {
    readonly baseUrl: string;
    readonly changes: readonly { readonly path: string }[];
  }[];
  return places
    .filter(({ baseUrl }) => baseUrl === server.baseUrl)
    .flatMap(({ changes }) => changes.map(({ path }) => path));
}

describe('what a killed mount left elsewhere [uploads/elsewhere]', () => {
  it.each([
    ['--state-dir', 'big disk', 'big disk'],
    ['--cache-dir', 'big disk', 'big disk/state'],
  ])('is listed, stored and no more looked for: %s', async (flag, directory, home) => {
    const scene = await arrange();
    const { at, server, pointers } = scene;
    const mount = await at.mountInFront(['photos', at.mountpoint, flag, directory]);
    await writeUnstored(scene);
    await kill(mount);

    const all = await listed(scene);
    const ofMount = await listed(scene, [at.mountpoint]);
    await mkdir(join(at.home, 'other'));
    const elsewhere = await listed(scene, ['--state-dir', 'other']);
    const doctor = JSON.parse((await at.run(['doctor', '--json'])).stdout) as readonly Check[];
    const retried = await at.run(['uploads', 'retry', '--mount', 'mnt']);
    const stored = await bytesOf((await server.direct.getObject(server.bucket, 'a.txt')).body);

    expect({ all, ofMount, elsewhere }).toEqual({ all: ['/a.txt'], ofMount: ['/a.txt'], elsewhere: [] });
    expect(doctor).toContainEqual({
      check: 'not stored',
      state: 'warning',
      says: expect.stringMatching(/^1 file .*: "pailfs uploads" lists/) as string,
    });
    expect(retried).toEqual({ code: 0, stdout: 'stored /a.txt\n', stderr: '' });
    expect(stored.toString()).toBe('kept');
    expect(await readdir(join(at.home, home))).not.toEqual([]);
    await at.run(['uploads']);
    expect(await pointers()).toEqual([]);
  });

  it('is exported and discarded by who does not say where it is', async () => {
    const scene = await arrange();
    const { at } = scene;
    const mount = await at.mountInFront(['photos', at.mountpoint, '--state-dir', 'other']);
    await writeUnstored(scene);
    await kill(mount);

    const exported = await at.run(['uploads', 'export', 'out', '--mount', 'mnt']);
    const discarded = await at.run(['uploads', 'discard', 'a.txt', '--yes', '--mount', 'mnt']);

    expect(exported).toEqual({ code: 0, stdout: `${join(at.home, 'out/a.txt')}\n`, stderr: '' });
    expect(discarded).toEqual({ code: 0, stdout: 'discarded /a.txt\n', stderr: '' });
    expect(await listed(scene)).toEqual([]);
  });

  it('is not listed nor discarded by who names another state directory, while its mount runs', async () => {
    const scene = await arrange();
    const { at } = scene;
    const mount = await at.mountInFront(['photos', at.mountpoint, '--state-dir', 'other']);
    await writeUnstored(scene);

    await mkdir(join(at.home, 'another'));
    const listedThere = await listed(scene, ['--state-dir', 'another']);
    await at.run(['uploads', 'discard', '--all', '--yes', '--state-dir', 'another']);

    expect({ listedThere, listed: await listed(scene) }).toEqual({ listedThere: [], listed: ['/a.txt'] });
    expect(await listed(scene, ['--state-dir', 'other'])).toEqual(['/a.txt']);
    await kill(mount);
  });

  it('is said to be out of sight while its disk is missing, beside the document of --json', async () => {
    const scene = await arrange();
    const { at, pointers } = scene;
    const home = join(at.home, 'disk');
    const mount = await at.mountInFront(['photos', at.mountpoint, '--state-dir', home]);
    await writeUnstored(scene);
    await kill(mount);
    await rename(home, `${home}.away`);

    const told = await at.run(['uploads', 'mnt', '--json']);
    const toPerson = await at.run(['uploads', 'mnt']);
    const [pointer = ''] = await pointers();
    await rename(`${home}.away`, home);

    const line = `pailfs: a mount may have left bytes in ${home}, which cannot be looked into (nothing of pailfs is there): see whether its disk is there, or run "rm ${join(at.home, 'state/pailfs/elsewhere', pointer)}" to have it forgotten\n`;
    expect(told).toEqual({ code: 0, stdout: '[]\n', stderr: line });
    expect(toPerson).toEqual({ code: 0, stdout: 'everything else is stored\n', stderr: line });
    expect(await listed(scene)).toEqual(['/a.txt']);
  });

  it('is listed when nobody had looked into its bucket before somebody asked (--all-buckets)', async () => {
    const scene = await arrange();
    const { at } = scene;
    const mount = await at.mountInFront(['--all-buckets', at.mountpoint, '--state-dir', 'other']);
    expect(await listed(scene)).toEqual([]);
    await writeUnstored(scene, 'photos/a.txt');
    await kill(mount);

    expect(await listed(scene)).toEqual(['/a.txt']);
  });

  it('is found by the mountpoint where the usual place takes nothing, of which the mount has warned', async () => {
    const scene = await arrange();
    const { at } = scene;
    const environment = { XDG_STATE_HOME: '/proc' };
    const words = ['photos', at.mountpoint, '--state-dir', join(at.home, 'other')];
    const mount = await at.mountInFront(words, { environment });
    await writeUnstored(scene);
    await kill(mount);

    const { stdout } = await at.run(['uploads', at.mountpoint], { environment });

    const warnings = mount.stderr.split('\n').filter((line) => line.includes('should this mount leave'));
    expect(warnings).toEqual([
      expect.stringMatching(
        /only "pailfs uploads --state-dir \S+\/other" will find it: \/proc\/pailfs: no such/,
      ),
    ]);
    expect(stdout).toMatch(/ \/a\.txt /);
  });
});

describe('the pointer to where a mount keeps its bytes [uploads/elsewhere]', () => {
  it('is there when the mount answers, and goes with a mount that has stored everything', async () => {
    const { at, pointers } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint, '--state-dir', 'other']);
    const whileMounted = await pointers();
    await writeFile(join(at.mountpoint, 'a.txt'), 'stored');
    await at.run(['unmount', at.mountpoint]);

    expect(whileMounted).toHaveLength(1);
    expect(await pointers()).toEqual([]);
  });

  it('stays for another mount with the same place, and what that one leaves is found', async () => {
    const scene = await arrange();
    const { at, server } = scene;
    const second = await CommandLine.open(server);
    const words = ['--state-dir', join(at.home, 'other')];
    const environment = { XDG_STATE_HOME: join(at.home, 'state') };
    const first = await at.mountInFront(['photos', at.mountpoint, ...words]);
    const other = await second.mountInFront(['photos', second.mountpoint, ...words], { environment });
    first.signal('SIGTERM');
    await first.ended();
    await writeUnstored(scene, 'a.txt', second.mountpoint);
    await kill(other);

    const found = await listed(scene);

    expect(found).toEqual(['/a.txt']);
  });

  it('is not left by a mount that leaves nothing: of the usual place all, elsewhere one that only reads', async () => {
    const { at, pointers } = await arrange();
    const seen: (readonly string[])[] = [];
    for (const words of [[], ['--read-only', '--state-dir', 'other']]) {
      const mount = await at.mountInFront(['photos', at.mountpoint, ...words]);
      seen.push(await pointers());
      mount.signal('SIGTERM');
      await mount.ended();
    }

    expect(seen).toEqual([[], []]);
  });

  it('is what unmount names, when something is left [unmount/leave]', async () => {
    const scene = await arrange();
    const { at } = scene;
    await at.run(['mount', 'photos', at.mountpoint, '--state-dir', "it's here"]);
    await writeUnstored(scene);
    scene.server.faults.add({
      operation: 'putObject',
      times: Infinity,
      fault: { kind: 'status', status: 402 },
    });

    const { stderr } = await at.run(['unmount', at.mountpoint, '--leave-pending']);

    const home = join(at.home, "it's here").replace("'", "'\\''");
    expect(stderr).toMatch(`"pailfs uploads --state-dir '${home}'" shows it\n`);
    expect(await listed(scene)).toEqual(['/a.txt']);
  });
});
