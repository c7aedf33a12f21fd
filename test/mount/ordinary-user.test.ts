/** What does an ordinary user get who mounts? Root makes one: in a mount namespace of its own, where everybody may open /dev/fuse. */
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shell, type ShellResult } from '../support/shell.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('../support/mount-as-user.ts', import.meta.url));
const CLI = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const DIRECTORIES = new URL('../../src/cli/found-mounts/record-directories.ts', import.meta.url).href;
const RECORDS = new URL('../../src/cli/found-mounts/mount-record.ts', import.meta.url).href;
const NOBODY = 65_534;
const NODE = `"${process.execPath}" --import "${LOADER}"`;
/** With a mountpoint and a process: as the command that mounts does. */
const RECORD = `${NODE} --input-type=module -e '
  import { recordDirectory } from "${DIRECTORIES}";
  import { writeRecord } from "${RECORDS}";
  const [mountpoint, pid] = process.argv.slice(1);
  await writeRecord(await recordDirectory(process.getuid()), {
    mountpoint, bucket: "photos", baseUrl: "http://localhost", driver: "kernel", readOnly: false, mayWrite: true,
    since: new Date().toISOString(), process: { pid: Number(pid), startTime: null }, logFile: null, unsent: [] });'`;
/** A mount that hangs must not hold the run up for ever. */
const TIME_LIMIT = '500';

/**
 * `$1`: a folder; `$2`: what the user runs there; `$3`: what root runs then. All that is mounted ends with the namespace, which
 * offers no connections to abort, as in most containers, and does not have what else is mounted on the machine.
 */
const AS_USER = `
umount --all --internal-only --lazy --types fuse.pailfs
[ ! -d /sys/fs/fuse/connections ] || mount -t tmpfs none /sys/fs/fuse/connections
mknod -m 666 "$1/fuse" c 10 229 && mount --bind "$1/fuse" /dev/fuse
HOME="$1/home" TMPDIR="$1/home" setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups sh -c "$2" sh "$1/home"
sh -c "$3" sh "$1/home"`;

