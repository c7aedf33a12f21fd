/** What does a person get from `pailfs ls` and `put`? (§4.7, §4.11) */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../../support/command-line.ts';
import {
  bytesOf,
  startEmbeddedServer,
  uploadOf,
  type EmbeddedServer,
} from '../../support/embedded-service.ts';
import { servedPublicFile } from '../../support/served-public-file.ts';

async function content({ direct, bucket }: EmbeddedServer, key: string): Promise<string> {
  return (await bytesOf((await direct.getObject(bucket, key)).body)).toString();
}

async function keysIn({ direct, bucket }: EmbeddedServer, folder: string): Promise<readonly string[]> {
  const { folders, objects } = await direct.listObjects(bucket, { folder });
  return [...folders, ...objects.map(({ key }) => key)];
}

describe('pailfs ls', () => {
  it('shows one level of all pages, folders with a slash', async () => {
    const server = await startEmbeddedServer({ behaviours: { pages: 'nasty' } });
    const { direct, bucket } = server;
    for (let n = 10; n < 30; n += 1) await direct.putObject(bucket, `f-${n}`, uploadOf('x'));
    await direct.putObject(bucket, 'docs/a.txt', uploadOf('x'));
    const at = await CommandLine.open(server);

    const { code, stdout, stderr } = await at.run(['ls', 'photos']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^docs\/\nf-10\n/);
    expect(stdout.trim().split('\n')).toHaveLength(21);
  });

  it('shows sizes and times, also of what no mount can show', async () => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'docs/a.txt', uploadOf('twelve bytes'));
    await server.direct.putObject(server.bucket, 'docs/..', uploadOf('x'));
    const at = await CommandLine.open(server);

    const { stdout } = await at.run(['ls', '-l', 'photos:docs']);

    expect(stdout).toMatch(/^SIZE +MODIFIED +NAME\n1 B +\S+ \S+ +\.\.\n12 B +\S+ \S+ +a\.txt\n$/);
  });

  it('is one JSON document for programs, of a file and of an empty folder, too', async () => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'docs/a.txt', uploadOf('twelve bytes'));
    await server.direct.createFolder(server.bucket, 'empty');
    const at = await CommandLine.open(server);

    const { stdout } = await at.run(['ls', '--json', 'photos:docs/a.txt', 'photos:empty']);

    expect(JSON.parse(stdout)).toMatchObject([
      { isDone: true, files: [{ key: 'docs/a.txt', size: 12 }] },
      { isDone: true, files: [], folders: [] },
    ]);
  });

  it('does not look for a bucket with a slash in its name, where a colon was meant', async () => {
    const at = await CommandLine.open(await startEmbeddedServer());

    expect(await at.run(['ls', 'photos/docs'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'pailfs: photos/docs is not BUCKET:KEY, such as photos:cat.jpg\n',
    });
  });

  it.each(['empty', 'missing'] as const)(
    'says what is not there, a missing folder being %s',
    async (missingFolder) => {
      const server = await startEmbeddedServer({ behaviours: { missingFolder } });
      const at = await CommandLine.open(server);

      expect(await at.run(['ls', 'photos:nothing', 'photos:'])).toEqual({
        code: 1,
        stdout: '\nphotos::\n',
        stderr: 'pailfs: photos:nothing cannot be listed: it does not exist\n',
      });
    },
  );
});

