/** What does somebody get who installs the package? The build of `npm test`, packed, and put where nothing else is; needs the registry. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { shell, type ShellResult } from '../support/shell.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** A command that hangs must not hold the run up for ever. */
const TIME_LIMIT = '280';

/** `$1`: where everything goes. Whoever installs has no configuration of this project, which npm hands on to what it runs. */
const INSTALL = `set -e; cd "$2"; unset npm_config_engine_strict npm_config_ignore_scripts
npm pack --loglevel=error --pack-destination "$1" >/dev/null
cd "$1"; npm install --global --loglevel=error --prefix "$1/prefix" ./pailfs-*.tgz`;

const USE = `set -e; cd "$1"
pailfs --version
pailfs serve --bucket photos > service 2>&1 & echo $! > pid; trap 'kill $(cat pid)' EXIT
until grep -q SECRET_ACCESS_KEY= service; do sleep 0.1; done
. ./service
pailfs mount photos "$1/mnt"
echo 'from a program' > mnt/a.txt; ls mnt
pailfs status "$1/mnt" --json | grep -o '"bucket": .*'
pailfs unmount "$1/mnt"; ls mnt
pailfs get photos:a.txt -
mount.fuse.pailfs photos "$1/mnt" -o ro,_netdev; cat mnt/a.txt; pailfs unmount "$1/mnt"`;

it('the package, installed alone, mounts a bucket of its own service, and brings its pages along', async () => {
  const folder = await temporaryDirectory();
  await mkdir(join(folder, 'mnt'));
  const run = (script: string): Promise<ShellResult> =>
    shell('/', `exec timeout ${TIME_LIMIT} sh -c "$1" sh "$2" "$3"`, script, folder, ROOT);
  onTestFinished(async () => {
    await run('! mountpoint -q "$1/mnt" || umount -l "$1/mnt"');
  });
  const own = `export HOME="$1" PATH="$1/prefix/bin:$PATH"; unset XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME`;

  const installed = await run(INSTALL);
  const used = await run(`${own}\n${USE}`);

  expect(installed).toMatchObject({ exit: 0, errors: '' });
  expect(used.errors).toBe('');
  expect(used.output.split('\n')).toEqual([
    expect.stringMatching(/^\d+\.\d+\.\d+$/),
    'a.txt',
    '"bucket": "photos",',
    'from a program',
    'from a program',
    '',
  ]);
  expect(await readdir(join(folder, 'prefix', 'share', 'man', 'man8'))).toEqual(['mount.fuse.pailfs.8']);
  expect(await readdir(join(folder, 'prefix', 'lib', 'node_modules', 'pailfs'))).toEqual(
    expect.arrayContaining(['completions', 'docs', 'scripts', 'systemd']),
  );
});
