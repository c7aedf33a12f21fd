/** What do programs see of files, whichever driver mounts? */
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DRIVERS } from '../support/drivers.ts';
import type { MemoryMessage } from '../support/mounted-memory.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { shell, type ShellResult } from '../support/shell.ts';

const MODULE = new URL('../support/mounted-memory.ts', import.meta.url);

describe.each(DRIVERS)('files on a mount of the %s driver', (driver) => {
  let mounted: MountedDirectory;
  const inside = (name: string): string => path.join(mounted.path, name);
  const run = (script: string): Promise<ShellResult> => shell(mounted.path, script);
  const ask = (message: MemoryMessage): Promise<unknown> => mounted.call(message);

  /** Access and modification, in milliseconds: late ones, then early ones. */
  const timesSetThroughDescriptor = async (): Promise<number[]> => {
    await run('touch times; touch -d @1000 times');
    const file = await open(inside('times'), 'r');
    await file.utimes(1000.25, 2_000_000_000.5);
    const later = await file.stat();
    await run('touch -d @-5 times');
    const early = await file.stat();
    await file.close();
    return [later.atimeMs, later.mtimeMs, early.atimeMs, early.mtimeMs];
  };
  const timesSetOneByOne = (): Promise<ShellResult> =>
    run(
      'touch single; touch -d @1000 single; touch -m -d @5000 single; touch -a -d @7000 single; stat -c "%X %Y" single',
    );

  /** Reads a removed file that is still open, once its folder is gone, too. */
  const readInRemovedFolder = (): Promise<ShellResult> =>
    run(
      'mkdir going; echo old > going/file; exec 3< going/file; rm going/file; sleep 1; rmdir going && cat <&3',
    );

  beforeAll(async () => {
    // The native one tells by milliseconds whether a file goes for a rename.
    mounted = await mountForTest({ module: MODULE, driver, slowness: driver === 'native' ? 10 : 1 });
  });
  afterAll(() => mounted.dispose());

  it('are written, appended to and read back', async () => {
    const result = await run('echo one > a; echo two >> a; cat a; ls -l a | cut -c1-10');

    expect(result).toMatchObject({ exit: 0, errors: '', output: 'one\ntwo\n-rw-r--r--\n' });
  });

  it('are overwritten in the middle and extended beyond their end with zeros', async () => {
    await writeFile(inside('middle'), 'abcdef');
    const file = await open(inside('middle'), 'r+');
    await file.write('XY', 2);
    await file.write('!', 8);
    await file.close();

    expect(await readFile(inside('middle'), 'latin1')).toBe('abXYef\0\0!');
  });

  it('are cut and lengthened, by name and by descriptor', async () => {
    await writeFile(inside('cut'), '0123456789');
    await truncate(inside('cut'), 4);
    const file = await open(inside('cut'), 'r+');
    await file.truncate(6);
    const { size } = await file.stat();
    await file.close();

    expect(size).toBe(6);
    expect(await readFile(inside('cut'), 'latin1')).toBe('0123\0\0');
  });

  it('are emptied by an open with O_TRUNC, and not by their name alone', async () => {
    await writeFile(inside('emptied'), 'old');
    await ask({ ask: 'calls' });
    await writeFile(inside('emptied'), 'n');
    const calls = (await ask({ ask: 'calls' })) as string[];

    // A file cut by its name would be stored empty at once.
    expect(calls.slice(0, calls.indexOf('open /emptied'))).not.toContain('truncate /emptied');
    expect(calls).toContain('open /emptied');
    expect(await ask({ ask: 'text', path: '/emptied' })).toBe('n');
  });

  it('keep 64 MiB of bytes, written and read in large pieces', async () => {
    const result = await run(
      `head -c 67108864 /dev/urandom > "$TMPDIR_FILE"; cp "$TMPDIR_FILE" big; cmp big "$TMPDIR_FILE" && wc -c < big`.replaceAll(
        '$TMPDIR_FILE',
        `${mounted.path}-source`,
      ),
    );
    await shell('/', 'rm -f "$1"', `${mounted.path}-source`);

    expect(result).toMatchObject({ exit: 0, output: '67108864\n' });
  });

  it('can be executed, which maps them into memory', async () => {
    const result = await run('cp /bin/true program && chmod 755 program && ./program && echo ran');

    expect(result).toMatchObject({ exit: 0, output: 'ran\n' });
  });

  it('are read by many programs at once', async () => {
    await writeFile(inside('shared'), 'x'.repeat(1_000_000));
    const result = await run('for i in $(seq 30); do md5sum < shared & done | sort -u | wc -l; wait');

    expect(result).toMatchObject({ exit: 0, output: '1\n' });
  });

  it('are flushed at each close of a duplicated descriptor and released once', async () => {
    await ask({ ask: 'calls' });
    await run('exec 3> twice; echo a >&3; exec 4>&3; exec 3>&-; echo b >&4; exec 4>&-');
    const calls = (await ask({ ask: 'calls' })) as string[];

    expect(await ask({ ask: 'text', path: '/twice' })).toBe('a\nb\n');
    expect(calls.filter((call) => call === 'flush /twice').length).toBeGreaterThanOrEqual(2);
    expect(calls.filter((call) => call === 'release /twice').length).toBeLessThanOrEqual(1);
  });

  it('tell the copying program when their bytes could not be stored at close', async () => {
    await ask({ ask: 'fail', operation: 'flush', code: 'EDQUOT' });
    const result = await run('cp /etc/passwd refused');
    await ask({ ask: 'fail', operation: 'flush' });

    expect(result.exit).toBe(1);
    expect(result.errors).toMatch(/refused.*quota exceeded/);
  });

  it('give a failing read, write and fsync its own error', async () => {
    await writeFile(inside('failing'), 'bytes');
    await ask({ ask: 'fail', operation: 'read', code: 'ESTALE' });
    const read = await run('cat failing');
    await ask({ ask: 'fail', operation: 'read' });
    await ask({ ask: 'fail', operation: 'write', code: 'ENOSPC' });
    const written = await run('cat /etc/passwd > failing');
    await ask({ ask: 'fail', operation: 'write' });

    expect(read.errors).toMatch(/Stale file handle/);
    expect(written.errors).toMatch(/No space left/);
  });

  it('go on being readable and writable when deleted while open, and show nowhere', async () => {
    const result = await run(
      'echo before > doomed; exec 3<> doomed; rm doomed; ls -a | grep -c -e fuse_hidden -e doomed; cat <&3; echo after >&3; stat -L -c %s /proc/self/fd/3',
    );

    expect(result).toMatchObject({ errors: '', output: '0\nbefore\n13\n' });
    await expect(ask({ ask: 'text', path: '/doomed' })).rejects.toThrow('ENOENT');
    expect(await ask({ ask: 'calls' })).toContain('unlink /doomed');
  });

  it('can be cut and have their attributes set through a descriptor after they were deleted', async () => {
    await writeFile(inside('detached'), '0123456789');
    const file = await open(inside('detached'), 'r+');
    await shell(mounted.path, 'rm detached');
    await file.truncate(3);
    await file.chmod(0o600);
    await file.utimes(1000, 2000);
    const found = await file.stat();
    await file.close();

    expect(found).toMatchObject({ size: 3, mtimeMs: 2_000_000 });
    expect(found.mode & 0o777).toBe(0o600);
  });

  it('are replaced by a rename while somebody reads the old one', async () => {
    await writeFile(inside('target'), 'old');
    await writeFile(inside('fresh'), 'new');
    const reader = await open(inside('target'), 'r');
    await ask({ ask: 'calls' });
    await shell(mounted.path, 'mv fresh target');
    const old = await reader.readFile('utf8');
    await reader.close();
    const calls = await ask({ ask: 'calls' });

    expect(old).toBe('old');
    expect(await readFile(inside('target'), 'utf8')).toBe('new');
    expect(calls).toContain('rename /fresh');
    expect(calls).not.toContain('unlink /target');
  });

  it('keep their name when a rename over them fails, also when somebody has them open', async () => {
    await writeFile(inside('survivor'), 'old');
    await writeFile(inside('failing-source'), 'new');
    const reader = await open(inside('survivor'), 'r');
    await ask({ ask: 'fail', operation: 'rename', code: 'EIO' });
    const result = await run('mv failing-source survivor');
    await ask({ ask: 'fail', operation: 'rename' });
    await reader.close();

    expect(result.exit).toBe(1);
    expect(await readFile(inside('survivor'), 'utf8')).toBe('old');
  });

  it('are gone at once after a deletion that looked like the start of a rename', async () => {
    await writeFile(inside('open'), 'old');
    await writeFile(inside('other'), 'other');
    const reader = await open(inside('open'), 'r');
    const result = await run('ls other >&2; rm open; ls -a; cat open');
    await reader.close();

    expect(result.output).not.toMatch(/^open$/m);
    expect(result.errors).toMatch(/open: No such file/);
    await expect(ask({ ask: 'text', path: '/open' })).rejects.toThrow('ENOENT');
  });

  it('tell a program when they could not be deleted while open', async () => {
    await writeFile(inside('guarded'), 'old');
    const reader = await open(inside('guarded'), 'r');
    await ask({ ask: 'fail', operation: 'unlink', code: 'EACCES' });
    const result = await run('sleep 1; rm guarded');
    await ask({ ask: 'fail', operation: 'unlink' });
    await reader.close();

    expect(result.errors).toMatch(/guarded.*Permission denied/);
    expect(await readFile(inside('guarded'), 'utf8')).toBe('old');
  });

  if (driver === 'native') {
    it('keep both times as set, to the millisecond, and not before 1970 [native/times]', async () => {
      expect(await timesSetThroughDescriptor()).toEqual([1_000_250, 2_000_000_000_500, 0, 0]);
    });

    it('keep both times when a program sets only one of them, which nobody is told of [native/touch]', async () => {
      expect(await timesSetOneByOne()).toMatchObject({ exit: 0, errors: '', output: '1000 1000\n' });
    });

    it('are gone to who has them open when their folder is removed after them [native/removed-folder]', async () => {
      const result = await readInRemovedFolder();

      expect(result.errors).toMatch(/No such file or directory/);
      expect(result).toMatchObject({ exit: 1, output: '' });
    });
  } else {
    it('are read on by who has them open when their folder is removed after them', async () => {
      expect(await readInRemovedFolder()).toMatchObject({ exit: 0, errors: '', output: 'old\n' });
    });

    it('keep both times as set, to the microsecond, also before 1970', async () => {
      expect(await timesSetThroughDescriptor()).toEqual([1_000_250, 2_000_000_000_500, -5000, -5000]);
    });

    it('keep one time when a program sets the other', async () => {
      expect(await timesSetOneByOne()).toMatchObject({ exit: 0, errors: '', output: '7000 5000\n' });
    });
  }

  it('are made by mknod as by open, and stored', async () => {
    await ask({ ask: 'calls' });
    const made = await run(`perl -e 'my $name = "node"; exit(syscall(133, $name, 0100644, 0) == 0 ? 0 : 1)'`);

    expect(made).toMatchObject({ exit: 0, errors: '' });
    expect((await stat(inside('node'))).isFile()).toBe(true);
    expect(await ask({ ask: 'calls' })).toContain('flush /node');
  });

  it('refuse what no object storage can keep [links/none]', async () => {
    const result = await run('touch f; ln f hard; ln -s f soft; mkfifo pipe');

    expect(result.errors.match(/Operation not permitted/g)).toHaveLength(3);
  });
});
