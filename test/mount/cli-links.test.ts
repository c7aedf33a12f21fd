/** `pailfs link`, `publish`, `unpublish` and `refresh` on the paths of a real mount. */
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { visibilityOf } from '../support/stored-state.ts';

const NO_SETTINGS = {
  environment: {
    PAILFS_BASE_URL: undefined,
    PAILFS_ACCESS_KEY_ID: undefined,
    PAILFS_SECRET_ACCESS_KEY: undefined,
  },
};

async function mounted(
  ...options: readonly string[]
): Promise<{ readonly at: CommandLine; readonly server: EmbeddedServer }> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  expect(await at.run(['mount', 'photos', at.mountpoint, ...options])).toMatchObject({ code: 0 });
  return { at, server };
}

describe('on the paths of a mount, without any settings of its own,', () => {
  it('link prints what can be fetched, publish and unpublish change it [xattr/commands]', async () => {
    const { at, server } = await mounted();
    await mkdir(join(at.mountpoint, 'd'));
    await writeFile(join(at.mountpoint, 'd/a b.txt'), 'bytes');

    const shared = await at.run(['link', 'mnt/d/a b.txt'], NO_SETTINGS);
    const published = await at.run(['publish', 'mnt/d/a b.txt'], NO_SETTINGS);
    const lasting = await at.run(['link', `${at.mountpoint}/d/../d/a b.txt`], NO_SETTINGS);
    const between = await visibilityOf(server, 'd/a b.txt');
    const fetched = await (await fetch(lasting.stdout.trim())).text();
    const hidden = await at.run(['unpublish', '-r', 'mnt'], NO_SETTINGS);

    expect(shared).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/ is private: its link works until /) as string,
    });
    expect(await (await fetch(shared.stdout.trim())).text()).toBe('bytes');
    expect(lasting).toMatchObject({ code: 0, stderr: '' });
    expect(published.stdout).toBe(`published mnt/d/a b.txt: ${lasting.stdout}`);
    expect(fetched).toBe('bytes');
    expect(between).toBe('public');
    expect(hidden.stdout).toMatch(/^mnt\/d\/a b\.txt is private\na link that was public works for /);
    expect(await visibilityOf(server, 'd/a b.txt')).toBe('private');
  });

  it.each(['setVisibility', 'getVisibility'] as const)(
    'publish does not say that it is not done, where the answer to %s is lost',
    async (operation) => {
      const { at, server } = await mounted('--metadata-ttl', '0');
      await writeFile(join(at.mountpoint, 'f'), 'bytes');
      server.faults.add({ operation, times: Infinity, fault: { kind: 'lost-answer' } });

      const { code, stdout, stderr } = await at.run(['publish', 'mnt/f'], NO_SETTINGS);

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^pailfs: whether mnt\/f is public is not known: .* not available .*\n$/);
      expect(await visibilityOf(server, 'f')).toBe('public');
    },
  );

  it.each([
    ['the mountpoint', 'mnt', 'd/f'],
    ['a folder in it', 'mnt/d', 'f'],
  ])('a bind mount of %s means the same files', async (_, bound, file) => {
    const { at } = await mounted();
    const elsewhere = await mkdtemp(join(tmpdir(), 'pailfs-bound-'));
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    await mkdir(join(at.mountpoint, 'd'));
    await writeFile(join(at.mountpoint, 'd/f'), 'bytes');
    const namespaceSetup = `mount --bind '${join(at.home, bound)}' '${elsewhere}'`;

    const link = await at.run(['link', join(elsewhere, file)], { ...NO_SETTINGS, namespaceSetup });

    expect(link.code).toBe(0);
    expect(await (await fetch(link.stdout.trim())).text()).toBe('bytes');
  });

  it('a file that waits gets its visibility with its upload, and has no link before', async () => {
    const { at, server } = await mounted('--write-back');
    server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    await writeFile(join(at.mountpoint, 'f'), 'bytes');

    const published = await at.run(['publish', 'mnt/f', '--json']);
    const link = await at.run(['link', 'mnt/f']);
    server.faults.clear();
    await at.run(['uploads', 'retry', '--mount', 'mnt']);

    expect(JSON.parse(published.stdout)).toMatchObject([{ isDone: true, visibility: 'public', url: null }]);
    expect(link).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'pailfs: mnt/f has no link: it is not stored yet: "pailfs uploads" tells why\n',
    });
    await expect.poll(() => visibilityOf(server, 'f')).toBe('public');
  });

  it('of a folder with keys that no name shows -r says that they stay as they are', async () => {
    const { at, server } = await mounted();
    for (const key of ['d/x', 'd/x/y']) {
      await server.direct.putObject(server.bucket, key, uploadOf('x'));
      await server.direct.setVisibility(server.bucket, key, 'public');
    }

    const { code, stdout, stderr } = await at.run(['unpublish', '-r', 'mnt/d'], NO_SETTINGS);

    expect(await visibilityOf(server, 'd/x')).toBe('public');
    expect(stdout).toMatch(/^mnt\/d\/x\/y is private\n/);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'pailfs: mnt/d is not made private: 1 key in it cannot be shown in a mount: name them as BUCKET:KEY\n',
    });
  });

  it('what cannot be done is said in words: missing, a folder, no mount, read-only, refused by the service', async () => {
    const { at, server } = await mounted('--read-only');
    await server.direct.putObject(server.bucket, 'f', uploadOf('x'));
    await writeFile(join(at.home, 'local'), 'x');

    const links = await at.run(['link', 'mnt/no', 'mnt', 'local']);
    const publish = await at.run(['publish', 'mnt/f']);
    server.faults.add({
      operation: 'getVisibility',
      times: Infinity,
      fault: { kind: 'status', status: 403 },
    });
    const denied = await at.run(['link', 'mnt/f']);

    expect(links).toMatchObject({ code: 1, stdout: '' });
    expect(links.stderr.split('\n')).toEqual([
      'pailfs: mnt/no has no link: it does not exist',
      'pailfs: mnt has no link: it is a folder: add -r',
      'pailfs: local has no link: it is in no mount of pailfs: "pailfs status" lists them',
      '',
    ]);
    expect(publish).toMatchObject({ code: 1, stderr: 'pailfs: mnt/f is not published: mounted read-only\n' });
    expect(denied.stderr).toMatch(/^pailfs: mnt\/f has no link: the service refuses the credentials \(403\)/);
  });
});

