/** What do programs see on a mount when somebody else replaces a file that they edit? */
import { open, readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DRIVERS } from '../support/drivers.ts';
import { sharedMount } from '../support/shared-mount.ts';

describe.each(DRIVERS)('a file that is edited here and replaced elsewhere, with the %s driver', (driver) => {
  const mount = sharedMount({ driver });

  const at = (name: string): string => path.join(mount().path, name);
  const copyOf = async (name: string): Promise<string> => {
    const copies = (await readdir(mount().path)).filter((other) =>
      other.startsWith(`${name} (conflict here `),
    );
    expect(copies).toHaveLength(1);
    return copies[0] ?? '';
  };

  it('is there twice after fsync, and what is written further goes to the copy [conflict/keep-both] [conflict/handles] [native/conflict]', async () => {
    await mount().foreignWrite('notes', 'base');
    const file = await open(at('notes'), 'r+');
    await file.write('mine', 0);
    await mount().foreignWrite('notes', 'theirs, and longer');

    await file.sync();
    const copy = await copyOf('notes');
    const shown = await readFile(at('notes'), 'utf8');
    await file.write(', too', 4);
    const { size } = await file.stat();
    await file.close();

    expect(shown).toBe('theirs, and longer');
    expect(size).toBe(driver === 'native' ? 18 : 9);
    expect(await readFile(at(copy), 'utf8')).toBe('mine, too');
    expect((await stat(at(copy))).size).toBe(9);
    expect((await stat(at('notes'))).size).toBe(18);
    expect((await mount().stored('notes')).toString()).toBe('theirs, and longer');
    expect((await mount().stored(copy)).toString()).toBe('mine, too');
  });

  it('is theirs under its name, also when the folder is listed and the name is written to [conflict/keep-both] [kernel/versions]', async () => {
    await mount().foreignWrite('c/plan.txt', 'hello world');
    const file = await open(at('c/plan.txt'), 'r+');
    await file.write('J', 0);
    await mount().foreignWrite('c/plan.txt', 'theirs');
    await file.close();

    const { output } = await mount().run('ls c; cat c/plan.txt; echo anew > c/plan.txt');

    expect(output).toMatch(/^plan \(conflict here .*\)\.txt\nplan\.txt\ntheirs$/);
    expect((await mount().stored('c/plan.txt')).toString()).toBe('anew\n');
    expect((await mount().stored(`c/${output.split('\n')[0] ?? ''}`)).toString()).toBe('Jello world');
  });

  it('lets a program go on that appends: close succeeds [conflict/keep-both]', async () => {
    await mount().foreignWrite('list', 'one\n');
    const pause = `${mount().stateDirectory}/pause-${driver}`;
    const editing = mount().run(
      `perl -e 'open F, ">>", "list"; syswrite F, "two\\n"; open P, ">", $ARGV[0]; close P; while (-e $ARGV[0]) { select undef, undef, undef, 0.02 } print close F ? "closed\\n" : "$!\\n"' "$1"`,
      pause,
    );
    await expect
      .poll(() =>
        stat(pause).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await mount().foreignWrite('list', 'theirs\n');
    await mount().run('rm "$1"', pause);

    expect(await editing).toMatchObject({ exit: 0, output: 'closed\n', errors: '' });
    expect((await mount().stored(await copyOf('list'))).toString()).toBe('one\ntwo\n');
    expect((await mount().run('cat list')).output).toBe('theirs\n');
  });

  it('leaves nothing unsent', async () => {
    expect(await mount().ask('close')).toEqual([]);
  });
});
