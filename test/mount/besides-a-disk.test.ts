/** What does a program hear that wants of a mount what only a local disk has? */
import { describe, expect, it } from 'vitest';
import { sharedMount } from '../support/shared-mount.ts';

/** Of perl, which has no names for them: `O_TMPFILE | O_RDWR`. */
const NAMELESS = '020200002';

describe.each(['kernel', 'native'] as const)('on a mount of the %s driver, a program', (driver) => {
  const mount = sharedMount({ driver });

  it('is told that there is no file without a name, and whether there is room to be had beforehand [local/none] [native/allocate]', async () => {
    const { output, errors } = await mount().run(`
      : > f; fallocate -l 4096 f; stat -c %s f
      perl -e 'sysopen(F, ".", ${NAMELESS}) or print "$!\\n"'
      posix=$(python3 -c 'import os; f = os.open("f", os.O_RDWR); os.posix_fallocate(f, 0, 8192); print(os.fstat(f).st_size)')
      echo "$posix"`);

    const isKept = driver === 'kernel';
    expect(errors).toMatch(isKept ? /^$/ : /^fallocate: .*not supported\n$/);
    expect(output).toBe(`${isKept ? 4096 : 0}\nOperation not supported\n8192\n`);
  });

  it('is told that there are no pipes, sockets and flags [local/none]', async () => {
    const { output, errors } = await mount().run(`
      : > g; mkfifo pipe; chattr +i g
      perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("socket")) or print "$!\\n"'`);

    expect(errors).toMatch(/^mkfifo: .*Operation not permitted\nchattr: .*not supported.*\n$/);
    expect(output).toBe('Operation not permitted\n');
  });

  it('sees folders without a size, and holes that count [local/sizes]', async () => {
    const { output, errors } = await mount().run(
      `mkdir sizes; truncate -s 1M sizes/hole; stat -c '%s %h' sizes; du -k sizes`,
    );

    expect({ output, errors }).toEqual({ output: '0 1\n1024\tsizes\n', errors: '' });
  });

  it('gives a folder a group and its bit, which what is made in it does not take [local/group]', async () => {
    const { output, errors } = await mount().run(
      `mkdir bits; chgrp 5 bits; chmod 2775 bits; mkdir bits/below; stat -c '%a %g' bits; stat -c %a bits/below`,
    );

    expect({ output, errors }).toEqual({ output: '2775 5\n755\n', errors: '' });
  });

  it('that stands in a folder which is removed finds nothing there [local/removed]', async () => {
    const { output, errors } = await mount().run(
      `mkdir gone; cd gone; rmdir ../gone; ls; touch new || echo refused`,
    );

    expect(output).toBe('refused\n');
    expect(errors).toMatch(/^ls: .*No such file.*\ntouch: .*No such file/);
  });

  it('that removes what another one has just removed, together with its folder, hears that it is gone [local/removed]', async () => {
    const { output } = await mount().run(`
      mkdir both; : > both/1; : > both/2
      python3 - << 'END'
import os, subprocess
folder = os.open('both', os.O_RDONLY)
os.listdir(folder)
subprocess.run(['rm', '-r', 'both'], check=True)
try: os.unlink('1', dir_fd=folder)
except OSError as error: print(error.strerror)
END`);

    expect(output).toBe('No such file or directory\n');
  });
});
