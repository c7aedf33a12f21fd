/** What do `pailfs get` and `put` say where what they were to carry is not, or would take the place of something else? */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openSource, SentFile } from '../../../src/cli/direct/upload-source.ts';
import { CommandLine } from '../../support/command-line.ts';
import {
  bytesOf,
  startEmbeddedServer,
  uploadOf,
  type EmbeddedServer,
} from '../../support/embedded-service.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const MEBIBYTE = 1024 * 1024;

async function content({ direct, bucket }: EmbeddedServer, key: string): Promise<string> {
  return (await bytesOf((await direct.getObject(bucket, key)).body)).toString();
}

/** `pailfs` as a shell starts it with `redirections`. */
function redirected(redirections: string): { readonly program: readonly string[] } {
  return { program: ['sh', '-c', `exec "$@" ${redirections}`, 'sh', ...CommandLine.words] };
}

it('stdin that cannot be read replaces nothing', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a', uploadOf('old'));
  const at = await CommandLine.open(server);

  const { code, stderr } = await at.run(['put', '-', 'photos:a'], redirected('< .'));

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'pailfs: - is not stored: illegal operation on a directory\n',
  });
  expect(await content(server, 'a')).toBe('old');
});

it('stdout for which Node has no stream of its own is written to', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a', uploadOf('bytes'));
  const at = await CommandLine.open(server);

  const { code, stderr } = await at.run(['get', 'photos:a', '-'], redirected('7< . >&7'));

  expect(code).toBe(1);
  expect(stderr).toMatch(/^pailfs: photos:a is not fetched: .*\n$/);
});

it('of two files of one name the second takes the place of the first neither there nor here', async () => {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  for (const folder of ['a', 'b', 'in']) await mkdir(join(at.home, folder));
  for (const folder of ['a', 'b']) await writeFile(join(at.home, folder, 'x'), folder);
  await server.direct.putObject(server.bucket, 'c/y', uploadOf('c'));
  await server.direct.putObject(server.bucket, 'd/y', uploadOf('d'));

  const put = await at.run(['put', 'a/x', 'b/x', 'photos:']);
  const get = await at.run(['get', 'photos:c/y', 'photos:d/y', 'in']);

  expect(put).toMatchObject({
    code: 1,
    stderr: 'pailfs: b/x is not stored: it would replace a/x, stored under the same name just now\n',
  });
  expect(get).toMatchObject({
    code: 1,
    stderr: 'pailfs: photos:d/y is not fetched: it would replace photos:c/y, fetched into in/y just now\n',
  });
  expect(await content(server, 'x')).toBe('a');
  expect(await readFile(join(at.home, 'in', 'y'), 'utf8')).toBe('c');
});

it('a file that a program changes while it is read is not stored as half of each', async () => {
  const path = join(await temporaryDirectory(), 'file');
  await writeFile(path, Buffer.alloc(MEBIBYTE, 'a'));
  const source = await openSource(path);
  onTestFinished(() => source.close());
  const sent = new SentFile(source, 'text/plain', () => undefined);
  const pieces: Uint8Array[] = [];
  const reading = async (): Promise<void> => {
    for await (const piece of sent.open()) {
      if (pieces.push(piece) > 1) continue;
      await pause(20);
      await writeFile(path, Buffer.alloc(MEBIBYTE, 'b'), { flag: 'r+' });
    }
  };

  await expect(reading()).rejects.toThrow('a program changed it while it was read: put it again');
});

it('two downloads into one file do not mix, and the end of the one lets the other in', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a', uploadOf(Buffer.alloc(3 * MEBIBYTE, 'a')));
  await server.direct.putObject(server.bucket, 'b', uploadOf(Buffer.alloc(3 * MEBIBYTE, 'b')));
  const at = await CommandLine.open(server);
  server.faults.add({ operation: 'getObject', fault: { kind: 'stall', afterBytes: MEBIBYTE } });
  const first = at.start(['get', 'photos:a', 'here']);
  const part = join(at.home, 'here.part');
  const sizeOfPart = (): Promise<number> =>
    stat(part).then(
      ({ size }) => size,
      () => 0,
    );
  while ((await sizeOfPart()) === 0) await pause(20);

  const second = await at.run(['get', 'photos:b', 'here']);
  first.kill('SIGKILL');
  await once(first, 'close');
  const third = await at.run(['get', 'photos:b', 'here']);

  expect(second).toMatchObject({
    code: 1,
    stderr: 'pailfs: photos:b is not fetched: another pailfs get writes here.part: wait for its end\n',
  });
  expect(third.code).toBe(0);
  expect((await readFile(join(at.home, 'here'))).equals(Buffer.alloc(3 * MEBIBYTE, 'b'))).toBe(true);
});

