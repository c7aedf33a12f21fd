/** `pailfs uploads` as a person and a script use it, on real mounts and after them. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine, goneProcess, killWhileWriting, type Outcome } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

interface Scene {
  readonly at: CommandLine;
  readonly server: EmbeddedServer;
  readonly stored: (key: string) => Promise<string>;
}

async function mounted(options: readonly string[] = []): Promise<Scene> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  expect(await at.run(['mount', 'photos', at.mountpoint, ...options])).toMatchObject({ code: 0 });
  const stored = async (key: string): Promise<string> =>
    (await bytesOf((await server.direct.getObject(server.bucket, key)).body)).toString();
  return { at, server, stored };
}

/** All uploads are answered with `status` from now on. */
function refuse({ faults }: EmbeddedServer, status: number): void {
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status } });
}

interface Listed {
  readonly mountpoint: string | null;
  readonly bucket: string;
  readonly baseUrl: string;
  readonly changes: readonly { readonly id: string; readonly path: string; readonly state: string }[];
}

/** What `--json` lists of this service alone: other tests' directories are below other homes. */
function listedIn({ stdout }: Outcome, { baseUrl }: EmbeddedServer): readonly Listed[] {
  const places = JSON.parse(stdout) as readonly Listed[];
  return places.filter((place) => place.baseUrl === baseUrl);
}

async function killed({ at }: Scene): Promise<void> {
  const pid = await at.servingProcess();
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);
}

describe('pailfs uploads of a running mount', () => {
  it('shows the end of a line in a name as ?, where it asks whether to discard that', async () => {
    const { at, server } = await mounted();
    refuse(server, 403);
    await expect(writeFile(join(at.mountpoint, 'a \nb'), 'refused')).rejects.toThrow();

    const asked = await at.run(['uploads', 'discard', '/a \nb'], { typed: 'n\n' });
    const discarded = await at.run(['uploads', 'discard', '/a \nb', '--yes']);

    expect(asked.stdout).toContain('to be discarded: /a ?b\r\n');
    expect(discarded).toMatchObject({ code: 0, stdout: 'discarded /a ?b\n' });
  });

  it('lists what failed and what was refused; retry stores it, export and discard do as they are told [uploads/list] [uploads/export]', async () => {
    const { at, server, stored } = await mounted();
    refuse(server, 402);
    await expect(writeFile(join(at.mountpoint, 'paused.txt'), 'paused')).rejects.toThrow();
    server.faults.clear();
    refuse(server, 403);
    await mkdir(join(at.mountpoint, 'd'));
    await expect(writeFile(join(at.mountpoint, 'd/refused.txt'), 'refused')).rejects.toThrow();

    const table = await at.run(['uploads', at.mountpoint]);
    const [place] = listedIn(await at.run(['uploads', 'mnt', '--json']), server);
    server.faults.clear();
    const retried = await at.run(['uploads', 'retry', 'mnt/paused.txt', '--mount', 'mnt']);
    const exported = await at.run(['uploads', 'export', 'out', '--mount', 'mnt']);
    const again = await at.run(['uploads', 'export', 'out', 'd/refused.txt', '--mount', 'mnt']);
    const refused = place?.changes.find(({ path }) => path === '/d/refused.txt');
    const unasked = await at.run(['uploads', 'discard', refused?.id ?? '']);
    const discarded = await at.run(['uploads', 'discard', refused?.id.slice(0, 8) ?? '', '--yes']);
    const over = await at.run(['uploads', 'mnt']);

    expect(table).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).toContain(`photos at ${server.baseUrl}, mounted at ${at.mountpoint}:\n`);
    expect(table.stdout).toMatch(/ upload +failed +6 B .* 1 +\/paused\.txt +EDQUOT: /);
    expect(table.stdout).toMatch(/ upload +set aside +7 B .* 1 +\/d\/refused\.txt +EACCES: /);
    expect(place).toMatchObject({ mountpoint: at.mountpoint, bucket: 'photos' });
    expect(retried).toEqual({ code: 0, stdout: 'stored /paused.txt\n', stderr: '' });
    expect(await stored('paused.txt')).toBe('paused');
    expect(exported).toEqual({ code: 0, stdout: `${join(at.home, 'out/d/refused.txt')}\n`, stderr: '' });
    expect(again).toMatchObject({ code: 0, stdout: `${join(at.home, 'out/d/refused (2).txt')}\n` });
    expect(await readFile(join(at.home, 'out/d/refused.txt'), 'utf8')).toBe('refused');
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') as string });
    expect(discarded).toEqual({ code: 0, stdout: 'discarded /d/refused.txt\n', stderr: '' });
    expect(over).toEqual({ code: 0, stdout: 'everything is stored\n', stderr: '' });
  });

  it('says where nothing can be exported to', async () => {
    const { at } = await mounted();
    await writeFile(join(at.home, 'file'), '');

    const toFile = await at.run(['uploads', 'export', 'file', '--mount', 'mnt']);
    const toNowhere = await at.run(['uploads', 'export', '/proc/none', '--mount', 'mnt']);

    const file = join(at.home, 'file');
    expect(toFile).toEqual({
      code: 1,
      stdout: '',
      stderr: `pailfs: nothing can be exported to ${file}: it is no directory\n`,
    });
    expect(toNowhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'nothing can be exported to /proc/none: no such file or directory',
      ) as string,
    });
  });

  it('says what could not be stored, and fails', async () => {
    const { at, server } = await mounted();
    refuse(server, 402);
    await expect(writeFile(join(at.mountpoint, 'f'), 'paused')).rejects.toThrow();

    const retried = await at.run(['uploads', 'retry', '--mount', 'mnt']);
    const unknown = await at.run(['uploads', 'retry', 'nothing', '--mount', 'mnt']);
    await at.run(['unmount', at.mountpoint, '--leave-pending']);

    expect(retried).toMatchObject({ code: 1, stdout: '' });
    expect(retried.stderr).toMatch(/^pailfs: \/f is not stored: .*\n$/);
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).toMatch(/^pailfs: nothing that waits here is called nothing: .*\n$/);
  });
});

