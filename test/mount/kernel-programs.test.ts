/** What programs get from the kernel driver that the native one cannot give: times, exclusive creation, interrupts. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryMessage } from '../support/mounted-memory.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { shell, type ShellResult } from '../support/shell.ts';

const MODULE = new URL('../support/mounted-memory.ts', import.meta.url);
const LONGER_THAN_ANY_TEST_MS = 3_600_000;
const THREE_FILES = `
  mkdir -p "$1/tree/deep"; echo a > "$1/tree/a"; echo b > "$1/tree/deep/b"; : > "$1/tree/empty"
  touch -d '2001-02-03 04:05:06' "$1/tree/a"; touch -d '1969-12-31 23:59:00 UTC' "$1/tree/deep/b"
  touch -d '2030-01-01 00:00:00.5' "$1/tree/empty"
`;

describe('programs on a mount of the kernel driver', () => {
  let mounted: MountedDirectory;
  let elsewhere: string;
  const run = (script: string): Promise<ShellResult> => shell(mounted.path, script, elsewhere);
  const ask = (message: MemoryMessage): Promise<unknown> => mounted.call(message);
  const inside = (name: string): string => path.join(mounted.path, name);

  beforeAll(async () => {
    mounted = await mountForTest({ module: MODULE, driver: 'kernel' });
    elsewhere = await mkdtemp(path.join(tmpdir(), 'pailfs-elsewhere-'));
    await shell('/', THREE_FILES, elsewhere);
  });
  afterAll(async () => {
    await mounted.dispose();
    await rm(elsewhere, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await ask({ ask: 'calls' });
  });

  it('set one time and leave the other', async () => {
    const result = await run(
      'touch -d @1000 t; touch -m -d @2000.25 t; stat -c "%.2X %.2Y" t; touch -a -d @-3000 t; stat -c "%.2X %.2Y" t',
    );

    expect(result).toMatchObject({ errors: '', output: '1000.00 2000.25\n-3000.00 2000.25\n' });
  });

  it('keep times and modes when they copy, unpack and synchronise', async () => {
    const listing = 'find . -type f -printf "%P %m %Ts\\n" | sort';
    const wanted = await shell(`${elsewhere}/tree`, listing);
    const copied = await run(`cp -rp "$1/tree" copied && cd copied && ${listing}`);
    const unpacked = await run(
      `mkdir un && tar -C "$1/tree" -cf - . | tar -C un -xpf - && cd un && ${listing}`,
    );
    const synced = await run(`rsync -a "$1/tree/" synced/ && cd synced && ${listing}`);

    expect(wanted.output.split('\n')).toHaveLength(4);
    // tar warns of times so far away.
    expect([copied.output, unpacked.output, synced.output]).toEqual(Array(3).fill(wanted.output));
  });

  it('find nothing to do when they synchronise again', async () => {
    const result = await run(
      'rsync -a "$1/tree/" again/ && rsync -ai --stats "$1/tree/" again/ | grep -E "^[<>ch.*]|transferred: "',
    );

    expect(result.output).toMatch(/files transferred: 0\n/);
    expect(result.output).not.toMatch(/^>/m);
  });

  it('get a name with O_EXCL only once', async () => {
    const result = await run(
      'for i in 1 2 3 4 5 6 7 8; do (set -C; : > lock) 2>&- && echo won & done | wc -l; wait',
    );

    expect(result.output.trim()).toBe('1');
  });

  it('are told EILSEQ for names that are not UTF-8, and nothing is mixed up', async () => {
    const result = await run(
      String.raw`touch good; mv good "$(printf 'bad\377')"; ln good "$(printf 'bad\376')"; mkdir "$(printf 'bad\375')"; ls`,
    );

    expect(result.errors.match(/Invalid or incomplete multibyte/g)).toHaveLength(3);
    expect(result.output).toMatch(/^good$/m);
    expect(result.output).not.toMatch(/bad/);
  });

  it('are told when their room for an attribute is too small', async () => {
    const program = `
      use Config;
      my $call = $Config{archname} =~ /^aarch64/ ? 8 : 191;
      my ($path, $name) = ("x", "user.a");
      for my $room (0, 999, 1000) {
        my $into = "." x $room;
        my $length = syscall($call, $path, $name, $into, $room);
        print $length < 0 ? ($!{ERANGE} ? "ERANGE" : "$!") : $length, "\\n";
      }
    `;
    await run('touch x; setfattr -n user.a -v "$(printf %01000d 7)" x');
    const { stdout } = await promisify(execFile)('perl', ['-e', program], { cwd: mounted.path });

    expect(stdout).toBe('1000\nERANGE\n1000\n');
  });

  // dd reads past the kernel's cache: then it is this driver that has to let go.
  it.each([
    ['cached', ['cat', 'cached']],
    ['direct', ['dd', 'if=direct', 'iflag=direct', 'of=/dev/null']],
  ])('can be interrupted while they wait for %s bytes', async (name, [program = '', ...parameters]) => {
    await writeFile(inside(name), 'bytes');
    await ask({ ask: 'delay', operation: 'read', milliseconds: LONGER_THAN_ANY_TEST_MS });
    const reader = spawn(program, parameters, { cwd: mounted.path, stdio: 'ignore' });
    await expect.poll(() => ask({ ask: 'calls' })).toContain(`read /${name}`);
    await ask({ ask: 'delay', operation: 'read', milliseconds: 0 });
    const ended = new Promise<string | null>((resolve) => {
      reader.once('exit', (_code, signal) => {
        resolve(signal);
      });
    });
    reader.kill('SIGINT');

    expect(await ended).toBe('SIGINT');
  });

  it('write in pieces of a megabyte', async () => {
    await run('dd if=/dev/zero of=big bs=4M count=4 status=none');
    const calls = (await ask({ ask: 'calls' })) as string[];

    expect(calls.filter((call) => call === 'write /big')).toHaveLength(16);
  });

  it('close what they only read without a question, and what they write with one', async () => {
    await run('echo x > f');
    await ask({ ask: 'calls' });
    const result = await run('cat f; exec 3< f; cat <&3');
    const ofReaders = (await ask({ ask: 'calls' })) as string[];
    await run('echo y >> f');
    const ofWriters = (await ask({ ask: 'calls' })) as string[];

    expect(result.output).toBe('x\nx\n');
    expect(ofReaders).toContain('open /f');
    expect(ofReaders).not.toContain('flush /f');
    expect(ofWriters).toContain('flush /f');
  });

  it('list a folder with its attributes at once', async () => {
    await run('mkdir many; cd many; seq 300 | xargs touch');
    await ask({ ask: 'calls' });
    const result = await run('ls many | wc -l; find many -type f -size -1 | wc -l');
    const calls = (await ask({ ask: 'calls' })) as string[];

    expect(result.output).toBe('300\n300\n');
    expect(calls.filter((call) => call === 'readDirectory /many').length).toBeLessThanOrEqual(2);
  });

  it('replace what others read, again and again, and none finds it missing', async () => {
    const result = await run(
      'echo 0 > r; (for i in $(seq 100); do echo $i > r.new; mv r.new r; done) & for i in $(seq 100); do cat r; done > "$1/seen"; wait',
    );

    expect(result.errors).toBe('');
  });
});

describe('the process of a kernel mount', () => {
  let mounted: MountedDirectory;
  beforeAll(async () => {
    mounted = await mountForTest({ module: MODULE, driver: 'kernel' });
  });
  afterAll(() => mounted.dispose());

  it('takes no processor time while nobody asks for anything', async () => {
    await shell(mounted.path, 'touch a; ls');
    const ticks = async (): Promise<number> => {
      const fields =
        (await readFile(`/proc/${String(mounted.pid)}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      return Number(fields[11]) + Number(fields[12]);
    };
    const inTwoSeconds = async (): Promise<number> => {
      const before = await ticks();
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return (await ticks()) - before;
    };

    // A hundredth of a second each; a loop would take two hundred, again and again. A start may go on for a while.
    await expect.poll(inTwoSeconds).toBeLessThan(20);
  });

  it('can exit although its thread waits at the device, and leaves a mount that says so', async () => {
    const file = await open(path.join(mounted.path, 'held'), 'w');
    mounted.leave();

    expect(await mounted.ended).toBe(1);
    await expect(file.stat()).rejects.toMatchObject({ code: 'ENOTCONN' });
    await file.close().catch(() => undefined);
    await expect(stat(path.join(mounted.path, 'held'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
