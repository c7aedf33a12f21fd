/** What do file managers and indexers cost that only look, and what becomes of the files that macOS puts beside others? */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../src/server/request-log.ts';
import { DRIVERS } from '../support/drivers.ts';
import { recordingService } from '../support/recording-service.ts';
import { sharedDirectory, sharedMount } from '../support/shared-mount.ts';

const HOUR_MS = 3_600_000;
/** RFC 1740, version 2, no entries. */
const APPLE_DOUBLE = Buffer.concat([
  Buffer.from([0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00]),
  Buffer.from('Mac OS X        '),
  Buffer.from([0x00, 0x00]),
]);
/** Of what file managers, indexers, `ls`, `cp` and the kernel ask of any file; none is there. */
const ASKED_FOR = [
  ...['security.selinux', 'security.capability', 'system.posix_acl_access', 'system.posix_acl_default'],
  ...['user.xdg.origin.url', 'user.xdg.tags', 'user.xdg.comment', 'user.baloo.rating', 'trusted.any'],
];

describe.each(DRIVERS)('on a mount of the %s driver', (driver) => {
  const requests = new RequestLog();
  const mount = sharedMount({
    driver,
    between: (service) => recordingService(service, requests),
    settings: { metadataTtl: HOUR_MS },
  });
  const outside = sharedDirectory();

  /** `$1`: a directory outside of the mount. What a script that must succeed asks of the service, and what it prints. */
  async function asked(script: string): Promise<{ readonly requests: string[]; readonly output: string }> {
    requests.reset();
    const { exit, output, errors } = await mount().run(`set -e; ${script}`, outside());
    expect({ exit, errors }, script).toEqual({ exit: 0, errors: '' });
    return {
      requests: requests.all.map(({ operation, key, folder }) => `${operation} ${key ?? folder ?? ''}`),
      output,
    };
  }

  it('all that is asked of files before they are opened is answered from memory, once their folder is listed [xattr/on-demand]', async () => {
    await asked('mkdir looked; echo text > looked/f; echo text > looked/g; ls -l looked');

    const { requests: cost, output } = await asked(`
      stat looked looked/f looked/g > "$1/out"; stat -f looked/f >> "$1/out"; df looked >> "$1/out"
      ls -la --color=always looked >> "$1/out"; find looked -type f -perm -u=r >> "$1/out"; test -w looked/f
      getfattr looked looked/f >> "$1/out"
      for name in ${ASKED_FOR.join(' ')}; do
        getfattr -n "$name" looked/f looked 2>> "$1/absent" || true
      done
      grep -cE "No such attribute|Operation not supported" "$1/absent"`);

    expect(cost).toEqual([]);
    expect(output.trim()).toBe(String(2 * ASKED_FOR.length));
  });

  it('a folder copied from macOS is stored without what macOS keeps beside its files, which is here all the same [scratch/local]', async () => {
    const source = join(outside(), 'mac');
    await mkdir(source);
    await writeFile(join(source, 'photo.jpg'), 'a photo');
    await writeFile(join(source, '._photo.jpg'), APPLE_DOUBLE);
    await writeFile(join(source, '.DS_Store'), Buffer.from('\0\0\0\u0001Bud1'));
    await writeFile(join(source, '._notes'), 'a name that only looks like it');
    await asked('mkdir copied; ls copied');

    const copy = await asked('cp -a "$1/mac/." copied/; diff -r "$1/mac" copied');
    const again = await asked('cp -a "$1/mac/.DS_Store" copied/; diff -r "$1/mac" copied');
    const moved = await asked(
      'mv copied/photo.jpg copied/p.jpg; mv copied/._photo.jpg copied/._p.jpg; ls -A copied',
    );
    const held = await mount().direct.listObjects(mount().bucket, { folder: 'copied' });
    const removed = await asked('rm -r copied');

    expect(copy.requests.sort()).toEqual(['putObject copied/._notes', 'putObject copied/photo.jpg']);
    expect(again.requests).toEqual([]);
    expect(
      moved.output
        .split('\n')
        .filter((name) => name !== '')
        .sort(),
    ).toEqual(['.DS_Store', '._notes', '._p.jpg', 'p.jpg']);
    expect(held.objects.map(({ key }) => key)).toEqual(['copied/._notes', 'copied/p.jpg']);
    expect(removed.requests.filter((request) => request.startsWith('deleteObject')).sort()).toEqual([
      'deleteObject copied/',
      'deleteObject copied/._notes',
      'deleteObject copied/p.jpg',
    ]);
  });
});
