/** What do programs that carry extended attributes make of those that a mount has? They end with 0 and print nothing. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS } from '../support/drivers.ts';
import { sharedDirectory, sharedMount } from '../support/shared-mount.ts';

const VALUE = (file: string, name: string): string =>
  `getfattr --absolute-names --only-values -n ${name} ${file}`;

describe.each(DRIVERS)('on mounts of the %s driver', (driver) => {
  const mount = sharedMount({ driver });
  const other = sharedMount({ driver });
  const local = sharedDirectory();
  beforeEach(async () => {
    await mount().run(
      'mkdir d; echo a > d/a.txt; echo b > d/b.html; setfattr -n user.mime_type -v text/x-mine d/a.txt; setfattr -n user.pailfs.visibility -v public d/b.html',
    );
  });
  afterEach(async () => {
    await mount().run('rm -rf -- *');
    await other().run('rm -rf -- *');
    await rm(path.join(local(), 'd'), { recursive: true, force: true });
  });

  /** `$1`: another mount; `$2`: a local directory. */
  async function silent(script: string): Promise<string> {
    const result = await mount().run(script, other().path, local());
    expect(result).toMatchObject({ exit: 0, errors: '' });
    return result.output;
  }

  it('getfattr -d shows all of a file, and setfattr publishes it [xattr/on-demand]', async () => {
    const shown = await silent('getfattr -d d/a.txt; getfattr -d d');
    await silent('setfattr -n user.pailfs.visibility -v public d/a.txt');
    const url = await silent(VALUE('d/a.txt', 'user.pailfs.url'));

    const lines = shown.split('\n');
    expect(lines).toContain('user.mime_type="text/x-mine"');
    expect(lines).toContain('user.pailfs.visibility="private"');
    expect(lines).toContain('user.pailfs.key="d/a.txt"');
    expect(lines).toContain('user.pailfs.hidden="0"');
    expect(shown).toMatch(/^user\.pailfs\.share_url="http.*"$/m);
    expect(await (await fetch(url)).text()).toBe('a\n');
  });

  it.each([
    ['within a mount', 'd', 'copied'],
    ['to another mount', 'd', '"$1/copied"'],
    ['out of a mount', 'd', '"$2/d"'],
  ])('cp -a goes %s [xattr/copies]', async (_way, from, to) => {
    const output = await silent(`cp -a ${from} ${to}; diff -r ${from} ${to}`);

    expect(output).toBe('');
  });

  it('cp -a brings types and visibility along, and back into a mount what it once took out', async () => {
    await silent('cp -a d "$2/d"; cp -a "$2/d" back; cp -a d "$1/there"');

    expect(await silent(VALUE('back/a.txt', 'user.mime_type'))).toBe('text/x-mine');
    expect(await silent(VALUE('"$1"/there/a.txt', 'user.mime_type'))).toBe('text/x-mine');
    expect(await silent(VALUE('"$1"/there/b.html', 'user.pailfs.visibility'))).toBe('public');
  });

  it.each([
    ['within a mount', 'moved'],
    ['to another mount', '"$1/moved"'],
    ['out of a mount', '"$2/d"'],
  ])('mv goes %s [xattr/copies]', async (_way, to) => {
    const output = await silent(`mv d ${to}; cat ${to}/a.txt ${to}/b.html`);

    expect(output).toBe('a\nb\n');
  });

  it('mv brings back into a mount what it once took out', async () => {
    await silent('mv d "$2/d"; mv "$2/d" back');

    expect(await silent(VALUE('back/a.txt', 'user.mime_type'))).toBe('text/x-mine');
  });

  it.each([
    ['within a mount', '.'],
    ['to another mount', '"$1"'],
    ['out of a mount', '"$2"'],
  ])('tar --xattrs goes %s [xattr/copies]', async (_way, to) => {
    const output = await silent(
      `tar --xattrs -cf "$2/all.tar" d; rm -r d; tar --xattrs -xf "$2/all.tar" -C ${to}; cat ${to}/d/a.txt ${to}/d/b.html`,
    );

    expect(output).toBe('a\nb\n');
    const type = VALUE(`${to}/d/a.txt`, 'user.mime_type');
    const visibility = VALUE(`${to}/d/b.html`, 'user.pailfs.visibility');
    if (to !== '"$2"') expect(await silent(`${type}; ${visibility}`)).toBe('text/x-minepublic');
  });

  it('rsync -X goes with a filter, which leaves the types to it', async () => {
    await silent(`rsync -aX --filter='-x user.pailfs.*' d/ "$1/synced/"`);

    expect(await silent(VALUE('"$1"/synced/a.txt', 'user.mime_type'))).toBe('text/x-mine');
    expect(await silent('diff -r d "$1/synced"')).toBe('');
  });

  it('rsync -X to the machine of the mount goes with the filter told to that, too [xattr/copies]', async () => {
    // Takes the place of ssh: the command for the other machine is run here.
    await silent(String.raw`printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' > "$2/shell"; chmod +x "$2/shell"`);
    const filter = `--filter='-x user.pailfs.*'`;
    await silent(`mkdir "$2/disk"; cp d/b.html "$2/disk/c.html"`);

    await silent(`rsync -aX ${filter} -M${filter} -e "$2/shell" "$2/disk/" host:"$PWD"/e/`);

    expect(await silent('diff -r e "$2/disk"')).toBe('');
  });

  it('a type set before the first close is that of the upload, and one set later keeps the link', async () => {
    await silent('exec 3> new.bin; setfattr -n user.mime_type -v image/png new.bin; echo x >&3; exec 3>&-');
    const first = (await mount().direct.headObject(mount().bucket, 'new.bin')).contentType;
    await silent('setfattr -n user.mime_type -v text/html d/b.html');

    expect(first).toBe('image/png');
    expect((await mount().direct.headObject(mount().bucket, 'd/b.html')).contentType).toBe('text/html');
    expect((await mount().direct.getVisibility(mount().bucket, 'd/b.html')).visibility).toBe('public');
  });

  it('XATTR_CREATE finds a listed name taken, and XATTR_REPLACE sets it [xattr/answers]', async () => {
    const program = `
      use Config;
      my $call = $Config{archname} =~ /^aarch64/ ? 5 : 188;
      my ($path, $name, $create, $replace) = ("d/a.txt", "user.mime_type", 1, 2);
      my ($one, $other) = ("a/b", "text/css");
      my $created = syscall($call, $path, $name, $one, 3, $create);
      print $created < 0 && $!{EEXIST} ? "EEXIST " : "set ";
      print syscall($call, $path, $name, $other, 8, $replace) == 0 ? "set " : "$! ";
    `;

    const result = await mount().run(`perl -e "$1"; ${VALUE('d/a.txt', 'user.mime_type')}`, program);

    expect(result).toMatchObject({ exit: 0, output: 'EEXIST set text/css' });
  });

  it('a type is guessed from the name', async () => {
    await writeFile(path.join(mount().path, 'photo.JPEG'), 'x');
    await writeFile(path.join(mount().path, 'unknown.zzzz'), 'x');

    expect(await silent(VALUE('photo.JPEG', 'user.mime_type'))).toBe('image/jpeg');
    expect(await silent(VALUE('unknown.zzzz', 'user.mime_type'))).toBe('application/octet-stream');
  });
});
