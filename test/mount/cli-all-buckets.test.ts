/** `pailfs mount --all-buckets` as a person and programs use it. */
import { mkdir, readdir, readFile, rmdir, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { CommandLine, goneProcess } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer, type EmbeddedServer } from '../support/embedded-service.ts';
import { DRIVERS } from '../support/drivers.ts';
import { shell } from '../support/shell.ts';

/** Node has no name for it. */
const EDQUOT = -122;

interface Scene {
  readonly at: CommandLine;
  readonly server: EmbeddedServer;
  /** Of the bucket `second`. */
  readonly second: string;
}

async function mounted(...options: readonly string[]): Promise<Scene> {
  const server = await startEmbeddedServer();
  const { bucket: second } = await server.direct.createBucket('second');
  const at = await CommandLine.open(server);
  expect(await at.run(['mount', '--all-buckets', at.mountpoint, ...options])).toMatchObject({
    code: 0,
    stderr: '',
  });
  return { at, server, second };
}

async function stored({ server }: Scene, bucket: string, key: string): Promise<string> {
  return (await bytesOf((await server.direct.getObject(bucket, key)).body)).toString();
}

describe.each(DRIVERS)('all buckets, mounted by the driver %s', (driver) => {
  it('are directories between which programs copy and move; df tells of each [buckets/all] [buckets/between]', async () => {
    const scene = await mounted('-o', `driver=${driver}`);
    const { at, server, second } = scene;
    await writeFile(join(at.mountpoint, 'photos/file.txt'), 'hello');

    const { output, errors } = await shell(
      at.mountpoint,
      'ls; mv photos/file.txt second/moved.txt; cp second/moved.txt photos/copy.txt; ln photos/copy.txt second/link 2>&1 | grep -o "Invalid cross-device link"',
    );

    expect(errors).toBe('');
    expect(output).toBe('photos\nsecond\nInvalid cross-device link\n');
    expect(await stored(scene, second, 'moved.txt')).toBe('hello');
    expect(await stored(scene, server.bucket, 'copy.txt')).toBe('hello');
    await expect(server.direct.headObject(server.bucket, 'file.txt')).rejects.toMatchObject({
      kind: 'missing',
    });
    expect((await statfs(join(at.mountpoint, 'second'))).blocks).toBeGreaterThan(0);
    await expect(mkdir(join(at.mountpoint, 'third'))).rejects.toMatchObject({ code: 'EPERM' });
    await expect(writeFile(join(at.mountpoint, 'third'), 'x')).rejects.toMatchObject({ code: 'EPERM' });
    expect(await at.run(['unmount', at.mountpoint])).toMatchObject({ code: 0 });
  });

  it('are made and removed by mkdir and rmdir where that was asked for [buckets/admin]', async () => {
    const { at, server } = await mounted('--bucket-admin', '-o', `driver=${driver}`);

    await mkdir(join(at.mountpoint, 'third'));
    await writeFile(join(at.mountpoint, 'third/file'), 'x');
    await expect(rmdir(join(at.mountpoint, 'third'))).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    await rmdir(join(at.mountpoint, 'second'));

    expect(await readdir(at.mountpoint)).toEqual(['photos', 'third']);
    expect((await server.direct.listBuckets()).buckets.map(({ name }) => name).sort()).toEqual([
      'photos',
      'third',
    ]);
  });
});