it('a file that nobody may write is replaced, and then nobody may write it', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a', uploadOf('new'));
  const at = await CommandLine.open(server);
  await writeFile(join(at.home, 'fixed'), 'old');
  await chmod(join(at.home, 'fixed'), 0o444);

  expect((await at.run(['get', 'photos:a', 'fixed'])).code).toBe(0);

  expect(await readFile(join(at.home, 'fixed'), 'utf8')).toBe('new');
  expect((await stat(join(at.home, 'fixed'))).mode & 0o777).toBe(0o444);
});

it('who may read a file that is replaced does not change, and a symbolic link stays one', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a', uploadOf('new'));
  const at = await CommandLine.open(server);
  await writeFile(join(at.home, 'secret'), 'old');
  await chmod(join(at.home, 'secret'), 0o600);
  await symlink('secret', join(at.home, 'link'));

  expect((await at.run(['get', 'photos:a', 'link'])).code).toBe(0);

  expect(await readlink(join(at.home, 'link'))).toBe('secret');
  expect(await readFile(join(at.home, 'secret'), 'utf8')).toBe('new');
  expect((await stat(join(at.home, 'secret'))).mode & 0o777).toBe(0o600);
});

it('a file that a program changes, and makes longer once its end was read, is not stored as half of each', async () => {
  const path = join(await temporaryDirectory(), 'file');
  await writeFile(path, Buffer.alloc(MEBIBYTE, 'a'));
  const source = await openSource(path);
  onTestFinished(() => source.close());
  const sent = new SentFile(source, 'text/plain', () => undefined);
  let bytes = 0;
  const reading = async (): Promise<void> => {
    for await (const piece of sent.open()) {
      if (bytes === 0) await writeFile(path, Buffer.alloc(MEBIBYTE, 'b'), { flag: 'r+' });
      bytes += piece.length;
      if (bytes < MEBIBYTE) continue;
      // The line is slow: the end was read long ago.
      await pause(100);
      await appendFile(path, 'more');
    }
  };

  await expect(reading()).rejects.toThrow('a program changed it while it was read: put it again');
  expect(bytes).toBe(MEBIBYTE);
});

it('in a directory, too, a file takes the place of no pipe and no directory', async () => {
  const server = await startEmbeddedServer();
  for (const key of ['pipe', 'folder']) await server.direct.putObject(server.bucket, key, uploadOf('bytes'));
  const at = await CommandLine.open(server);
  await mkdir(join(at.home, 'in', 'folder'), { recursive: true });
  await at.shell('mkfifo in/pipe');

  const [pipe, read] = await Promise.all([
    at.run(['get', 'photos:pipe', 'in']),
    at.shell('timeout 20 cat in/pipe'),
  ]);
  const folder = await at.run(['get', 'photos:folder', 'in']);

  expect({ code: pipe.code, read: read.stdout }).toEqual({ code: 0, read: 'bytes' });
  expect((await stat(join(at.home, 'in', 'pipe'))).isFIFO()).toBe(true);
  expect(folder).toMatchObject({
    code: 1,
    stderr: 'pailfs: photos:folder is not fetched: in/folder is a directory\n',
  });
});

it('a link to what is not there yet stays one, and two links to one file are one file', async () => {
  const server = await startEmbeddedServer();
  for (const key of ['a', 'b']) await server.direct.putObject(server.bucket, key, uploadOf(key));
  const at = await CommandLine.open(server);
  await mkdir(join(at.home, 'in'));
  for (const key of ['a', 'b']) await symlink('../there', join(at.home, 'in', key));

  const { code, stderr } = await at.run(['get', 'photos:a', 'photos:b', 'in']);

  expect(code).toBe(1);
  expect(stderr).toBe(
    'pailfs: photos:b is not fetched: it would replace photos:a, fetched into in/b just now\n',
  );
  expect(await readFile(join(at.home, 'there'), 'utf8')).toBe('a');
  expect(await readlink(join(at.home, 'in', 'a'))).toBe('../there');
});

it.runIf(process.getuid?.() === 0)('a file that is replaced keeps its owner and its group', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a', uploadOf('new'));
  const at = await CommandLine.open(server);
  await writeFile(join(at.home, 'theirs'), 'old');
  await chmod(join(at.home, 'theirs'), 0o640);
  await chown(join(at.home, 'theirs'), 1000, 1001);

  expect((await at.run(['get', 'photos:a', 'theirs'])).code).toBe(0);

  const { uid, gid, mode } = await stat(join(at.home, 'theirs'));
  expect(await readFile(join(at.home, 'theirs'), 'utf8')).toBe('new');
  expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 1000, gid: 1001, mode: 0o640 });
});

