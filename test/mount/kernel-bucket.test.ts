/** What programs get of a bucket from the kernel driver that the native one cannot give: times to the microsecond, and true sizes. */
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedDirectory, sharedMount } from '../support/shared-mount.ts';
import { shell } from '../support/shell.ts';

const LISTING = String.raw`find . -type f -printf '%P %m %Ts\n' | sort`;
const MAKE_TREE = `
  mkdir -p tree/deep; echo a > tree/a; echo b > tree/deep/b; head -c 300000 /dev/urandom > tree/large; : > tree/empty
  touch -d '2001-02-03 04:05:06.25' tree/a; touch -d '1969-12-31 23:59:00 UTC' tree/deep/b
  touch -d '2030-01-01 00:00:00.5' tree/empty; chmod 600 tree/a; chmod 755 tree/large
`;

describe('programs on a bucket that the kernel driver mounts', () => {
  const outside = sharedDirectory();
  beforeAll(() => shell(outside(), MAKE_TREE));
  const mount = sharedMount({ driver: 'kernel' });

  it('keep times and modes when they copy, unpack and synchronise, also after the service was asked again', async () => {
    const wanted = (await shell(`${outside()}/tree`, LISTING)).output;
    await mount().run(
      `
      cp -rp "$1/tree" copied; rsync -a "$1/tree/" synced/
      mkdir unpacked; tar -C "$1/tree" -cf - . | tar -C unpacked -xpf -`,
      outside(),
    );
    const lists = ['copied', 'synced', 'unpacked'].map((folder) => `(cd ${folder}; ${LISTING})`).join('; ');
    const known = await mount().run(lists);
    await mount().ask('refresh');
    const asked = await mount().run(lists);

    expect(wanted.split('\n')).toHaveLength(5);
    expect(known).toMatchObject({ errors: '', output: wanted.repeat(3) });
    expect(asked).toMatchObject({ errors: '', output: wanted.repeat(3) });
  });

  it('find nothing to do when they synchronise again', async () => {
    const script = `rsync -a "$1/tree/" again/; rsync -ai --stats "$1/tree/" again/`;
    const result = await mount().run(script, outside());

    expect(result.output).toMatch(/^Number of regular files transferred: 0$/m);
    expect(result.output).not.toMatch(/^[<>]f/m);
  });

  it('set one time and leave the other', async () => {
    const result = await mount().run(
      'echo x > t; touch -d @1000 t; touch -m -d @2000.25 t; touch -a -d @-3000 t; stat -c "%.2X %.2Y" t',
    );

    expect(result).toMatchObject({ errors: '', output: '-3000.00 2000.25\n' });
  });

  it('get room for what they will write, at once, and are refused more than there is [write/allocate]', async () => {
    const result = await mount().run(`
      fallocate --length 3M room; stat -c %s room; fallocate --keep-size --offset 3M --length 1M room; stat -c %s room
      fallocate --posix --offset 1M --length 3M room; printf end >> room; tail -c 4 room | od -An -c; stat -c %s room
      fallocate --length 1E too-much; fallocate --punch-hole --offset 0 --length 4096 room; ls too-much; stat -c %s too-much`);

    expect(result.output).toBe('3145728\n3145728\n  \\0   e   n   d\n4194307\ntoo-much\n0\n');
    expect(result.errors).toMatch(/No space left on device[^]*(Operation not supported|keep size mode)/);
    expect((await mount().stored('room')).length).toBe(4 * 1024 * 1024 + 3);
  });

  it('see that a file which they have open was removed, or replaced [unlink/open]', async () => {
    const result = await mount().run(`
      perl -e 'open F, "+>", "gone"; syswrite F, "x"; unlink "gone"; print +(stat F)[3], "\\n"'
      echo a > old; echo b > new
      perl -e 'open F, "<", "old"; rename "new", "old"; print +(stat F)[3], (stat "old")[3], <F>'`);

    expect(result).toMatchObject({ errors: '', output: '0\n01a\n' });
  });

  it.each([
    [
      'that they have started with it',
      'unless (fork) { open STDOUT, ">&F"; exec "echo", "hello" } wait',
      'hello\n',
    ],
    ['that they have become with it', 'open STDOUT, ">&F"; exec "echo", "hello"', 'hello\n'],
    ['that they have become without it', 'exec "true"', ''],
  ])('make a file for the output of another program %s [write/empty-flush]', async (_how, script, output) => {
    // Of perl's descriptors the system closes all but three when it executes a program.
    const made = await mount().run(`rm -f log; perl -e 'open F, ">", "log"; ${script}'; cat log`);
    await mount().ask('refresh');
    const stored = await mount().run('cat log');

    expect(made).toMatchObject({ errors: '', output });
    expect(stored).toMatchObject({ errors: '', output });
  });

  it('execute another while they have many new files open, and one that is written', async () => {
    const script =
      'open $F[$_], ">", "many$_" for 1..8; open W, ">", "written"; syswrite W, "x" x 3000000; exec "true"';
    const made = await mount().run(`timeout -s KILL 25 perl -e '${script}'; echo $?; wc -c < written`);

    expect(made).toMatchObject({ errors: '', output: '0\n3000000\n' });
  });

  it('find and extend the end of a file that grew elsewhere', async () => {
    await mount().run('echo first > growing; cat growing; tail -n 1 growing');
    await mount().foreignWrite('growing', 'first\nsecond, and longer\n');
    const end = await mount().run(
      'tail -c 7 growing; perl -e \'open F, "growing"; print sysseek(F, 0, 2), "\\n"\'',
    );
    await mount().foreignWrite('growing', 'first\nsecond, and longer\nthird\n');
    const appended = await mount().run('echo fourth >> growing; tail -n 2 growing');

    expect(end.output).toBe('longer\n25\n');
    expect(appended.output).toBe('third\nfourth\n');
    expect((await mount().stored('growing')).toString()).toBe('first\nsecond, and longer\nthird\nfourth\n');
  });

  it('copy a file with holes byte by byte, and find its end where data and holes are asked for', async () => {
    const seek = 'open F, "holes"; print join(" ", map { sysseek(F, $$_[0], $$_[1]) } [1, 3], [1, 4]), "\\n"';
    const result = await mount().run(
      `truncate -s 1000000 holes; printf end >> holes; cp --sparse=auto holes copy; cmp holes copy && stat -c %s copy; perl -e '${seek}'`,
    );

    expect(result).toMatchObject({ exit: 0, errors: '', output: '1000003\n1 1000003\n' });
    expect((await mount().stored('copy')).equals(await mount().stored('holes'))).toBe(true);
  });

  it('wait for files as for any other on a disk, and are told that none is a terminal', async () => {
    const program = `
      use Errno;
      open F, "<", "polled" or die $!;
      my $bits = ""; vec($bits, fileno(F), 1) = 1;
      print scalar(select(my $ready = $bits, undef, undef, 10)), " ", -t F ? "terminal" : "file", "\\n";
      my $room = "." x 100;
      print ioctl(F, 0x5401, $room) ? "answered" : $!{ENOTTY} ? "ENOTTY" : "$!", "\\n";
    `;
    await mount().run('echo x > polled');

    expect((await mount().run('perl -e "$1"', program)).output).toBe('1 file\nENOTTY\n');
  });

  it('are told how long a list of attributes is, and when their room for it is too small', async () => {
    const program = `
      use Config;
      my $call = $Config{archname} =~ /^aarch64/ ? 11 : 194;
      my $path = "listed";
      my $none = ""; my $size = syscall($call, $path, $none, 0);
      my $short = "." x ($size - 1); my $enough = "." x $size;
      print syscall($call, $path, $short, $size - 1) < 0 && $!{ERANGE} ? "ERANGE" : "no error", "\\n";
      print syscall($call, $path, $enough, $size) == $size ? "whole" : "$!", "\\n";
      print scalar(grep { $_ eq "user.pailfs.visibility" } split /\\0/, $enough), "\\n";
    `;
    await mount().run('echo x > listed');

    expect((await mount().run('perl -e "$1"', program)).output).toBe('ERANGE\nwhole\n1\n');
  });

  it('leave nothing unsent', async () => {
    expect(await mount().ask('close')).toEqual([]);
  });
});