describe('a mount of all buckets', () => {
  it('says what is not stored with its bucket, by one socket, and stores it when asked [buckets/unsent]', async () => {
    const scene = await mounted();
    const { at, server, second } = scene;
    server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 402 } });
    for (const path of ['photos/one', 'second/two']) {
      await expect(writeFile(join(at.mountpoint, path), path)).rejects.toMatchObject({ errno: EDQUOT });
    }

    const status = await at.run(['status', at.mountpoint]);
    const uploads = await at.run(['uploads', at.mountpoint]);
    server.faults.clear();
    const retried = await at.run(['uploads', 'retry', join(at.mountpoint, 'second/two')]);

    expect(status.stdout).toMatch(/all buckets/);
    expect(uploads.stdout).toMatch(/^all buckets at .*, mounted at /);
    expect(uploads.stdout).toMatch(/\/photos\/one/);
    expect(uploads.stdout).toMatch(/\/second\/two/);
    expect(retried).toMatchObject({ code: 0, stdout: 'stored /second/two\n' });
    expect(await stored(scene, second, 'two')).toBe('second/two');
    expect(await at.run(['unmount', at.mountpoint])).toMatchObject({ code: 0 });
    expect(await stored(scene, server.bucket, 'one')).toBe('photos/one');
  });

  it('shows and stores at once what one that was killed left in its buckets [buckets/crash]', async () => {
    const scene = await mounted();
    const { at, server, second } = scene;
    server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 402 } });
    await expect(writeFile(join(at.mountpoint, 'second/two'), 'two')).rejects.toMatchObject({
      errno: EDQUOT,
    });
    const pid = await at.servingProcess();
    process.kill(pid, 'SIGKILL');
    await goneProcess(pid);
    const left = await at.run(['uploads']);
    server.faults.clear();

    expect(await at.run(['mount', '--all-buckets', at.mountpoint])).toMatchObject({ code: 0 });

    expect(left.stdout).toMatch(/second at .*, not mounted/);
    expect(await readFile(join(at.mountpoint, 'second/two'), 'utf8')).toBe('two');
    await expect.poll(() => stored(scene, second, 'two').catch(() => null)).toBe('two');
  });

  it('is in the status no more once it was killed, taken away by hand, and nothing was ever looked into', async () => {
    const at = await CommandLine.open(await startEmbeddedServer());
    await at.run(['mount', '--all-buckets', at.mountpoint]);
    const pid = await at.servingProcess();
    process.kill(pid, 'SIGKILL');
    await goneProcess(pid);
    await unmountDirectory(at.mountpoint, { lazy: true });

    const before = await at.run(['status', '--json']);
    await at.run(['uploads']);
    const after = await at.run(['status', '--json']);

    const ofIt = expect.objectContaining({ pid, state: 'ended' }) as object;
    expect(JSON.parse(before.stdout)).toContainEqual(ofIt);
    expect(JSON.parse(after.stdout)).not.toContainEqual(ofIt);
  });

  it('has links and attributes by path, and says what its buckets are [xattr/bucket]', async () => {
    const { at } = await mounted();
    await writeFile(join(at.mountpoint, 'second/file'), 'x');

    const link = await at.run(['publish', join(at.mountpoint, 'second/file')]);
    const { output } = await shell(at.mountpoint, 'getfattr -n user.pailfs.status --only-values second');

    expect(link).toMatchObject({ code: 0 });
    expect(link.stdout).toMatch(/\/public\/second-[^/]*\/file/);
    expect(output).toBe('ACTIVE');
    expect((await stat(join(at.mountpoint, 'second'))).isDirectory()).toBe(true);
  });

  it('has those that are not ACTIVE, too, and says which they are [buckets/inactive]', async () => {
    const server = await startEmbeddedServer();
    const { bucket: second } = await server.direct.createBucket('second');
    await server.store.changeBucket(second, { status: 'MOVING', statusMessage: 'until noon' });
    const at = await CommandLine.open(server);
    const warning = 'bucket second is MOVING (until noon), not ACTIVE: calls may fail until it is';

    const mount = await at.run(['mount', '--all-buckets', at.mountpoint, '--metadata-ttl', '0']);
    const { output } = await shell(
      at.mountpoint,
      'ls; echo x > second/file; cat second/file; getfattr -n user.pailfs.status --only-values second',
    );
    const status = await at.run(['status', at.mountpoint]);
    const all = await at.run(['status']);
    const forPrograms = await at.run(['status', at.mountpoint, '--json']);
    await server.store.changeBucket(second, { status: 'ACTIVE', statusMessage: null });
    const later = await shell(at.mountpoint, 'getfattr -n user.pailfs.status --only-values second');
    const laterStatus = await at.run(['status', at.mountpoint]);

    expect(mount).toMatchObject({ code: 0, stderr: `pailfs: warning: ${warning}\n` });
    expect(output).toBe('photos\nsecond\nx\nMOVING');
    expect(status.stdout).toContain(`notice   ${warning}\n`);
    expect(all.stdout).toContain(`\n${at.mountpoint}: ${warning}\n`);
    expect(JSON.parse(forPrograms.stdout)).toMatchObject([
      { live: { inactive: [{ name: 'second', status: 'MOVING', statusMessage: 'until noon' }] } },
    ]);
    expect(later.output).toBe('ACTIVE');
    expect(laterStatus.stdout).not.toContain('notice');
  });

  it('of a single bucket says so, too, when it is not ACTIVE [buckets/inactive]', async () => {
    const server = await startEmbeddedServer({ behaviours: { newBucket: 'pending' } });
    const at = await CommandLine.open(server);
    const warning =
      'bucket photos is PENDING (it is being made ready), not ACTIVE: calls may fail until it is';

    const mount = await at.run(['mount', 'photos', at.mountpoint]);
    const status = await at.run(['status', at.mountpoint]);
    const all = await at.run(['status']);
    const forPrograms = await at.run(['status', '--json']);

    expect(mount).toMatchObject({ code: 0, stderr: `pailfs: warning: ${warning}\n` });
    expect(status.stdout).toContain(`notice   ${warning}\n`);
    expect(all.stdout).toContain(`\n${at.mountpoint}: ${warning}\n`);
    const inactive = [{ name: 'photos', status: 'PENDING', statusMessage: 'it is being made ready' }];
    expect(JSON.parse(forPrograms.stdout)).toContainEqual(
      expect.objectContaining({
        mountpoint: at.mountpoint,
        live: expect.objectContaining({ inactive }) as object,
      }),
    );
  });

  it('is asked for without a bucket, and a bucket without it', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);

    const both = await at.run(['mount', '--all-buckets', 'photos', at.mountpoint]);
    const neither = await at.run(['mount', at.mountpoint]);

    expect(both).toMatchObject({ code: 2 });
    expect(both.stderr).toMatch(/no bucket is named: leave out photos/);
    expect(neither).toMatchObject({ code: 2 });
    expect(neither.stderr).toMatch(/missing required argument 'mountpoint'/);
  });
});
