/** What do programs see of names, folders and attributes, whichever driver mounts? */
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DRIVERS } from '../support/drivers.ts';
import type { MemoryMessage } from '../support/mounted-memory.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { shell, type ShellResult } from '../support/shell.ts';

/** RENAME_NOREPLACE to a free name and to a taken one, then RENAME_EXCHANGE. */
const RENAMES_WITH_FLAGS = String.raw`
  use Config;
  my $call = $Config{archname} =~ /^aarch64/ ? 276 : 316;
  my $from = "one";
  for (["free", 1], ["two", 1], ["two", 2]) {
    my ($to, $flags) = @$_;
    my $failed = syscall($call, -100, $from, -100, $to, $flags) < 0;
    print $failed ? ($!{EINVAL} ? "EINVAL" : $!{EEXIST} ? "EEXIST" : "$!") : "done", "\n";
    $from = "free" unless $failed;
  }
`;
const MODULE = new URL('../support/mounted-memory.ts', import.meta.url);

describe.each(DRIVERS)('names on a mount of the %s driver', (driver) => {
  let mounted: MountedDirectory;
  const inside = (name: string): string => path.join(mounted.path, name);
  const run = (script: string): Promise<ShellResult> => shell(mounted.path, script);
  const ask = (message: MemoryMessage): Promise<unknown> => mounted.call(message);

  /** What becomes of each in a new folder, where `one` and `two` are. */
  const renamedWithFlags = async (folder: string): Promise<string> => {
    await run(`mkdir ${folder}; echo 1 > ${folder}/one; echo 2 > ${folder}/two`);
    return (await shell(inside(folder), 'perl -e "$1"', RENAMES_WITH_FLAGS)).output;
  };

  beforeAll(async () => {
    mounted = await mountForTest({ module: MODULE, driver });
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

    expect(read.errors.match(/Operation not supported/g)).toHaveLength(2);
    expect(set).toMatchObject({ output: '1\n' });
    // The kernel itself lets only root set security.*.
    expect(set.errors).toMatch(/not supported|not permitted/);
    expect(calls.filter((call) => /[sg]etXattr/.test(call))).toEqual([]);
  });

  it('have a place in df', async () => {
    const result = await run('df -P . | tail -1; stat -f -c %l .');

    expect(result.output).toMatch(/^pailfs-test .*\n255\n$/);
  });

  if (driver === 'native') {
    it('that libfuse keeps for itself are refused to programs, which lose nothing by trying [native/reserved]', async () => {
      const reserved = inside('.fuse_hidden0123456789abcdef');
      await writeFile(inside('kept'), 'still here');

      await expect(writeFile(reserved, '')).rejects.toMatchObject({ code: 'EPERM' });
      await expect(mkdir(reserved)).rejects.toMatchObject({ code: 'EPERM' });
      expect(await ask({ ask: 'text', path: '/kept' })).toBe('still here');
      await writeFile(inside('.fuse_hidden'), 'an ordinary name');
    });

    it('are not exchanged, nor moved to a free name on condition that it is free; mv does without [native/exchange]', async () => {
      expect(await renamedWithFlags('exchange')).toBe('EINVAL\nEEXIST\nEINVAL\n');

      const moved = await run('cd exchange; mv -n one two; mv -n one free; cat two free; ls');
      expect(moved.output).toBe('2\n1\nfree\ntwo\n');
    });
  } else {
    it('that libfuse would keep for itself are ordinary ones', async () => {
      const name = '.fuse_hidden0123456789abcdef';
      await writeFile(inside(name), 'text');

      expect(await ask({ ask: 'text', path: `/${name}` })).toBe('text');
      expect(await readdir(mounted.path)).toContain(name);
    });

    it('are moved on condition that the new one is free, and not exchanged', async () => {
      expect(await renamedWithFlags('exchange')).toBe('done\nEEXIST\nEINVAL\n');

      expect((await run('cd exchange; cat free two; ls')).output).toBe('1\n2\nfree\ntwo\n');
    });
  }
});
