/** What does a person get from `pailfs link`, `publish` and `unpublish` for `bucket:key`? (§4.12 to §4.14) */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { breakOperation } from '../mutants/breaking.ts';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { visibilityOf } from '../support/stored-state.ts';

async function withFiles(...keys: readonly string[]): Promise<{ server: EmbeddedServer; at: CommandLine }> {
  const server = await startEmbeddedServer();
  for (const key of keys) await server.direct.putObject(server.bucket, key, uploadOf(`bytes of ${key}`));
  return { server, at: await CommandLine.open(server) };
}

/** Until the result is called, or the test ends, the visibility of this key is not set. */
function holdVisibility(key: string): () => void {
  let letThrough = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  const undo = breakOperation('setVisibility', (whole) => async (bucket, asked, ...given) => {
    if (asked === key) await held;
    return whole(bucket, asked, ...given);
  });
  onTestFinished(() => {
    letThrough();
    undo();
  });
  return letThrough;
}

/** What a command that still runs has printed so far, and how it ends. */
function watched(child: ChildProcess): {
  readonly printed: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
} {
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data: Buffer) => (printed.stdout += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (printed.stderr += data.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { printed, ended };
}

describe('pailfs link', () => {
  it('says of a path that cannot be looked up where to find out why', async () => {
    const { at } = await withFiles();
    await symlink('round', join(at.home, 'round'));

    const { code, stdout, stderr } = await at.run(['link', 'round']);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^pailfs: round has no link: it cannot be looked up \(too many symbolic links encountered\): "pailfs status" tells whether its mount works\n$/,
    );
  });

  it('prints nothing but the link, which anybody may fetch, and says on stderr how long it works', async () => {
    const { at } = await withFiles('a b.txt');

    const { code, stdout, stderr } = await at.run(['link', 'photos:a b.txt']);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^http\S+\/private\/\S+\/a%20b\.txt\?Expires=\S+\n$/);
    expect(await (await fetch(stdout.trim())).text()).toBe('bytes of a b.txt');
    expect(stderr).toMatch(
      /^pailfs: photos:a b\.txt is private: its link works until \d{4}-\d\d-\d\d \d\d:\d\d\n$/,
    );
  });

  it('prints the permanent link of a public file, without a word about time', async () => {
    const { server, at } = await withFiles('f');
    await server.direct.setVisibility(server.bucket, 'f', 'public');

    const { stdout, stderr } = await at.run(['link', 'photos:f']);

    expect(stdout).toMatch(/^http\S+\/public\/\S+\/f\n$/);
    expect(stderr).toBe('');
  });

  it('needs no credentials that may write, and asks with one POST', async () => {
    const { server, at } = await withFiles('f');
    const { accessKeyId, secretAccessKey } = server.readOnlyCredentials;
    server.requests.reset();

    const { code } = await at.run(['link', 'photos:f'], {
      environment: { PAILFS_ACCESS_KEY_ID: accessKeyId, PAILFS_SECRET_ACCESS_KEY: secretAccessKey },
    });

    expect(code).toBe(0);
    expect(server.requests.count('getLink')).toBe(1);
  });

  it('takes a folder only with -r, then all files below it', async () => {
    const { at } = await withFiles('d/a', 'd/e/b', 'other');

    const refused = await at.run(['link', 'photos:d']);
    const { code, stdout, stderr } = await at.run(['link', '-r', 'photos:d']);

    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'pailfs: photos:d has no link: it is a folder: add -r\n',
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http\S+\/d\/a\?\S+\nhttp\S+\/d\/e\/b\?\S+\n$/);
    expect(stderr).toMatch(/^pailfs: 2 files are private: their links work until \S+ \S+, or longer\n$/);
  });

  it('goes on after what is not there, and is one document for programs', async () => {
    const { at } = await withFiles('f');

    const { code, stdout, stderr } = await at.run(['link', '--json', 'photos:no', 'photos:f']);

    expect(code).toBe(1);
    expect(stderr).toBe('pailfs: photos:no has no link: it does not exist\n');
    expect(JSON.parse(stdout)).toEqual([
      { what: 'photos:no', isDone: false, reason: 'it does not exist' },
      {
        what: 'photos:f',
        isDone: true,
        reason: null,
        visibility: 'private',
        url: expect.stringContaining('/private/') as string,
        expiresAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    ]);
  });

  it('shows on a terminal how far it is with a folder', async () => {
    const { at } = await withFiles('d/a', 'd/b');

    const { stdout } = await at.run(['link', '-r', 'photos:d'], { typed: '' });

    expect(stdout).toMatch(/asking for links .*\(\d of 2\)/);
  });
});