// Only root can become somebody else; a run without root names this suite as left out.
describe.runIf(process.getuid?.() === 0)('an ordinary user who mounts with the kernel driver', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pailfs-user-'));
    await chmod(folder, 0o755);
    await mkdir(path.join(folder, 'home'));
    await mkdir(path.join(folder, 'home', 'mnt'));
    for (const name of ['home', 'home/mnt']) await chown(path.join(folder, name), NOBODY, NOBODY);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Both scripts see the mountpoint as `$1/mnt`; `serve` mounts it, and returns when it answers or has failed. */
  const asUser = (script: string, asRoot = ':'): Promise<ShellResult> => {
    const serve = `serve() {
      "${process.execPath}" --import "${LOADER}" "${PROGRAM}" "$@" >"$HOME/said" 2>&1 & server=$!
      until [ -s "$HOME/said" ]; do sleep 0.1; done; cat "$HOME/said"; }`;
    const command = `exec timeout ${TIME_LIMIT} unshare --mount sh -c "$1" sh "$2" "$3" "$4"`;
    return shell('/', command, AS_USER, folder, `${serve}\n${script}`, asRoot);
  };

  it('lists, writes, reads back and unmounts; the mount shows as his', async () => {
    const { exit, output, errors } = await asUser(`
      serve "$1/mnt" 'my, photos'
      mkdir "$1/mnt/folder"; echo text > "$1/mnt/folder/file"; cat "$1/mnt/folder/file"; ls -R "$1/mnt" | wc -l
      grep -F " $1/mnt " /proc/self/mountinfo | grep -o 'nosuid,nodev.*user_id=[0-9]*'
      fusermount3 -u "$1/mnt"; wait "$server"; echo "ended: $?"; ls -A "$1/mnt"`);

    expect(errors).toBe('');
    expect(exit).toBe(0);
    expect(output.split('\n')).toEqual([
      'mounted',
      'text',
      '5',
      expect.stringMatching(/ fuse\.pailfs my,\\040photos rw,user_id=65534$/),
      'ended: 0',
      '',
    ]);
  });

  it('is alone in it: another user is refused', async () => {
    const { output, errors } = await asUser(
      `serve "$1/mnt" photos; echo "$server" > "$1/server"; ls -A "$1/mnt" && echo mine`,
      `setpriv --reuid=65533 --clear-groups ls -A "$1/mnt"; kill -9 $(cat "$1/server"); umount -l "$1/mnt"`,
    );

    expect(output).toBe('mounted\nmine\n');
    expect(errors).toMatch(/^ls: .*Permission denied\n$/);
  });

  it('has it to himself in doctor, too: who else asks hears that it cannot be looked at', async () => {
    const doctor = `"${process.execPath}" --import "${LOADER}" "${CLI}" doctor`;
    const { output } = await asUser(
      `serve "$1/mnt" photos; echo "$server" > "$1/server"; COLUMNS=200 ${doctor} | grep ^mounts`,
      `mkdir "$1/other"; chown 65533 "$1/other"; cd /
      HOME="$1/other" COLUMNS=200 setpriv --reuid=65533 --clear-groups ${doctor} | grep ^mounts
      kill -9 $(cat "$1/server"); umount -l "$1/mnt"`,
    );

    expect(output.replaceAll(/ {2,}/g, ' ').split('\n').slice(1)).toEqual([
      'mounts ok 1 mount, none dead',
      'mounts ok 1 mount of other users cannot be looked at',
      '',
    ]);
  });

  it('is dead to the doctor of root, who cannot look at it, when its process was killed', async () => {
    const doctor = `COLUMNS=200 ${NODE} "${CLI}" doctor | grep ^mounts`;

    const { output, errors } = await asUser(
      `serve "$1/mnt" photos; ${RECORD} "$1/mnt" "$server"; kill -9 "$server"; wait "$server" 2>/dev/null`,
      `${doctor}; umount -l "$1/mnt"; ${doctor}; rm -r /tmp/pailfs-${NOBODY}`,
    );

    expect(errors).toBe('');
    expect(output.replaceAll(/ {2,}/g, ' ').split('\n').slice(1)).toEqual([
      expect.stringMatching(/^mounts broken the process is gone that served \S+\/mnt: mount again, or run/),
      'mounts ok nothing is mounted',
      '',
    ]);
  });

  it('is asked of its own process by root, and not of that of another user who says that it is his', async () => {
    const other = 65533;
    const { output, errors } = await asUser(
      `serve "$1/mnt" photos; echo "$server" > "$1/server"`,
      `mkdir "$1/other"; chown ${other} "$1/other"; cd /
      HOME="$1/other" setpriv --reuid=${other} --clear-groups ${RECORD} "$1/mnt" $$
      ${NODE} "${CLI}" status "$1/mnt" 2>&1; kill -9 $(cat "$1/server"); umount -l "$1/mnt"; rm -r /tmp/pailfs-${other}`,
    );

    expect(errors).toBe('');
    expect(output).toMatch(
      /^mounted\npailfs: nobody can be asked about \S+\/mnt: it is another user's mount, .*\n$/,
    );
  });

  it('takes the place of a mount of his whose process was killed', async () => {
    const { errors, output } = await asUser(`
      serve "$1/mnt" photos
      kill -9 "$server"; wait "$server" 2>/dev/null
      cat "$1/mnt/a" 2>&1 | grep -o 'not connected'
      rm "$HOME/said"; serve "$1/mnt" photos
      echo again > "$1/mnt/a"; cat "$1/mnt/a"; fusermount3 -u "$1/mnt"; wait "$server"`);

    expect(errors).toBe('');
    expect(output).toBe('mounted\nnot connected\nmounted\nagain\n');
  });

  it('gets the exit code of a process that exits while a program uses the mount, and the program an error', async () => {
    const { errors, output } = await asUser(`
      serve "$1/mnt" photos
      exec 3>"$1/mnt/a"
      kill -USR2 "$server"; wait "$server"; echo "ended: $?"
      cat "$1/mnt/a" 2>&1 | grep -o 'not connected'
      exec 3>&-; fusermount3 -u "$1/mnt"; ls -A "$1/mnt"`);

    expect(errors).toBe('');
    expect(output).toBe('mounted\nended: 3\nnot connected\n');
  });

  it('hears why a directory that is not his is refused', async () => {
    const { output } = await asUser('serve "${1%/home}" photos; wait "$server"; echo "ended: $?"');

    expect(output).toMatch(
      /may not be mounted upon: it must be a directory that you can write to\nended: 1\n$/,
    );
  });
});
