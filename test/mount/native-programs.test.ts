/** Do programs work on a bucket that the native driver mounts? A few of each sort: the whole lists run with the default driver. */
import { describe, expect, it } from 'vitest';
import { heldByDirectory, heldByService } from '../support/held-files.ts';
import { sharedDirectory, sharedMount } from '../support/shared-mount.ts';

const MAKE_TREE =
  'mkdir -p tree/deep; seq 1000 > tree/numbers; head -c 300000 /dev/urandom > tree/deep/binary; : > tree/empty';

describe('on a bucket that the native driver mounts', () => {
  const mount = sharedMount({ driver: 'native' });
  const outside = sharedDirectory();

  /** Runs a script that must succeed; `$1` is a directory outside of the mount. */
  const succeed = async (script: string): Promise<string> => {
    const quiet = 'export HOME="$1" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null';
    const result = await mount().run(`set -e; ${quiet}; ${script}`, outside());
    expect(result.exit, result.errors).toBe(0);
    return result.output;
  };

  it('cp, rsync, tar, mv and rm manage a tree', async () => {
    await succeed(`cd "$1"; ${MAKE_TREE}`);
    const tree = await heldByDirectory(`${outside()}/tree`);

    const output = await succeed(`
      cp -r "$1/tree" copied; rsync -r --size-only copied/ synced/; tar -cf tree.tar copied; mkdir unpacked
      tar -C unpacked -xf tree.tar 2> "$1/warnings"; mv unpacked/copied moved; rm -r copied
      diff -r "$1/tree" moved; rsync -rn --size-only --itemize-changes "$1/tree/" synced/ | wc -l; ls
    `);

    expect(output).toBe('0\nmoved\nsynced\ntree.tar\nunpacked\n');
    expect(await heldByService(mount().direct, mount().bucket, 'moved')).toEqual(tree);
    expect(await heldByService(mount().direct, mount().bucket, 'synced')).toEqual(tree);
  });

  it('git keeps a repository, and clones it', async () => {
    const output = await succeed(`
      git() { command git -c user.name=Somebody -c user.email=somebody@example.org -c init.defaultBranch=main "$@"; }
      git init -q repo; cd repo; for i in 1 2 3; do echo $i > $i; git add .; git commit -q -m $i; done; git gc -q
      cd ..; git clone -q --no-local repo clone; git -C clone fsck --full; git -C clone log --oneline | wc -l
    `);

    expect(output).toBe('3\n');
  });

  it('sqlite3 keeps a database', async () => {
    const output = await succeed(`
      sqlite3 some.db "create table t(x); insert into t values (1), (2); begin; delete from t; rollback;"
      sqlite3 some.db "select sum(x) from t; pragma integrity_check;"
    `);

    expect(output).toBe('3\nok\n');
  });

  it('vim and sed edit files', async () => {
    await succeed(
      "seq 10 > file; vim -es -u NONE -i NONE file -c '%s/^5$/five/' -c wq; sed -i 's/^6$/six/' file",
    );

    expect((await mount().stored('file')).toString()).toBe('1\n2\n3\n4\nfive\nsix\n7\n8\n9\n10\n');
  });

  it('leaves nothing unsent', async () => {
    expect(await mount().ask('close')).toEqual([]);
  });
});
