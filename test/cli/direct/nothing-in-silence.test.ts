/** What do `pailfs get` and `put` say where what they were to carry is not, or would take the place of something else? */
import { once } from 'node:events';
import { chmod, mkdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
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
