import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryMessage } from '../support/mounted-memory.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { shell, type ShellResult } from '../support/shell.ts';

describe('names on a mount of the native driver', () => {
  let mounted: MountedDirectory;
  const inside = (name: string): string => path.join(mounted.path, name);
  const run = (script: string): Promise<ShellResult> => shell(mounted.path, script);
  const ask = (message: MemoryMessage): Promise<unknown> => mounted.call(message);

  beforeAll(async () => {
    mounted = await mountForTest({ module: new URL('../support/mounted-memory.ts', import.meta.url) });
  });
  afterAll(() => mounted.dispose());

  it('keep every byte of odd spellings', async () => {
    const names = [
      'a b',
      ' lead',
      'trail ',
      '+%?#&',
      'é',
      'e\u0301',
      '日本語',
      '🪣',
      '-rf',
      'a\\b',
      'new\nline',
      '~',
      '"\'',
    ];
    await mkdir(inside('odd'));
    for (const name of names) await writeFile(inside(`odd/${name}`), name);

    expect((await readdir(inside('odd'))).toSorted()).toEqual(names.toSorted());
    expect((await run('cat odd/*')).output).toHaveLength(names.join('').length);
  });

  it('may have 255 bytes and not one more, in every call', async () => {
    const longest = 'é'.repeat(127) + 'x';
    await writeFile(inside(longest), 'fits');
    const tooLong = `${longest}y`;

    expect((await stat(inside(longest))).size).toBe(4);
    await expect(stat(inside(tooLong))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    await expect(writeFile(inside(tooLong), '')).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    await expect(mkdir(inside(tooLong))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    await expect(rename(inside(longest), inside(tooLong))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  });

  it('that are not UTF-8 are refused, not mixed up [names/not-unicode]', async () => {
    const result = await run(
      String.raw`touch "$(printf 'bad\377')"; mkdir "$(printf 'bad\376')"; ls -d bad*`,
    );

    expect(result.errors.match(/Invalid or incomplete multibyte/g)).toHaveLength(2);
  });

  it('that libfuse keeps for itself are refused to programs, which lose nothing by trying [native/reserved]', async () => {
    const reserved = inside('.fuse_hidden0123456789abcdef');
    await writeFile(inside('kept'), 'still here');

    await expect(writeFile(reserved, '')).rejects.toMatchObject({ code: 'EPERM' });
    await expect(mkdir(reserved)).rejects.toMatchObject({ code: 'EPERM' });
    expect(await ask({ ask: 'text', path: '/kept' })).toBe('still here');
    await writeFile(inside('.fuse_hidden'), 'an ordinary name');
  });

  it('of 5,000 files are listed whole, with their kinds', async () => {
    await mkdir(inside('many'));
    for (let batch = 0; batch < 50; batch += 1) {
      const numbers = Array.from({ length: 100 }, (_, index) => batch * 100 + index);
      await Promise.all(numbers.map((number) => writeFile(inside(`many/file-${String(number)}`), '')));
    }
    await mkdir(inside('many/folder'));
    const entries = await readdir(inside('many'), { withFileTypes: true });

    expect(entries).toHaveLength(5001);
    expect(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)).toEqual(['folder']);
    expect((await run('find many -type f | wc -l')).output.trim()).toBe('5000');
  });

  it('move with their folder and what is open below it', async () => {
    const result = await run(
      'mkdir -p from/deep; echo kept > from/deep/file; exec 3< from/deep/file; rm from/deep/file; mv from to; cat <&3; ls to/deep | wc -l; rmdir to/deep to; mkdir full; touch full/x; rmdir full',
    );

    expect(result.output).toBe('kept\n0\n');
    expect(result.errors).toMatch(/full.*not empty/);
  });

  it('are not exchanged, nor moved to a free name on condition that it is free; mv does without [native/exchange]', async () => {
    const renameat2 = String.raw`
      use Config;
      my $call = $Config{archname} =~ /^aarch64/ ? 276 : 316;
      my ($from, $taken, $free) = ("one", "two", "free");
      for ([$from, $free, 1], [$from, $taken, 1], [$from, $taken, 2]) {
        my ($old, $new, $flags) = @$_;
        print syscall($call, -100, $old, -100, $new, $flags) < 0 ? ($!{EINVAL} ? "EINVAL" : $!{EEXIST} ? "EEXIST" : "$!") : "done", "\n";
      }
    `;
    await run('mkdir exchange; echo 1 > exchange/one; echo 2 > exchange/two');

    const called = await shell(inside('exchange'), 'perl -e "$1"', renameat2);
    const moved = await run('cd exchange; mv -n one two; mv -n one free; cat two free; ls');

    expect(called).toMatchObject({ exit: 0, output: 'EINVAL\nEEXIST\nEINVAL\n' });
    expect(moved.output).toBe('2\n1\nfree\ntwo\n');
  });

  it('of missing things are missing, and files are no folders', async () => {
    const result = await run('cat nothing; touch plain; ls plain/below; mkdir plain; rmdir plain; cat .');

    expect(result.errors).toMatch(
      /No such file[^]*Not a directory[^]*File exists[^]*Not a directory[^]*Is a directory/,
    );
  });

  it('carry permission bits as set', async () => {
    const result = await run(
      'umask 077; touch private; chmod 640 private; mkdir -m 750 closed; stat -c %a private closed',
    );

    expect(result.output).toBe('640\n750\n');
  });

  it('carry attributes that setfattr writes and getfattr reads, of any size', async () => {
    const result = await run(
      'touch x; setfattr -n user.a -v "$(printf %01000d 7)" x; setfattr -n user.empty x; getfattr --only-values -n user.a x | wc -c; getfattr x | grep -c user; setfattr -x user.a x; getfattr -n user.a x',
    );

    expect(result.output).toBe('1000\n2\n');
    expect(result.errors).toMatch(/No such attribute/);
  });

  it('outside user. are answered without asking the file system [xattr/answers]', async () => {
    await writeFile(inside('fast'), '');
    await ask({ ask: 'calls' });
    const read = await run('getfattr -n security.capability fast; getfattr -n system.posix_acl_access fast');
    const set = await run('setfattr -n security.other -v 1 fast; cp -a fast copied && ls -l copied | wc -l');
    const calls = (await ask({ ask: 'calls' })) as string[];

    expect(read.errors.match(/No such attribute/g)).toHaveLength(2);
    expect(set).toMatchObject({ output: '1\n' });
    // The kernel itself lets only root set security.*.
    expect(set.errors).toMatch(/not supported|not permitted/);
    expect(calls.filter((call) => /[sg]etXattr/.test(call))).toEqual([]);
  });

  it('have a place in df', async () => {
    const result = await run('df -P . | tail -1; stat -f -c %l .');

    expect(result.output).toMatch(/^pailfs-test .*\n255\n$/);
  });
});
