/** What does a program see of a folder that the kernel lists by itself, on a real mount? */
import { spawn } from 'node:child_process';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import type { ContendedMessage } from '../support/mounted-contended.ts';
import { sharedMount } from '../support/shared-mount.ts';
import { shell } from '../support/shell.ts';

const PERL = 'exec perl -e "$0" "$@"';
/** getdents64(2), by which a program is given a few names at a time: readdir(3) asks for thousands. */
const getdents = process.arch === 'arm64' ? '61' : '217';
/** Says when it has some names, goes on when it is told to, and says how many names there were, and how many different ones. */
const SMALL_READER = String.raw`
  $| = 1;
  sysopen D, $ARGV[0], 0 or die $!;
  my ($n, %seen) = 0;
  while (1) {
    my $buffer = "\0" x 512;
    my $got = syscall($ARGV[1] + 0, fileno(D), $buffer, 512);
    die $! if $got < 0;
    last if $got == 0;
    for (my $at = 0; $at < $got;) {
      my $length = unpack 'S', substr $buffer, $at + 16, 2;
      $seen{unpack 'Z*', substr $buffer, $at + 19, $length - 19}++;
      $n++;
      $at += $length;
    }
    next if $begun++;
    print "begun\n";
    <STDIN>;
  }
  print "$n ", scalar(keys %seen), "\n";
`;

/** Lists what it is told, each time anew through the same handle; how many names there were, and how many different ones. */
const REWINDER = String.raw`
  $| = 1;
  opendir D, $ARGV[0] or die $!;
  while (<STDIN>) {
    rewinddir D;
    my ($n, %seen) = 0;
    while (defined(my $name = readdir D)) { $n++; $seen{$name}++ }
    print "$n ", scalar(keys %seen), "\n";
  }
`;

const ONE_HOUR_MS = 3_600_000;

