/** What only a kernel shows: duplicated descriptors, mapped memory, programs run from the mount, files larger than any cache. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { hashOf, hashOfKey } from '../support/held-files.ts';
import { sharedMount } from '../support/shared-mount.ts';

const LARGE_BYTES = 300 * 1024 * 1024;

describe('a mount', () => {
  const mount = sharedMount();

  it('stores what a shell writes through duplicated descriptors, at each close', async () => {
    const result = await mount().run(
      'exec 3> dup; exec 4>&3; echo one >&3; exec 3>&-; cat dup; echo two >&4; exec 4>&-; cat dup',
    );

    expect(result).toMatchObject({ exit: 0, errors: '', output: 'one\none\ntwo\n' });
    expect((await mount().stored('dup')).toString()).toBe('one\ntwo\n');
  });

  it('stores what a child writes through a descriptor that its parent opened', async () => {
    const result = await mount().run(
      'exec 3> child; (echo from a child >&3) & wait; sh -c "echo again >&3"; exec 3>&-',
    );

    expect(result).toMatchObject({ exit: 0, errors: '' });
    expect((await mount().stored('child')).toString()).toBe('from a child\nagain\n');
  });

  it('reads and writes through one descriptor opened for both', async () => {
    const result = await mount().run(
      'printf 0123456789 > both; exec 3<> both; head -c 4 <&3 > /dev/null; printf XY >&3; exec 3>&-; cat both',
    );

    expect(result.errors).toBe('');
    expect(result.output).toBe('0123XY6789');
    expect((await mount().stored('both')).toString()).toBe('0123XY6789');
  });

  it('goes on reading and writing a file that the shell deleted while it was open', async () => {
    const result = await mount().run(
      'echo kept > doomed; exec 3<> doomed; rm doomed; ls -a; cat <&3; echo more >&3; stat -L -c %s /proc/self/fd/3; exec 3>&-; ls -a',
    );

    expect(result.errors).toBe('');
    expect(result.output).toMatch(/^\.\n\.\.\n[^]*kept\n10\n\.\n\.\.\n/);
    expect(result.output).not.toMatch(/doomed|fuse_hidden/);
  });

  it('keeps 300 MiB as they were written, read back past every cache', async () => {
    const source = `${mount().stateDirectory}/large`;
    const made = await mount().run(
      'head -c "$2" /dev/urandom > "$1" && stat -c %s "$1"',
      source,
      String(LARGE_BYTES),
    );
    expect(made.output).toBe(`${LARGE_BYTES}\n`);
    const wanted = await hashOf(createReadStream(source));

    const copied = await mount().run('cp "$1" large && rm "$1" && sha256sum < large | cut -c1-64', source);

    expect(copied).toMatchObject({ exit: 0, errors: '', output: `${wanted}\n` });
    expect(await hashOfKey(mount().direct, mount().bucket, 'large')).toBe(wanted);
    await mount().ask('refresh');
    const part = await mount().run('tail -c +157286401 large | head -c 1048576 | wc -c; rm large; ls');
    expect(part.output).toMatch(/^1048576\n/);
    expect(part.output).not.toMatch(/large/);
  });

  it('runs a program that is stored on it, which maps it into memory', async () => {
    const result = await mount().run('cp "$(readlink -f /bin/ls)" my-ls && chmod 755 my-ls && ./my-ls my-ls');

    expect(result).toMatchObject({ exit: 0, errors: '', output: 'my-ls\n' });
  });

  it('lets a database map its file into memory', async () => {
    const result = await mount().run(
      `sqlite3 mapped.db "create table t(x); with recursive n(i) as (select 1 union all select i+1 from n where i < 20000) insert into t select hex(randomblob(20)) from n;"
       sqlite3 mapped.db "pragma mmap_size=268435456; select count(*), count(distinct x) from t; pragma integrity_check;"`,
    );

    expect(result).toMatchObject({ exit: 0, errors: '', output: '268435456\n20000|20000\nok\n' });
  });

  it('tells a program that its room for an extended attribute is too small [xattr/answers]', async () => {
    await writeFile(`${mount().path}/sized`, 'x');
    const program = `
      use Config;
      my $call = $Config{archname} =~ /^aarch64/ ? 8 : 191;
      my ($path, $name) = ("sized", "user.pailfs.visibility");
      for my $room (0, 3, 7, 100) {
        my $into = "." x $room;
        my $length = syscall($call, $path, $name, $into, $room);
        print $length < 0 ? ($!{ERANGE} ? "ERANGE" : "$!") : "$length:" . substr($into, 0, $length), "\\n";
      }
    `;

    const result = await mount().run('perl -e "$1"', program);

    expect(result).toMatchObject({ exit: 0, output: '7:\nERANGE\n7:private\n7:private\n' });
  });

  it('tells what is written and not stored yet to a program beside the writer', async () => {
    const program = `
      $^F = 100; # descriptors stay open in children
      open my $file, ">", "unstored" or die $!;
      syswrite $file, "bytes" or die $!;
      print \`getfattr --only-values -n user.pailfs.state unstored\`, "\\n";
      print -s "unstored", "\\n";
      close $file or die $!;
      print \`getfattr --only-values -n user.pailfs.state unstored\`, "\\n";
    `;

    const result = await mount().run('perl -e "$1"', program);

    expect(result).toMatchObject({ exit: 0, errors: '', output: 'dirty\n5\nclean\n' });
    expect((await mount().stored('unstored')).toString()).toBe('bytes');
  });

  it('loses no line when many programs append to one file', async () => {
    const result = await mount().run(
      ': > log; for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5; do echo "$i:$j" >> log; done) & done; wait; sort log | uniq | wc -l; wc -l < log',
    );

    expect(result).toMatchObject({ exit: 0, errors: '', output: '40\n40\n' });
    expect((await mount().stored('log')).toString().split('\n')).toHaveLength(41);
  });

  it('lets one of many programs win that create the same name exclusively at once [names/exclusive]', async () => {
    const result = await mount().run(
      'mkdir race; for round in 1 2 3 4 5 6 7 8 9 10; do for i in 1 2 3 4 5 6; do (set -C; echo "$i" > race/$round) 2>> race-lost & done; wait; done; ls race | wc -l; wc -l < race-lost; cat race/* | wc -l',
    );

    expect(result).toMatchObject({ exit: 0, errors: '', output: '10\n50\n10\n' });
  });

  it('lets programs lock files against each other [write/locks]', async () => {
    const result = await mount().run(
      'echo 0 > counter; for i in 1 2 3 4 5 6; do flock counter.lock sh -c "n=\\$(cat counter); echo \\$((n + 1)) > counter" & done; wait; cat counter',
    );

    expect(result).toMatchObject({ exit: 0, errors: '', output: '6\n' });
    expect((await mount().stored('counter')).toString()).toBe('6\n');
  });

  it('sees what somebody else stored when its time to look again has come', async () => {
    await mount().run('echo mine > shared; cat shared');
    await mount().foreignWrite('shared', 'theirs, and longer\n');

    const result = await mount().run('cat shared; stat -c %s shared');

    expect(result.output).toBe('theirs, and longer\n19\n');
  });
});

describe('a mount whose metadata is never trusted', () => {
  const mount = sharedMount({ settings: { metadataTtl: 0 } });

  it('shows at each look what the service has at that moment [fresh/open]', async () => {
    for (const version of ['first', 'second', 'third one']) {
      const put = { size: version.length, open: () => piecesOf(version) };
      await mount().direct.putObject(mount().bucket, 'file', put);
      expect((await mount().run('cat file')).output).toBe(version);
      expect((await mount().run('ls; stat -c %s file')).output).toBe(`file\n${version.length}\n`);
    }
    await mount().direct.deleteObject(mount().bucket, 'file');

    expect((await mount().run('cat file')).errors).toMatch(/No such file/);
    expect((await mount().run('ls')).output).toBe('');
  });
});

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}