it('what is below an empty name is listed, and its links go, or it is said that they stay', async () => {
  const server = await startEmbeddedServer();
  const { direct, bucket } = server;
  for (const key of ['a//b', 'a/c', '/d']) {
    await direct.putObject(bucket, key, uploadOf('bytes'));
    await direct.setVisibility(bucket, key, 'public');
  }
  const at = await CommandLine.open(server);
  const visibilities = async (): Promise<string[]> => {
    const records = ['a//b', 'a/c', '/d'].map((key) => direct.getVisibility(bucket, key));
    return (await Promise.all(records)).map(({ visibility }) => visibility);
  };

  expect((await at.run(['ls', 'photos:a//'])).stdout).toContain('b');
  const some = await at.run(['unpublish', '-r', 'photos:a/']);
  expect(some.code).toBe(0);
  expect(await visibilities()).toEqual(['private', 'private', 'public']);

  const all = await at.run(['unpublish', '-r', 'photos:']);
  expect(all).toMatchObject({
    code: 1,
    stderr: 'pailfs: photos:/ is not made private: the service does not list what is in it: name each file\n',
  });
});

it('the bytes that a folder itself has are listed, and their link goes', async () => {
  const server = await startEmbeddedServer();
  const { direct, bucket } = server;
  await direct.putObject(bucket, 'a/', uploadOf('bytes'));
  await direct.setVisibility(bucket, 'a/', 'public');
  const at = await CommandLine.open(server);

  expect(JSON.parse((await at.run(['ls', '--json', 'photos:a/'])).stdout)).toMatchObject([
    { files: [{ key: 'a/', size: 5 }] },
  ]);
  expect((await at.run(['unpublish', '-r', 'photos:a/'])).code).toBe(0);
  expect((await direct.getVisibility(bucket, 'a/')).visibility).toBe('private');
});

it('where a file and a folder have one name -r takes the links of both', async () => {
  const server = await startEmbeddedServer();
  const { direct, bucket } = server;
  for (const key of ['d', 'd/x']) {
    await direct.putObject(bucket, key, uploadOf('bytes'));
    await direct.setVisibility(bucket, key, 'public');
  }
  const at = await CommandLine.open(server);

  const { code, stdout } = await at.run(['unpublish', '-r', 'photos:d']);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^photos:d is private\nphotos:d\/x is private\n/);
  expect((await direct.getVisibility(bucket, 'd/x')).visibility).toBe('private');
});

/** As `server`, whose listings tell no date of what ends with "b". */
async function withoutDates(server: EmbeddedServer): Promise<EmbeddedServer> {
  const front = createServer((request, response) => {
    const { method = 'GET', url = '' } = request;
    const credentials = Object.entries(request.headers).filter(([name]) => !/^(host|connection)$/.test(name));
    const answer = async (): Promise<void> => {
      const told = await fetch(new URL(url, server.baseUrl), {
        method,
        headers: Object.fromEntries(credentials) as Record<string, string>,
      });
      const text = await told.text();
      response.writeHead(told.status, { 'Content-Type': 'application/json' });
      response.end(text.replace(/("key":"[^"]*b"[^}]*)"last_modified":"[^"]*"/, '$1"last_modified":null'));
    };
    answer().catch((error: unknown) => response.destroy(error as Error));
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  const { port } = front.address() as AddressInfo;
  return { ...server, baseUrl: `http://127.0.0.1:${port}` };
}

it('what a listing shows without its date is said to be missing, and links that it may have', async () => {
  const server = await startEmbeddedServer();
  for (const key of ['d/a', 'd/b']) await server.direct.putObject(server.bucket, key, uploadOf('bytes'));
  const at = await CommandLine.open(await withoutDates(server));

  const shown = await at.run(['ls', 'photos:d/']);
  const links = await at.run(['unpublish', '-r', 'photos:d/']);

  expect(shown).toEqual({
    code: 1,
    stdout: 'a\n',
    stderr:
      'pailfs: photos:d/ is not listed whole: the service shows things in it without a name, a size or a date (1)\n',
  });
  expect(links).toMatchObject({ code: 1, stderr: expect.stringContaining('name each file') as string });
});

it('rm -r does not say that all is deleted while the service shows something without its date', async () => {
  const server = await startEmbeddedServer();
  for (const key of ['a', 'b']) await server.direct.putObject(server.bucket, key, uploadOf('bytes'));
  const at = await CommandLine.open(await withoutDates(server));

  const { code, stderr } = await at.run(['rm', '-r', '--yes', 'photos:']);

  expect(code).toBe(1);
  expect(stderr).toContain('still shows things without a name, a size or a date');
});