describe('pailfs uploads where no mount runs', () => {
  it('lists what a killed mount left, and stores it [uploads/offline]', async () => {
    const scene = await mounted();
    const { at, server, stored } = scene;
    refuse(server, 402);
    await expect(writeFile(join(at.mountpoint, 'a.txt'), 'kept')).rejects.toThrow();
    await killed(scene);

    const listed = listedIn(await at.run(['uploads', '--json']), server);
    const byMountpoint = listedIn(await at.run(['uploads', at.mountpoint, '--json']), server);
    const failed = await at.run(['uploads', 'retry', '--mount', 'mnt']);
    server.faults.clear();
    const other = await at.run(['uploads', 'retry', '--mount', 'mnt'], {
      environment: { PAILFS_ACCESS_KEY_ID: server.readOnlyCredentials.accessKeyId },
    });
    const retried = await at.run(['uploads', 'retry', '--mount', 'mnt']);

    expect(listed).toMatchObject([
      { mountpoint: null, bucket: 'photos', changes: [{ path: '/a.txt', state: 'failed', bytes: 4 }] },
    ]);
    expect(byMountpoint).toEqual(listed);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/\/a\.txt is not stored: /);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('other credentials') as string });
    expect(retried).toEqual({ code: 0, stdout: 'stored /a.txt\n', stderr: '' });
    expect(await stored('a.txt')).toBe('kept');
    expect((await at.run(['uploads'])).stdout).not.toContain(server.baseUrl);
  });

  it('exports and discards without the service, and stores beside what others stored since [uploads/offline]', async () => {
    const scene = await mounted();
    const { at, server, stored } = scene;
    refuse(server, 403);
    for (const name of ['a', 'b']) {
      await expect(writeFile(join(at.mountpoint, name), `ours ${name}`)).rejects.toThrow();
    }
    await killed(scene);
    server.faults.clear();
    await server.direct.putObject(server.bucket, 'a', uploadOf('theirs'));

    const away = { environment: { PAILFS_BASE_URL: undefined, PAILFS_ACCESS_KEY_ID: undefined } };
    const exported = await at.run(['uploads', 'export', 'out', 'b', '--mount', 'mnt'], away);
    const discarded = await at.run(['uploads', 'discard', 'b', '--yes', '--mount', 'mnt'], away);
    const retried = await at.run(['uploads', 'retry', 'a', '--mount', 'mnt']);

    expect(exported).toMatchObject({ code: 0, stdout: `${join(at.home, 'out/b')}\n` });
    expect(await readFile(join(at.home, 'out/b'), 'utf8')).toBe('ours b');
    expect(discarded).toMatchObject({ code: 0, stdout: 'discarded /b\n' });
    const beside = /^stored \/a as \/(a \(conflict .*\))\n$/.exec(retried.stdout)?.[1] ?? '';
    expect(await stored(beside)).toBe('ours a');
    expect(await stored('a')).toBe('theirs');
    expect((await at.run(['uploads'])).stdout).not.toContain(server.baseUrl);
  });

  it('names and exports half files, too, where their disk is read-only by now [uploads/offline]', async () => {
    const { at, server } = await mounted();
    await killWhileWriting(at, 'half.txt', 'half');
    const launch = { namespaceSetup: 'mount --bind state state && mount -o remount,ro,bind state' };

    const listed = listedIn(await at.run(['uploads', '--json'], launch), server);
    const exported = await at.run(['uploads', 'export', 'out', 'half.txt', '--mount', 'mnt'], launch);

    expect(listed).toMatchObject([{ changes: [{ path: '/half.txt', state: 'set aside', isWhole: false }] }]);
    expect(exported).toEqual({ code: 0, stdout: `${join(at.home, 'out/half.txt')}\n`, stderr: '' });
    expect(await readFile(join(at.home, 'out/half.txt'), 'utf8')).toBe('half');
  });

  it('lists what a killed mount had still to delete, deletes it or lets it stay [uploads/offline] [uploads/list]', async () => {
    const scene = await mounted(['--write-back']);
    const { at, server } = scene;
    for (const name of ['a', 'b']) await server.direct.putObject(server.bucket, name, uploadOf(name));
    server.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 402 } });
    for (const name of ['a', 'b']) await rm(join(at.mountpoint, name));
    await killed(scene);

    const listed = listedIn(await at.run(['uploads', '--json']), server).flatMap(({ changes }) => changes);
    const discarded = await at.run(['uploads', 'discard', 'a', '--yes', '--mount', 'mnt']);
    const failed = await at.run(['uploads', 'retry', '--mount', 'mnt']);
    server.faults.clear();
    const retried = await at.run(['uploads', 'retry', '--mount', 'mnt']);

    expect(listed).toMatchObject([
      { kind: 'delete', path: '/a' },
      { kind: 'delete', path: '/b' },
    ]);
    expect(discarded).toEqual({ code: 0, stdout: 'discarded /a\n', stderr: '' });
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/\/b is not deleted: /);
    expect(retried).toEqual({ code: 0, stdout: 'deleted /b\n', stderr: '' });
    expect(
      (await server.direct.listObjects(server.bucket, { folder: '' })).objects.map(({ key }) => key),
    ).toEqual(['a']);
    expect((await at.run(['uploads'])).stdout).not.toContain(server.baseUrl);
  });
});