describe('pailfs put', () => {
  it('stores files under their names, and stdin under the name that is given, of the type that it says', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    await writeFile(join(at.home, 'a.txt'), 'first');
    await writeFile(join(at.home, 'b.jpg'), 'second');

    const files = await at.run(['put', 'a.txt', 'b.jpg', 'photos:docs/']);
    const stdin = await at.run(['put', '-', 'photos:c.html'], { stdin: 'third' });

    expect(files).toEqual({
      code: 0,
      stdout: 'stored a.txt as photos:docs/a.txt (5 B)\nstored b.jpg as photos:docs/b.jpg (6 B)\n',
      stderr: '',
    });
    expect(stdin.code).toBe(0);
    expect(await content(server, 'docs/a.txt')).toBe('first');
    expect(await content(server, 'c.html')).toBe('third');
    expect((await server.direct.headObject(server.bucket, 'docs/b.jpg')).contentType).toBe('image/jpeg');
    expect((await server.direct.headObject(server.bucket, 'c.html')).contentType).toBe('text/html');
  });

  it('keeps a public file public, unless another visibility is asked for', async () => {
    const server = await startEmbeddedServer();
    const { direct, bucket } = server;
    for (const key of ['kept', 'hidden']) {
      await direct.putObject(bucket, key, uploadOf('old'));
      await direct.setVisibility(bucket, key, 'public');
    }
    const at = await CommandLine.open(server);

    await at.run(['put', '-', 'photos:kept'], { stdin: 'new' });
    await at.run(['put', '--visibility', 'private', '-', 'photos:hidden'], { stdin: 'new' });

    expect((await direct.getVisibility(bucket, 'kept')).visibility).toBe('public');
    expect((await direct.getVisibility(bucket, 'hidden')).visibility).toBe('private');
    expect(await content(server, 'kept')).toBe('new');
  });

  it.each(['public', 'private'] as const)(
    'leaves a file that others make %s between two tries as they left it',
    async (visibility) => {
      const server = await startEmbeddedServer();
      const { direct, bucket, faults } = server;
      await direct.putObject(bucket, 'f', uploadOf('old'));
      await direct.setVisibility(bucket, 'f', visibility === 'public' ? 'private' : 'public');
      faults.add({
        operation: 'putObject',
        times: Infinity,
        fault: { kind: 'status', status: 503, retryAfter: 1 },
      });
      const at = await CommandLine.open(server);

      const put = at.run(['put', '-', 'photos:f'], { stdin: 'new' });
      await expect.poll(() => faults.taken, { timeout: 60_000 }).toBeGreaterThan(0);
      await direct.setVisibility(bucket, 'f', visibility);
      faults.clear();
      const { code } = await put;

      expect(code).toBe(0);
      expect(await content(server, 'f')).toBe('new');
      expect((await direct.getVisibility(bucket, 'f')).visibility).toBe(visibility);
    },
  );

  it('leaves a file private that others make so between two tries of the bytes that it has', async () => {
    const server = await servedPublicFile('same');
    const { direct, bucket, faults } = server;
    const fault = { kind: 'status', status: 503, retryAfter: 1 } as const;
    faults.add({ operation: 'putObject', times: Infinity, fault });
    const at = await CommandLine.open(server);

    const put = at.run(['put', '-', 'photos:f'], { stdin: 'same' });
    await expect.poll(() => faults.taken, { timeout: 60_000 }).toBeGreaterThan(0);
    await direct.setVisibility(bucket, 'f', 'private');
    faults.clear();

    expect(await put).toMatchObject({ code: 0, stderr: '' });
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('private');
  });

  it.each([undefined, { behaviours: { etag: 'random' } } as const])(
    'keeps a public file public though the answer to its upload is lost (%j)',
    async (options) => {
      const server = await servedPublicFile('old', options);
      const { direct, bucket, faults } = server;
      faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
      const at = await CommandLine.open(server);

      const { code } = await at.run(['put', '-', 'photos:f'], { stdin: 'new' });

      expect(code).toBe(0);
      expect(await content(server, 'f')).toBe('new');
      expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
    },
  );

  it('says so when the bytes are stored and the link does not come back', async () => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'a', uploadOf('old'));
    await server.direct.setVisibility(server.bucket, 'a', 'public');
    server.faults.add({ operation: 'setVisibility', times: 9, fault: { kind: 'status', status: 403 } });
    const at = await CommandLine.open(server);

    const { code, stderr } = await at.run(['put', '-', 'photos:a'], { stdin: 'new' });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^pailfs: - is not stored: its bytes are stored, but it is not public any more \(.*\n$/,
    );
    expect(await content(server, 'a')).toBe('new');
  });

  it('tells in one line of a grace period, of credentials that may only read, of what is not there, and does the others', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    const reader = await CommandLine.open({ ...server, credentials: server.readOnlyCredentials });
    await mkdir(join(at.home, 'folder'));
    await writeFile(join(at.home, 'a'), 'x');

    const denied = await reader.run(['put', '-', 'photos:a'], { stdin: 'x' });
    const some = await at.run(['put', 'missing', 'folder', 'a', 'photos:']);
    server.store.changeAccount({ gracePeriod: true });
    const paused = await at.run(['put', '-', 'photos:a'], { stdin: 'x' });

    expect(denied.stderr).toMatch(
      /^pailfs: - is not stored: these credentials may not do that \(40[13]\): .*\n$/,
    );
    expect(paused.stderr).toMatch(
      /^pailfs: - is not stored: the account is in a grace period .*\(402\).*\n$/,
    );
    expect(some.code).toBe(1);
    expect(some.stderr).toMatch(
      /^pailfs: missing is not stored: no such file or directory\npailfs: folder is not stored: it is a directory.*\n$/,
    );
    expect(await keysIn(server, '')).toEqual(['a']);
  });

  it.each([
    [['put', 'a', 'here']],
    [['put', 'photos:a']],
    [['put', 'a', 'b', 'photos:c']],
    [['put', '-', 'photos:']],
    [['get', 'a', 'b']],
    [['get', 'photos:', '.']],
    [['rm', 'a']],
  ])('%j is wrong usage', async (words) => {
    const at = await CommandLine.open(await startEmbeddedServer());

    const { code, stderr } = await at.run(words);

    expect(code).toBe(2);
    expect(stderr).toMatch(/^pailfs: .*\n$/);
  });
});
