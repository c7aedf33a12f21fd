/** Do programs with ways of their own to replace a file work on a mounted bucket: editors, databases, git? */
import { describe, expect, it } from 'vitest';
import { heldByDirectory, heldByService, type HeldFiles } from '../support/held-files.ts';
import { sharedDirectory, sharedMount } from '../support/shared-mount.ts';

const GIT = 'git -c user.name=Somebody -c user.email=somebody@example.org -c init.defaultBranch=main';

describe('on a mounted bucket', () => {
  const mount = sharedMount();
  const outside = sharedDirectory();

  const held = (folder: string): Promise<HeldFiles> => heldByService(mount().direct, mount().bucket, folder);
  const text = async (key: string): Promise<string> => (await mount().stored(key)).toString();
  /** Runs a script that must succeed; `$1` is a directory outside of the mount. Nobody's settings are used. */
  const succeed = async (script: string): Promise<string> => {
    const quiet = 'export HOME="$1" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null';
    const result = await mount().run(`set -e; ${quiet}; ${script}`, outside());
    expect(result.exit, result.errors).toBe(0);
    return result.output;
  };

  it('git keeps a repository: init, add, commit, branch, merge, gc, fsck', async () => {
    const output = await succeed(`
      ${GIT} init -q repo; cd repo
      for i in $(seq 20); do mkdir -p dir$i; echo "content $i" > dir$i/file; done
      ${GIT} add .; ${GIT} commit -q -m first
      ${GIT} checkout -q -b side; echo side >> dir1/file; ${GIT} commit -q -a -m side
      ${GIT} checkout -q main; echo main >> dir2/file; ${GIT} commit -q -a -m main
      ${GIT} merge -q -m merged side; ${GIT} gc -q; ${GIT} fsck --full --strict
      ${GIT} status --porcelain; ${GIT} log --oneline | wc -l; tail -n 1 dir1/file dir2/file | grep -c -e side -e main
    `);

    expect(output).toBe('4\n2\n');
    expect(await held('repo')).toEqual(await heldByDirectory(`${mount().path}/repo`));
  });

  it('git mv moves a folder [rename/folders]', async () => {
    const output = await succeed(`
      ${GIT} init -q moved; cd moved; mkdir -p src/deep; echo a > src/a; echo b > src/deep/b; ${GIT} add .; ${GIT} commit -qm one
      ${GIT} mv src lib; ${GIT} commit -qm two; ${GIT} fsck --full; ${GIT} status --porcelain; find . -path ./.git -prune -o -type f -print | sort
    `);

    expect(output).toBe('./lib/a\n./lib/deep/b\n');
  });

  it('git clones from the mount, to the mount and within it, and pushes', async () => {
    const output = await succeed(`
      ${GIT} clone -q --no-local repo "$1/cloned"; ${GIT} clone -q "$1/cloned" cloned; ${GIT} clone -q repo twin
      ${GIT} init -q --bare shared.git; cd "$1/cloned"; ${GIT} remote add shared "$OLDPWD/shared.git"
      ${GIT} push -q shared main; cd "$OLDPWD"; ${GIT} clone -q shared.git from-shared
      for repo in "$1/cloned" cloned twin shared.git from-shared; do ${GIT} -C "$repo" fsck --full; ${GIT} -C "$repo" rev-parse main; done | sort -u | wc -l
    `);

    expect(output).toBe('1\n');
    expect(await text('from-shared/dir1/file')).toBe('content 1\nside\n');
    expect(await text('cloned/dir2/file')).toBe('content 2\nmain\n');
  });

  it.each(['delete', 'truncate', 'persist', 'memory'])(
    'sqlite3 keeps a database with its journal in mode %s',
    async (mode) => {
      const output = await succeed(`
        sqlite3 ${mode}.db "pragma journal_mode=${mode}; create table t(i integer primary key, x text);"
        sqlite3 ${mode}.db "pragma journal_mode=${mode}; begin; with recursive n(i) as (select 1 union all select i+1 from n where i<5000) insert into t select i, 'value ' || i from n; commit; update t set x = 'changed' where i % 100 = 0; begin; delete from t; rollback;" > /dev/null
        sqlite3 ${mode}.db "select count(*), sum(x = 'changed') from t; pragma integrity_check;"
        sqlite3 ${mode}.db "delete from t where i > 100; vacuum; select count(*) from t; pragma integrity_check;"
      `);

      expect(output.replace(`${mode}\n`, '')).toBe('5000|50\nok\n100\nok\n');
      const copy = `${outside()}/${mode}.db`;
      const read = await mount().run(
        'cat "$1" > "$2"; sqlite3 "$2" "pragma integrity_check; select max(i) from t"',
        `${mode}.db`,
        copy,
      );
      expect(read.output).toBe('ok\n100\n');
    },
  );

  it('sqlite3 undoes what a killed writer left half done', async () => {
    const output = await succeed(`
      sqlite3 crash.db "create table t(x); insert into t values ('whole');"
      mkfifo "$1/orders"; sqlite3 crash.db < "$1/orders" & writer=$!; exec 3> "$1/orders"
      echo "pragma cache_size=1; begin; insert into t select hex(randomblob(500)) from (with recursive n(i) as (select 1 union all select i+1 from n where i<2000) select i from n);" >&3
      until test "$(stat -c %s crash.db)" -gt 1000000; do sleep 0.1; done
      kill -KILL "$writer"; wait "$writer" || true
      sqlite3 crash.db "pragma integrity_check; select count(*) from t;"
    `);

    expect(output).toBe('ok\n1\n');
  });

  it('vim edits a file, also with backups, and leaves nothing behind', async () => {
    await succeed(`
      mkdir vim; cd vim; seq 1000 > file; vim -es -u NONE -i NONE file -c '%s/^5$/five/' -c wq
      cp file other; vim -es -u NONE -i NONE -c 'set backup backupskip= backupcopy=no' other -c '1d' -c wq
      vim -es -u NONE -i NONE -c 'set backup backupskip= backupcopy=yes' other -c '1d' -c wq
      vim -es -u NONE -i NONE new -c 'normal ihello' -c wq
    `);

    expect((await text('vim/file')).split('\n').slice(0, 6)).toEqual(['1', '2', '3', '4', 'five', '6']);
    expect((await text('vim/other')).split('\n').slice(0, 2)).toEqual(['3', '4']);
    expect(await text('vim/new')).toBe('hello\n');
    expect(Object.keys(await held('vim'))).toEqual(['file', 'new', 'other', 'other~']);
  });

  it('sed and perl edit files in place', async () => {
    await succeed(`
      mkdir sed; cd sed; for i in 1 2 3; do echo "old $i" > f$i; done
      sed -i 's/old/new/' f1 f2; sed -i.bak 's/old/new/' f3; perl -i -pe 's/new/newer/' f2
    `);

    expect(await text('sed/f1')).toBe('new 1\n');
    expect(await text('sed/f2')).toBe('newer 2\n');
    expect(Object.keys(await held('sed'))).toEqual(['f1', 'f2', 'f3', 'f3.bak']);
  });

  it('leaves nothing unsent', async () => {
    expect(await mount().ask('close')).toEqual([]);
  });
});
