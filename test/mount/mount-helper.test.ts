/** What does mount(8) make of a line of /etc/fstab? In a mount namespace whose /sbin has our helper, so that only root can ask. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { shell, type ShellResult } from '../support/shell.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
const HELPER = fileURLToPath(new URL('../../src/cli/mount-helper-main.ts', import.meta.url));
/** A mount that hangs must not hold the run up for ever. */
const TIME_LIMIT = '500';

/** `$1`: the home; `$2`: what to run there. All that is mounted ends with the namespace. */
const IN_NAMESPACE = `
set -e; sbin=$(readlink -f /sbin); mkdir -p "$1/sbin"
mount --bind "$sbin" "$1/sbin"; mount -t tmpfs none "$sbin"
for program in "$1/sbin"/*; do ln -sf "$program" "$sbin/"; done
for name in fuse.pailfs pailfs; do ln -sf "$1/helper" "$sbin/mount.$name"; done
cd "$1"; HOME="$1" exec sh -c "$2" sh "$1"`;

async function arrange(line: string) {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a.txt', uploadOf('from the service'));
  const { home } = await CommandLine.open(server);
  const { accessKeyId, secretAccessKey } = server.credentials;
  const config = `[default]
    base_url = "${server.baseUrl}"\naccess_key_id = "${accessKeyId}"\nsecret_access_key = "${secretAccessKey}"\n`;
  await writeFile(join(home, 'pailfs.toml'), config, { mode: 0o600 });
  const helper = `#!/bin/sh\nexec '${process.execPath}' --import '${LOADER}' '${HELPER}' "$@"\n`;
  await writeFile(join(home, 'helper'), helper, { mode: 0o755 });
  await mkdir(join(home, 'with space'));
  const fstab = line.replaceAll('HOME', home).replace('OPTIONS', `config=${home}/pailfs.toml`);
  await writeFile(join(home, 'fstab'), `${fstab}\n`);
  const run = (script: string): Promise<ShellResult> => {
    const command = `exec timeout ${TIME_LIMIT} unshare --mount sh -c "$1" sh "$2" "$3"`;
    return shell('/', command, IN_NAMESPACE, home, script);
  };
  return { server, home, run };
}

