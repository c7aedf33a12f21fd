/** What does the kernel believe of what the kernel driver told it, and for how long? */
import { open, readdir, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { sharedMount } from '../support/shared-mount.ts';

const ONE_HOUR_MS = 3_600_000;

describe('a mount of the kernel driver whose metadata are trusted for an hour', () => {
  const mount = sharedMount({ driver: 'kernel', settings: { metadataTtl: ONE_HOUR_MS } });

  it('shows what others stored as soon as it is told to look again', async () => {
    await mount().run('echo mine > file; mkdir -p folder/deep; cat file; ls -lR');
    await mount().foreignWrite('file', 'theirs, and longer\n');
    const changed = await mount().run('stat -c %s file; cat file');
    await mount().direct.deleteObject(mount().bucket, 'file');
    await mount().direct.createFolder(mount().bucket, 'file');
    await mount().ask('refresh');

    expect(changed.output).toBe('19\ntheirs, and longer\n');
    expect((await stat(`${mount().path}/file`)).isDirectory()).toBe(true);
  });

  it('finds by its name what a listing shows, though it was missing a moment ago', async () => {
    await mount().run('mkdir late; touch late/seen; ls late; stat late/theirs late/other');
    await mount().direct.putObject(mount().bucket, 'late/theirs', uploadOf(Buffer.from('theirs\n')));
    const believed = await mount().run('stat late/theirs');
    await mount().ask('refresh');
    const listed = await mount().run('ls late; cat late/theirs; stat late/other');

    expect(believed.errors).toMatch(/late\/theirs.*No such file/);
    expect(listed.output).toBe('seen\ntheirs\ntheirs\n');
    expect(listed.errors).toMatch(/No such file/);
  });

  it('makes and moves what it has just looked for in vain', async () => {
    const made = await mount().run(
      'mkdir vain; cd vain; stat a b c d 2>/dev/null; echo 1 > a; mkdir b; cp a c; mv c d; cat a d; ls; stat -c %F b; rm a; stat a',
    );

    expect(made.output).toBe('1\n1\na\nb\nd\ndirectory\n');
    expect(made.errors).toMatch(/No such file/);
  });

  it('shows what it changed itself at once, in every look', async () => {
    await mount().run('mkdir own; ls -l own; echo a > own/a; ls -l own');
    const grown = await mount().run(
      'echo more >> own/a; stat -c %s own/a; ls -l own | wc -l; mv own/a own/b',
    );
    const moved = await mount().run('ls own; cat own/a; cat own/b; rm own/b; ls own; rmdir own');

    expect(grown.output).toBe('7\n2\n');
    expect(moved).toMatchObject({ exit: 0, output: 'b\na\nmore\n' });
    expect(moved.errors).toMatch(/own\/a: No such file/);
  });

  it('keeps the inode number of a file and of a folder that the kernel has forgotten [local/numbers]', async () => {
    await mount().run('mkdir -p numbers/deep; echo a > numbers/deep/a; echo b > numbers/b; ls -lR numbers');
    const numbers = (): Promise<string> =>
      mount()
        .run('stat -c "%n %i" numbers numbers/deep numbers/deep/a numbers/b; ls -i numbers')
        .then(({ output }) => output);
    const before = await numbers();
    await mount().ask('refresh');
    const refreshed = await numbers();
    await mount().run(
      'mkdir numbers/deep/x; mv numbers/deep/x numbers/deep/y; mv numbers/deep numbers/moved',
    );
    await mount().run('mv numbers/moved numbers/deep');
    const moved = await numbers();
    await writeFile('/proc/sys/vm/drop_caches', '2');
    const dropped = await numbers();
    await mount().run('cd numbers; echo more >> b; mv b c; echo d > b; mv c deep/b; mv deep/b b');
    await mount().ask('refresh');
    const written = await numbers();

    expect(before).toMatch(/^numbers [0-9]+\nnumbers\/deep [0-9]+\n/);
    expect([refreshed, moved, dropped, written]).toEqual([before, before, before, before]);
  });

  it('shows a listing in progress no attributes that a write has overtaken', async () => {
    await mount().run('mkdir long; cd long; for i in $(seq 400); do : > f$i; done');
    const writer = await open(`${mount().path}/long/f400`, 'w');
    const listing = readdir(`${mount().path}/long`, { withFileTypes: true });
    await writer.writeFile('overtaken');
    await listing;
    await writer.close();

    expect((await stat(`${mount().path}/long/f400`)).size).toBe(9);
    expect((await mount().run("ls -l long | awk '$5 == 9' | wc -l")).output.trim()).toBe('1');
  });
});