describe('a folder in memory that is trusted for an hour', () => {
  let mounted: MountedDirectory;
  const ask = (message: ContendedMessage): Promise<unknown> => mounted.call(message);
  const listings = async (): Promise<string[]> =>
    ((await ask({ ask: 'calls' })) as string[]).filter((call) => call.startsWith('readDirectory'));
  const list = async (): Promise<string> =>
    (await shell(mounted.path, 'ls -l d | wc -l; find d | wc -l')).output;

  beforeEach(async () => {
    mounted = await mountForTest({
      module: new URL('../support/mounted-contended.ts', import.meta.url),
      driver: 'kernel',
    });
    await ask({ ask: 'trust', milliseconds: ONE_HOUR_MS });
    await shell(mounted.path, 'mkdir d; cd d; for i in $(seq 200); do : > f$i; done');
    // What made it was looked up before all was trusted.
    await shell(mounted.path, 'ls -l d; ls -l d');
    await listings();
  });
  afterEach(() => mounted.dispose());

  it('is listed again and again without a question [kernel/listings]', async () => {
    await list();
    await listings();

    expect(await list()).toBe('201\n201\n');
    expect(await list()).toBe('201\n201\n');
    expect(await listings()).toEqual([]);
  });

  it('is asked for once when others have changed it, and shows that', async () => {
    await list();
    await ask({ ask: 'remove', path: '/d/f1' });
    await listings();

    expect(await readdir(path.join(mounted.path, 'd'))).toHaveLength(199);
    expect(await listings()).toEqual(['readDirectory /d']);
  });

  it('is listed to its end by whoever is in the midst of it when the kernel loses it, each name once', async () => {
    await list();
    const folder = await stat(path.join(mounted.path, 'd'));
    const reader = spawn('sh', ['-c', PERL, SMALL_READER, path.join(mounted.path, 'd'), getdents], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    for await (const line of createInterface(reader.stdout)) {
      said.push(line);
      if (said.length > 1) continue;
      expect(await listings()).toEqual([]);
      await ask({ ask: 'remove', path: '/d/f1' });
      await ask({ ask: 'drop', node: folder.ino, what: 'bytes' });
      await ask({ ask: 'told' });
      expect(await readdir(path.join(mounted.path, 'd'))).toHaveLength(199);
      reader.stdin.end('go on\n');
    }

    expect(said).toEqual(['begun', '202 202']);
  });
});

describe('a folder of a bucket that is trusted for an hour', () => {
  const mount = sharedMount({ driver: 'kernel', settings: { metadataTtl: ONE_HOUR_MS } });
  const inside = (name: string): string => path.join(mount().path, name);
  const shown = async (folder: string): Promise<string[]> => (await readdir(inside(folder))).toSorted();
  const listTwice = async (folder: string): Promise<void> => {
    await mount().run(`ls -l ${folder}; ls -l ${folder}; find ${folder} -size +9`);
  };

  it('shows at once whatever is made, renamed and removed here', async () => {
    await mount().run('mkdir -p own/sub; echo 1 > own/a; echo 2 > own/b');
    const steps: [string, string[]][] = [
      ['echo 3 > own/c', ['a', 'b', 'c', 'sub']],
      ['rm own/a', ['b', 'c', 'sub']],
      ['mv own/b own/d', ['c', 'd', 'sub']],
      ['mkdir own/e', ['c', 'd', 'e', 'sub']],
      ['rmdir own/e', ['c', 'd', 'sub']],
      ['mv own/d own/sub/d', ['c', 'sub']],
      ['mv own/sub/d own/.d.swp', ['.d.swp', 'c', 'sub']],
      ['rm own/.d.swp own/c', ['sub']],
      ['rmdir own/sub', []],
    ];
    for (const [script, expected] of steps) {
      await listTwice('own');
      await mount().run(script);

      expect([script, await shown('own')]).toEqual([script, expected]);
    }
  });

  it('shows a file while it is being written, and after', async () => {
    await mkdir(inside('drafts'));
    await writeFile(inside('drafts/old'), 'old');
    await listTwice('drafts');
    const writer = spawn('sh', ['-c', 'exec 3> drafts/new; echo open; read -r line; echo text >&3'], {
      cwd: mount().path,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    for await (const line of createInterface(writer.stdout)) {
      expect(line).toBe('open');
      expect(await shown('drafts')).toEqual(['new', 'old']);
      await listTwice('drafts');
      writer.stdin.end('go\n');
    }

    expect(await shown('drafts')).toEqual(['new', 'old']);
    await rm(inside('drafts/new'));
    expect(await shown('drafts')).toEqual(['old']);
  });

  it('shows what others made and removed once the mount is told to look again, also to who has it open', async () => {
    await mount().run('mkdir theirs; cd theirs; for i in $(seq 300); do : > f$i; done');
    await listTwice('theirs');
    const rewinder = spawn('sh', ['-c', PERL, REWINDER, inside('theirs')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const said = createInterface(rewinder.stdout)[Symbol.asyncIterator]();
    const counted = async (): Promise<unknown> => {
      rewinder.stdin.write('again\n');
      return (await said.next()).value;
    };
    expect([await counted(), await counted()]).toEqual(['302 302', '302 302']);

    await mount().foreignWrite('theirs/new', 'new');
    await mount().direct.deleteObject(mount().bucket, 'theirs/f1');
    await mount().direct.deleteObject(mount().bucket, 'theirs/f2');
    await mount().ask('refresh');

    expect(await shown('theirs')).toHaveLength(299);
    expect(await counted()).toBe('301 301');
    await writeFile(inside('theirs/own'), 'own');
    expect(await counted()).toBe('302 302');
    rewinder.stdin.end();
  });

  it('has each of thousands of names once for every one of many readers, while names come and go', async () => {
    await mount().run('mkdir many');
    for (let index = 0; index < 3000; index += 1)
      await mount().direct.putObject(mount().bucket, `many/stays-${index}`, uploadOf(''));
    await mount().ask('refresh');
    const reader =
      "for i in 1 2 3 4 5 6; do ls -f many | grep stays- | sort | uniq -c | awk '$1 == 1' | wc -l; done";
    const changer = 'for i in $(seq 40); do : > many/goes-$i; done; rm many/goes-*';
    const results = await Promise.all([
      mount().run(reader),
      mount().run(changer),
      mount().run(reader),
      mount().run(reader),
    ]);

    for (const index of [0, 2, 3]) expect(results[index]?.output).toBe('3000\n'.repeat(6));
    expect(await shown('many')).toHaveLength(3000);
  });
});

describe('a folder of a bucket of which nothing is trusted', () => {
  const mount = sharedMount({ driver: 'kernel', settings: { metadataTtl: 0 } });

  it('shows every time what is there then, also to who has it open', async () => {
    await mount().run('mkdir d; : > d/a; ls -l d; ls -l d');
    const rewinder = spawn('sh', ['-c', PERL, REWINDER, path.join(mount().path, 'd')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const said = createInterface(rewinder.stdout)[Symbol.asyncIterator]();
    for (let count = 3; count < 8; count += 1) {
      rewinder.stdin.write('again\n');
      expect((await said.next()).value).toBe(`${count} ${count}`);
      await mount().foreignWrite(`d/theirs-${count}`, 'x');
      expect(await readdir(path.join(mount().path, 'd'))).toHaveLength(count - 1);
    }
    rewinder.stdin.end();
  });
});
