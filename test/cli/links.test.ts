/** What does a person get from `pailfs link`, `publish` and `unpublish` for `bucket:key`? (§4.12 to §4.14) */
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

async function withFiles(...keys: readonly string[]): Promise<{ server: EmbeddedServer; at: CommandLine }> {
  const server = await startEmbeddedServer();
  for (const key of keys) await server.direct.putObject(server.bucket, key, uploadOf(`bytes of ${key}`));
  return { server, at: await CommandLine.open(server) };
}

async function visibilityOf({ direct, bucket }: EmbeddedServer, key: string): Promise<string> {
  return (await direct.getVisibility(bucket, key)).visibility;
}

describe('pailfs link', () => {
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