describe.runIf(process.getuid?.() === 0)('a line of fstab', () => {
  it('mounts all buckets, whatever it names, when it says so', async () => {
    const { run } = await arrange(
      String.raw`cloud HOME/with\040space fuse.pailfs noauto,all_buckets,OPTIONS 0 0`,
    );

    const { exit, output, errors } = await run(`
      mount -T fstab "$1/with space"
      cat 'with space/photos/a.txt'
      umount "$1/with space"; ls 'with space'`);

    expect({ exit, output, errors }).toEqual({ exit: 0, output: 'from the service', errors: '' });
  });

  it('mounts with what it says for pailfs, and passes over what it says for others', async () => {
    const { run } = await arrange(
      String.raw`photos HOME/with\040space fuse.pailfs noauto,nofail,_netdev,user,comment=mine,x-systemd.automount,X-mount.mkdir,allow_other,uid=1234,gid=100,umask=027,ro,OPTIONS 0 0`,
    );

    const { exit, output, errors } = await run(`
      mount -T fstab "$1/with space"
      stat -c '%u %g %a %n' 'with space'/*; cat 'with space/a.txt'; echo
      grep -o 'with.040space r[ow].*' /proc/self/mountinfo
      touch 'with space/b' 2>&1 | grep -o 'Read-only file system'
      umount "$1/with space"; ls 'with space'`);

    expect(errors).toBe('');
    expect(exit).toBe(0);
    expect(output.split('\n')).toEqual([
      '1234 100 640 with space/a.txt',
      'from the service',
      expect.stringMatching(/^with\\040space ro,.* - fuse\.pailfs photos .*allow_other$/),
      'Read-only file system',
      '',
    ]);
  });

  it('mounts its bucket also in a directory that has something of that name', async () => {
    const { run } = await arrange(String.raw`photos HOME/photos fuse.pailfs OPTIONS 0 0`);

    const { exit, output, errors } = await run(`
      mkdir photos
      mount -T fstab photos; cat photos/a.txt; echo
      umount photos
      ln -s photos other; mount -T fstab photos 2>&1; ls photos`);

    expect({ exit, errors }).toEqual({ exit: 0, errors: '' });
    expect(output).toMatch(
      /^from the service\npailfs: \/.*\/photos is no bucket: mount\(8\) makes a path of a bucket .*, or with -c\n$/,
    );
  });

  it('with noexec lets nobody run what is in the bucket', async () => {
    const { run } = await arrange(
      String.raw`photos HOME/with\040space fuse.pailfs noauto,noexec,OPTIONS 0 0`,
    );

    const { output, errors } = await run(`
      mount -T fstab "$1/with space"
      echo 'echo ran' > 'with space/program'; chmod +x 'with space/program'
      'with space/program' 2>&1 | grep -o 'Permission denied'
      umount "$1/with space"`);

    expect({ output, errors }).toEqual({ output: 'Permission denied\n', errors: '' });
  });

  it('is mounted with all others, once', async () => {
    const { run } = await arrange('photos HOME/mnt fuse.pailfs defaults,_netdev,OPTIONS 0 0');

    const { output, errors } = await run(`
      mount -a -T fstab; mount -a -T fstab
      grep -c " $1/mnt .* fuse.pailfs " /proc/self/mountinfo; echo text > mnt/b.txt; umount "$1/mnt"`);

    expect({ output, errors }).toEqual({ output: '1\n', errors: '' });
  });

  it('with an option that does not exist fails, and says so, unless mount is told to be sloppy', async () => {
    const { run } = await arrange('photos HOME/mnt fuse.pailfs no_such_thing,metadata_ttl=0,OPTIONS 0 0');

    const refused = await run('mount -T fstab "$1/mnt"');
    const sloppy = await run('mount -s -n -v -T fstab "$1/mnt"; ls mnt; umount "$1/mnt"');

    expect(refused.exit).toBe(1);
    expect(refused.errors).toMatch(/^pailfs: unknown option -o no_such_thing: .*\n$/);
    expect(sloppy.output).toBe('a.txt\n');
    expect(sloppy.errors).toMatch(/^pailfs: photos is mounted on \S+\/mnt\n$/);
  });

  it('that cannot be mounted fails as mount(8) has it', async () => {
    const { run } = await arrange('no-such-bucket HOME/mnt fuse.pailfs OPTIONS 0 0');

    const { exit, errors } = await run('mount -T fstab "$1/mnt"');

    expect(exit).toBe(32);
    expect(errors).toMatch(/^pailfs: there is no bucket no-such-bucket /);
  });
});

describe.runIf(process.getuid?.() === 0)('mount -t', () => {
  it.each(['fuse.pailfs', 'pailfs'])('%s mounts a bucket', async (type) => {
    const { run } = await arrange('');

    const words = `-t ${type} photos "$1/mnt" -o config="$1/pailfs.toml"`;
    const { output, errors } = await run(`mount ${words}; ls mnt; umount "$1/mnt"`);

    expect({ output, errors }).toEqual({ output: 'a.txt\n', errors: '' });
  });

  it('with -f checks the settings, and mounts nothing', async () => {
    const { server, run } = await arrange('');
    server.requests.reset();

    const words = '-f -t fuse.pailfs photos "$1/mnt" -o config="$1/pailfs.toml"';
    const { output, errors } = await run(
      `mount ${words}; ls mnt; mount ${words},umask=9 || echo "ended: $?"`,
    );

    expect(output).toBe('ended: 1\n');
    expect(errors).toMatch(/^pailfs: -o umask must be an octal number/);
    expect(server.requests.count()).toBe(0);
  });

  it('with -N mounts in the namespace of another process, and not here', async () => {
    const { run } = await arrange('');

    const words = '-t fuse.pailfs photos "$1/mnt" -o config="$1/pailfs.toml"';
    const { output, errors } = await run(`
      unshare --mount sh -c 'echo ready > ready; exec sleep 500' & other=$!
      until [ -s ready ]; do sleep 0.1; done
      mount -N $other ${words}; ls mnt; echo here
      nsenter --mount=/proc/$other/ns/mnt ls "$1/mnt"
      nsenter --mount=/proc/$other/ns/mnt umount "$1/mnt"; kill $other`);

    expect({ output, errors }).toEqual({ output: 'here\na.txt\n', errors: '' });
  });
});