describe('pailfs publish and unpublish', () => {
  it('make files public, with their links, and private again, with a word about the old links', async () => {
    const { server, at } = await withFiles('d/a', 'd/b');

    const published = await at.run(['publish', '-r', 'photos:d/']);
    const between = await visibilityOf(server, 'd/b');
    const hidden = await at.run(['unpublish', 'photos:d/a', 'photos:d/b']);

    expect(published).toMatchObject({ code: 0, stderr: '' });
    expect(published.stdout).toMatch(
      /^published photos:d\/a: http\S+\/public\/\S+\/d\/a\npublished photos:d\/b: http\S+\n$/,
    );
    expect(between).toBe('public');
    expect(hidden).toEqual({
      code: 0,
      stdout:
        'photos:d/a is private\nphotos:d/b is private\na link that was public works for up to about a minute more\n',
      stderr: '',
    });
    expect(await visibilityOf(server, 'd/a')).toBe('private');
  });

  it('tell of each file when it is done, in their order, and at once of one that fails', async () => {
    const { server, at } = await withFiles('d/a', 'd/b', 'd/c', 'd/d');
    const letThrough = holdVisibility('d/b');
    const fault = { kind: 'status', status: 400 } as const;
    server.faults.add({ operation: 'setVisibility', key: 'd/c', fault });

    const { printed, ended } = watched(at.start(['publish', '-r', 'photos:d']));
    await expect.poll(() => printed.stdout).toMatch(/^published photos:d\/a: .*\n$/);
    await expect.poll(() => printed.stderr).toMatch(/^pailfs: photos:d\/c is not published: .*\n$/);
    letThrough();
    const code = await ended;

    expect(code).toBe(1);
    expect(printed.stdout).toMatch(
      /^published photos:d\/a: .*\npublished photos:d\/b: .*\npublished photos:d\/d: .*\n$/,
    );
  });

  it('are one document at the end for programs, and tell of what fails before', async () => {
    const { at } = await withFiles('d/a', 'd/b');
    const letThrough = holdVisibility('d/b');

    const { printed, ended } = watched(at.start(['unpublish', '--json', 'photos:no', '-r', 'photos:d']));
    await expect.poll(() => printed.stderr).toMatch(/^pailfs: photos:no is not made private: /);
    const before = printed.stdout;
    letThrough();
    const code = await ended;

    expect([code, before]).toEqual([1, '']);
    expect(JSON.parse(printed.stdout)).toMatchObject([
      { what: 'photos:no', isDone: false },
      { what: 'photos:d/a', isDone: true },
      { what: 'photos:d/b', isDone: true },
    ]);
  });

  it('print whole lines above the bar of a terminal, which is gone at the end', async () => {
    const { at } = await withFiles('d/a', 'd/b');

    // Two that are done at once follow each other without a bar between them.
    const letGo = holdVisibility('d/b');
    const command = at.start(['publish', '-r', 'photos:d'], { typed: '' });
    let stdout = '';
    command.stdout?.on('data', (data: Buffer) => {
      stdout += data.toString();
      if (stdout.includes('(1 of 2)')) letGo();
    });
    await once(command, 'close');

    const cleared = String.raw`\x1b\[1G\x1b\[2K`;
    expect(stdout).toMatch(new RegExp(`${cleared}published photos:d/a: \\S+\r\n`));
    expect(stdout).toMatch(new RegExp(`${cleared}published photos:d/b: \\S+\r\n`));
    expect(stdout).toMatch(new RegExp(`publishing [^\r\n]* 100% \\(2 of 2\\)[^\r\n]*${cleared}$`));
    // Long lines are cut where it is off, and who ends the command by Ctrl-C is left with that.
    expect(stdout).not.toContain('\x1b[?7l');
  });

  it('say in one line that the credentials may only read', async () => {
    const { server, at } = await withFiles('f');
    const { accessKeyId, secretAccessKey } = server.readOnlyCredentials;

    const { code, stdout, stderr } = await at.run(['publish', 'photos:f'], {
      environment: { PAILFS_ACCESS_KEY_ID: accessKeyId, PAILFS_SECRET_ACCESS_KEY: secretAccessKey },
    });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'pailfs: photos:f is not published: these credentials may not do that (403): use credentials that may write\n',
    );
  });

  it('are wrong usage without a path', async () => {
    const { at } = await withFiles();

    expect(await at.run(['unpublish'])).toMatchObject({ code: 2, stdout: '' });
    expect(await at.run(['publish', ''])).toMatchObject({ code: 2, stdout: '' });
  });
});
