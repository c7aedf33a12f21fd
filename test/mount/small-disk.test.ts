/** SEMANTICS: what programs see when the disk of the state directory is too small for what they write. */
import { open, readdir, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { shell } from '../support/shell.ts';
import { smallDisk } from '../support/small-disk.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MIB = 1024 * 1024;
const DISK_MIB = 32;
const OLD = patternedBytes(100_000);

async function mountedOverSmallDisk(setting = '--state-dir') {
  const disk = await smallDisk(DISK_MIB);
  const server = await startEmbeddedServer();
  const { direct, bucket } = server;
  await direct.putObject(bucket, 'old', uploadOf(OLD));
  const at = await CommandLine.open(server);
  expect((await at.run(['mount', 'photos', at.mountpoint, setting, disk])).code).toBe(0);
  return {
    disk,
    at,
    server,
    inside: (name: string) => join(at.mountpoint, name),
    stored: async (key: string) => bytesOf((await direct.getObject(bucket, key)).body),
  };
}

describe.runIf(process.getuid?.() === 0)('on a small disk', () => {
  it('dd is told by write, the old file stays whole, and there is room again after each upload [write/no-space]', async () => {
    const { at, inside, stored, disk } = await mountedOverSmallDisk();
    const large = patternedBytes(20 * MIB);

    const dd = await shell(at.mountpoint, 'dd if=/dev/zero of=old bs=1M count=64');
    const fits: boolean[] = [];
    for (const name of ['one', 'two']) {
      await writeFile(inside(name), large);
      fits.push((await stored(name)).equals(large));
    }

    expect(dd).toMatchObject({ exit: 1, output: '' });
    expect(dd.errors).toContain("error writing 'old': No space left on device");
    expect((await stored('old')).equals(Buffer.from(OLD))).toBe(true);
    expect((await shell(at.mountpoint, 'cksum < old')).output).toBe(
      (await shell('/', 'head -c 100000 "$1" | cksum', inside('old'))).output,
    );
    expect(fits).toEqual([true, true]);
    expect(await at.run(['unmount', at.mountpoint])).toMatchObject({ code: 0 });
    const { bfree, blocks } = await statfs(disk);
    expect(bfree / blocks).toBeGreaterThan(0.9);
  });

  it('a program that goes on writing leaves a part of it free, and others write again when it is gone', async () => {
    const { inside, stored, disk } = await mountedOverSmallDisk();
    const piece = patternedBytes(MIB);
    const file = await open(inside('greedy'), 'w');
    let written = 0;
    let refusal: unknown;
    for (; refusal === undefined && written < DISK_MIB; written += 1) {
      refusal = await file.write(piece, 0, MIB, written * MIB).then(
        () => undefined,
        (error: unknown) => error,
      );
    }

    expect(refusal).toMatchObject({ code: 'ENOSPC' });
    expect(written).toBeGreaterThan(DISK_MIB / 2);
    const { bavail, blocks } = await statfs(disk);
    expect(bavail / blocks).toBeGreaterThan(0.03);
    await expect(writeFile(inside('other'), piece)).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(file.close()).rejects.toMatchObject({ code: 'ENOSPC' });
    await writeFile(inside('other'), piece);
    expect((await stored('other')).equals(Buffer.from(piece))).toBe(true);
    await expect(stored('greedy')).rejects.toThrow();
  });

  it.each([
    { setting: '--state-dir', named: 'state directory' },
    { setting: '--cache-dir', named: 'cache directory' },
  ])(
    'that is full of what waits ($setting) no mount begins, and the way out that the line names makes room',
    async ({ setting, named }) => {
      const { at, server, inside, stored, disk } = await mountedOverSmallDisk(setting);
      server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
      const large = patternedBytes(20 * MIB);
      await expect(writeFile(inside('large'), large)).rejects.toThrow();
      await at.run(['unmount', '--leave-pending', at.mountpoint]);
      server.faults.clear();

      const refused = await at.run(['mount', 'photos', at.mountpoint, setting, disk]);
      const [, wayOut = ''] = /"pailfs ([^"]*)" stores that without a mount\n$/.exec(refused.stderr) ?? [];
      const retried = await at.run(wayOut.split(' '));
      const mounted = await at.run(['mount', 'photos', at.mountpoint, setting, disk]);

      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`the disk of the ${named} ${disk} is full`) as string,
      });
      expect(retried).toMatchObject({ code: 0, stderr: '' });
      expect((await stored('large')).equals(Buffer.from(large))).toBe(true);
      expect(mounted).toMatchObject({ code: 0 });
    },
  );
});

describe('while the service is away and there is no room for more', () => {
  it('so many programs wait with a write that others are told of it, df answers, and the mount ends when asked to [write/no-space]', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    const settings = ['--write-back', '--cache-size', '16M', '--cache-dir', join(at.home, 'cache')];
    // What is known of its names goes on being known, however long a busy machine takes to start so many programs.
    const words = ['photos', at.mountpoint, ...settings, '--metadata-ttl', '3600'];
    const mount = await at.mountInFront(words);
    await readdir(at.mountpoint);
    await server.server.close();
    await writeFile(join(at.mountpoint, 'leaving'), 'its upload is tried again and again');

    const told = await temporaryDirectory();
    const writers = shell(
      at.mountpoint,
      `for k in $(seq 200); do dd if=/dev/zero of=f$k bs=1M count=2 oflag=direct 2> "$1/$k" & done; wait`,
      told,
    );
    const refused = (): Promise<string> =>
      shell(told, 'grep -l "No space left on device" * | wc -l').then(({ output }) => output.trim());
    await expect.poll(refused).not.toBe('0');
    const df = await shell(at.mountpoint, 'df -P .');
    mount.signal('SIGTERM');
    await expect.poll(() => mount.stderr).toContain('Finishing');
    // Two at once would be one.
    mount.signal('SIGTERM');

    expect(df).toMatchObject({ exit: 0, errors: '' });
    expect(await mount.ended()).toBe(1);
    expect(await writers).toMatchObject({ exit: 0 });
    expect(mount.stderr).toContain('Not everything could be uploaded; the bytes are kept');
  });
});
