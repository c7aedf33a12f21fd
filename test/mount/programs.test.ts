/** Do unmodified programs work on a mounted bucket? What the service holds afterwards is compared by hash. */
import { beforeAll, describe, expect, it } from 'vitest';
import { heldByDirectory, heldByService, type HeldFiles } from '../support/held-files.ts';
import { sharedDirectory, sharedMount } from '../support/shared-mount.ts';
import { shell, type ShellResult } from '../support/shell.ts';

/** A tree with everything that archives and copies stumble over; `$1`: where. */
const MAKE_TREE = String.raw`
  mkdir -p "$1/folder/deep/deeper" "$1/empty folder" "$1/ünï" && cd "$1"
  echo plain > plain.txt; : > empty; printf 'no newline' > 'with space'
  head -c 1500000 /dev/urandom > folder/binary.bin; head -c 131072 /dev/zero > folder/deep/zeros
  echo deep > folder/deep/deeper/file; echo odd > 'ünï/+%?#&.txt'; echo quote > "it's"
  for i in $(seq 40); do echo "number $i" > "folder/file-$i"; done
  chmod 640 plain.txt; chmod 755 folder/file-1; touch -d '2001-02-03 04:05:06' plain.txt
`;

describe('on a mounted bucket', () => {
  const outside = sharedDirectory();
  let tree: HeldFiles;
  beforeAll(async () => {
    await shell(outside(), MAKE_TREE, `${outside()}/tree`);
    tree = await heldByDirectory(`${outside()}/tree`);
  });
  const mount = sharedMount();

  const run = (script: string): Promise<ShellResult> => mount().run(script, outside());
  const held = (folder: string): Promise<HeldFiles> => heldByService(mount().direct, mount().bucket, folder);
  const text = async (key: string): Promise<string> => (await mount().stored(key)).toString();
  /** Runs a script that must succeed without a word of complaint; `$1` is a directory outside of the mount. */
  const succeed = async (script: string): Promise<string> => {
    const result = await run(`set -e; ${script}`);
    expect(result).toMatchObject({ errors: '', exit: 0 });
    return result.output;
  };

  describe('a tree', () => {
    it('is copied in and out by cp -a, with modes and times', async () => {
      const output = await succeed(
        'cp -a "$1/tree" copied; stat -c "%a %Y" copied/plain.txt; stat -c %a copied/folder/file-1; cp -a copied "$1/back"; diff -r "$1/tree" "$1/back" && echo same; stat -c "%a %Y" "$1/back/plain.txt"',
      );

      const stamp = Math.floor(new Date(2001, 1, 3, 4, 5, 6).getTime() / 1000);
      expect(output).toBe(`640 ${stamp}\n755\nsame\n640 ${stamp}\n`);
      expect(await held('copied')).toEqual(tree);
    });

    it.each(['-r', '-a'])('is copied by cp %s within the mount', async (option) => {
      await succeed(
        `rm -rf origin twin; cp -r "$1/tree" origin; cp ${option} origin twin; diff -r origin twin`,
      );

      expect(await held('twin')).toEqual(tree);
    });

    it('is copied by cp -a with the links and types that its files have', async () => {
      const output = await succeed(
        'mkdir typed; echo x > typed/file; setfattr -n user.mime_type -v text/x-mine typed/file; setfattr -n user.pailfs.visibility -v public typed/file; cp -a typed typed-too; getfattr --only-values -n user.mime_type typed-too/file; getfattr --only-values -n user.pailfs.visibility typed-too/file',
      );

      expect(output).toBe('text/x-minepublic');
      expect((await mount().direct.getVisibility(mount().bucket, 'typed-too/file')).visibility).toBe(
        'public',
      );
    });

    it('is renamed by mv, as one folder, and over an empty one [rename/folders]', async () => {
      await succeed(
        'cp -a "$1/tree" first; mv first second; mkdir third; mv -T second third; diff -r "$1/tree" third; ls',
      );

      expect(await held('third')).toEqual(tree);
      expect(await held('first')).toEqual({});
      expect(await held('second')).toEqual({});
    });

    it('is packed and unpacked by tar', async () => {
      await succeed(
        'cp -r "$1/tree" packed; tar cf archive.tar packed; mkdir unpacked; tar xf archive.tar -C unpacked; diff -r packed unpacked/packed; tar czf "$1/out.tgz" packed; mkdir unzipped; tar xzf "$1/out.tgz" -C unzipped',
      );

      expect(await held('unpacked/packed')).toEqual(tree);
      expect(await held('unzipped/packed')).toEqual(tree);
    });

    it('is copied and brought up to date by rsync, which then finds nothing to do', async () => {
      await succeed('rsync -a "$1/tree/" synced/');
      expect(await held('synced')).toEqual(tree);

      const output = await succeed(
        'rsync -a --checksum --itemize-changes "$1/tree/" synced/ | grep -c "^>f" || true; cp -r "$1/tree" "$1/changed"; cd "$1/changed"; echo more >> plain.txt; rm folder/file-1; echo new > new; cd "$OLDPWD"; rsync -a --delete --checksum "$1/changed/" synced/',
      );

      expect(output).toBe('0\n');
      expect(await held('synced')).toEqual(await heldByDirectory(`${outside()}/changed`));
    });

    it('is copied by rsync -X from a disk whose files have no attributes, again and again [xattr/copies]', async () => {
      const copy = `rsync -aX --filter='-x user.pailfs.*' "$1/tree/" attributed/`;
      await succeed(`${copy}; ${copy}`);

      expect(await held('attributed')).toEqual(tree);
    });

    it('is copied by rsync --inplace, which edits files where they are', async () => {
      await succeed(
        'rsync -a "$1/tree/" inplace/; cp -r "$1/tree" "$1/edited"; printf XXXX | dd of="$1/edited/folder/binary.bin" bs=1 seek=700000 conv=notrunc status=none; rsync -a --inplace --no-whole-file "$1/edited/" inplace/',
      );

      expect(await held('inplace')).toEqual(await heldByDirectory(`${outside()}/edited`));
    });

    it('is packed and unpacked by zip', async () => {
      const output = await succeed(
        'cp -r "$1/tree" zipped; zip -q -r archive.zip zipped; zip -q archive.zip zipped/plain.txt; unzip -q archive.zip -d unzip; unzip -tq archive.zip',
      );

      expect(output).toMatch(/No errors detected/);
      expect(await held('unzip/zipped')).toEqual(tree);
    });

    it('is searched by find, grep and du as on a disk', async () => {
      const look =
        'find . -type f | sort | md5sum; grep -rl number . | sort; find . -size +100k | sort; find . -empty | sort; du --apparent-size -ab folder/deep/zeros folder/binary.bin; cat folder/file-* | md5sum';
      await succeed('cp -r "$1/tree" searched');

      const here = await succeed(`cd searched; ${look}`);

      expect(here).toBe((await shell(`${outside()}/tree`, look)).output);
    });

    it('is moved by mv, whole, although the service has no request for it', async () => {
      await succeed('cp -r "$1/tree" before; mv before after; mkdir target; mv after target/');

      expect(await held('target/after')).toEqual(tree);
      expect(await held('before')).toEqual({});
      expect(await run('ls -d before after')).toMatchObject({ exit: 2, output: '' });
    });

    it('is moved out and in again by mv', async () => {
      await succeed(
        'cp -r "$1/tree" leaving; mv leaving "$1/left"; diff -r "$1/tree" "$1/left"; mv "$1/left" returned',
      );

      expect(await held('returned')).toEqual(tree);
      expect(await held('leaving')).toEqual({});
    });

    it('is removed by rm -rf, here and on the service', async () => {
      const output = await succeed(
        'cp -r "$1/tree" removed; rm -rf removed; ls -d removed 2>&1 || true; find "$1/tree" -type f | wc -l',
      );

      expect(output).toMatch(/No such file/);
      expect(Object.keys(await held('')).filter((name) => name.startsWith('removed'))).toEqual([]);
    });
  });

  describe('a shell', () => {
    beforeAll(() => run('mkdir shell'));
    const inShell = (script: string): Promise<string> => succeed(`cd shell; ${script}`);

    it('redirects, appends and writes here-documents', async () => {
      const output = await inShell(
        'echo one > file; echo two >> file; cat >> file <<END\nthree\nEND\ncat file; : > file; stat -c %s file; echo new > file; > emptied; wc -c < emptied',
      );

      expect(output).toBe('one\ntwo\nthree\n0\n0\n');
      expect(await text('shell/file')).toBe('new\n');
      expect(await text('shell/emptied')).toBe('');
    });

    it('refuses to overwrite under noclobber', async () => {
      const result = await run('cd shell; echo old > taken; set -C; echo new > taken');

      expect(result.errors).toMatch(/exist/);
      expect(await text('shell/taken')).toBe('old\n');
    });

    it('matches names with patterns', async () => {
      expect(
        await inShell(
          'mkdir glob; cd glob; for i in a b c; do echo $i > $i.txt; done; echo x > other; cat *; cat *.txt | wc -l; echo [ab]*',
        ),
      ).toBe('a\nb\nc\nx\n3\na.txt b.txt\n');
    });

    it('makes temporary files with mktemp and moves them into place', async () => {
      await inShell(
        'f=$(mktemp ./tmp.XXXXXX); echo content > "$f"; mv "$f" placed; d=$(mktemp -d ./dir.XXXXXX); rmdir "$d"',
      );

      expect(await text('shell/placed')).toBe('content\n');
      expect(Object.keys(await held('shell')).filter((name) => /^(tmp|dir)\./.test(name))).toEqual([]);
    });

    it('swaps files with mv', async () => {
      await inShell('echo A > a; echo B > b; mv a c; mv b a; mv c b; mv -n a b || true');

      expect([await text('shell/a'), await text('shell/b')]).toEqual(['B\n', 'A\n']);
    });

    it('cannot make links, and is told so [links/none]', async () => {
      const result = await run(
        'cd shell; echo x > target; ln target hard; ln -s target soft; mkfifo pipe; ls',
      );

      expect(result.errors.match(/Operation not permitted/g)).toHaveLength(3);
      expect(result.output).not.toMatch(/hard|soft|pipe/);
    });

    it('touches files: missing ones are made, others keep their bytes', async () => {
      expect(
        await inShell(
          'touch made; echo kept > old; touch -d @1000000000 old; stat -c %Y old; touch old; test "$(stat -c %Y old)" -gt 1000000000; cat old',
        ),
      ).toBe('1000000000\nkept\n');
      expect(await text('shell/made')).toBe('');
      expect(await text('shell/old')).toBe('kept\n');
    });

    it('reads beginnings, ends and stretches of files', async () => {
      expect(
        await inShell(
          'seq 100000 > numbers; head -c 10 numbers; tail -c 7 numbers; tail -n 1 numbers; dd if=numbers bs=1 skip=300000 count=7 status=none; sed -n 50000p numbers',
        ),
      ).toBe(`1\n2\n3\n4\n5\n100000\n100000\n${sequence(100_000).slice(300_000, 300_007)}50000\n`);
    });

    it('overwrites a stretch with dd conv=notrunc, and cuts without', async () => {
      await inShell(
        'seq 100000 > whole; printf XYZ | dd of=whole bs=1 seek=300000 conv=notrunc status=none; seq 10 > cut; printf AB | dd of=cut bs=1 seek=4 status=none',
      );

      const whole = sequence(100_000);
      expect((await text('shell/whole')) === `${whole.slice(0, 300_000)}XYZ${whole.slice(300_003)}`).toBe(
        true,
      );
      expect(await text('shell/cut')).toBe('1\n2\nAB');
    });

    it('sorts a file onto itself', async () => {
      await inShell('seq 20000 > sorted; sort -rn -o sorted sorted; head -n 1 sorted');

      expect((await text('shell/sorted')).startsWith('20000\n19999\n')).toBe(true);
      expect(await text('shell/sorted')).toHaveLength(sequence(20_000).length);
    });

    it('appends with tee', async () => {
      expect(await inShell('echo 1 | tee log; echo 2 | tee -a log; cat log')).toBe('1\n2\n1\n2\n');
      expect(await text('shell/log')).toBe('1\n2\n');
    });

    it('cuts and lengthens with truncate', async () => {
      await inShell(
        'echo 0123456789 > sized; truncate -s 4 sized; truncate -s 6 sized; truncate -s 100000 made-long',
      );

      expect(await text('shell/sized')).toBe('0123\0\0');
      expect((await mount().stored('shell/made-long')).equals(Buffer.alloc(100_000))).toBe(true);
    });

    it('installs, compares and checks files', async () => {
      await inShell(
        'seq 1000 > source; install -m 750 source installed; cmp source installed; test "$(stat -c %a installed)" = 750; sha256sum source installed > sums; sha256sum --quiet -c sums; split -l 300 source part-; cat part-* | cmp - source',
      );

      expect(await text('shell/installed')).toBe(sequence(1000));
    });

    it('makes and removes nested folders', async () => {
      await inShell(
        'mkdir -p n/e/s/t; rmdir -p n/e/s/t; mkdir -p deep/er; echo x > deep/er/file; rm -r deep',
      );

      expect(Object.keys(await held('shell')).filter((name) => /^(n|deep)\//.test(name))).toEqual([]);
    });
  });

  it('leaves nothing unsent', async () => {
    expect(await mount().ask('close')).toEqual([]);
  });
});

/** What seq prints. */
function sequence(last: number): string {
  return Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');
}