describe('pailfs refresh', () => {
  it('shows what somebody else has changed at once, in the path that is named and below it [fresh/refresh]', async () => {
    const { at, server } = await mounted('--metadata-ttl', '3600');
    const { direct, bucket } = server;
    await direct.putObject(bucket, 'd/e/f', uploadOf('old'));
    await direct.putObject(bucket, 'other', uploadOf('old'));
    expect(await readFile(join(at.mountpoint, 'd/e/f'), 'utf8')).toBe('old');
    expect(await readFile(join(at.mountpoint, 'other'), 'utf8')).toBe('old');
    await expect(stat(join(at.mountpoint, 'd/new'))).rejects.toThrow('ENOENT');
    await direct.putObject(bucket, 'd/e/f', uploadOf('newer'));
    await direct.putObject(bucket, 'd/new', uploadOf('new'));
    await direct.putObject(bucket, 'other', uploadOf('newer'));

    const outcome = await at.run(['refresh', 'mnt/d'], NO_SETTINGS);

    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(join(at.mountpoint, 'd/e/f'), 'utf8')).toBe('newer');
    expect(await readFile(join(at.mountpoint, 'd/new'), 'utf8')).toBe('new');
    // Elsewhere the TTL goes on.
    expect(await readFile(join(at.mountpoint, 'other'), 'utf8')).toBe('old');
  });

  it('takes a name that is missing so far, and a whole mount', async () => {
    const { at, server } = await mounted('--metadata-ttl', '3600');
    const { direct, bucket } = server;
    await expect(stat(join(at.mountpoint, 'one'))).rejects.toThrow('ENOENT');
    await expect(stat(join(at.mountpoint, 'two'))).rejects.toThrow('ENOENT');
    await direct.putObject(bucket, 'one', uploadOf('1'));

    const one = await at.run(['refresh', 'mnt/one']);
    const size = (await stat(join(at.mountpoint, 'one'))).size;
    await direct.putObject(bucket, 'two', uploadOf('22'));
    const whole = await at.run(['refresh', 'mnt', '--json']);

    expect(one).toMatchObject({ code: 0 });
    expect(size).toBe(1);
    expect(JSON.parse(whole.stdout)).toEqual([{ what: 'mnt', isDone: true, reason: null }]);
    expect((await stat(join(at.mountpoint, 'two'))).size).toBe(2);
  });

  it('fails for what is in no mount, and does the others', async () => {
    const { at } = await mounted();
    const elsewhere = await mkdtemp(join(tmpdir(), 'pailfs-elsewhere-'));
    onTestFinished(() => rm(elsewhere, { recursive: true }));

    const { code, stderr } = await at.run(['refresh', elsewhere, 'mnt']);

    expect(code).toBe(1);
    expect(stderr).toBe(
      `pailfs: ${elsewhere} is not refreshed: it is in no mount of pailfs: "pailfs status" lists them\n`,
    );
  });
});
