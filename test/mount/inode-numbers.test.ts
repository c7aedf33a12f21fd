/** SEMANTICS: what do programs that tell files by their inode numbers see, in this mount and in the next? */
import { open, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';

async function mounted(...options: string[]): Promise<{ at: CommandLine; server: EmbeddedServer }> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  expect(await at.run(['mount', 'photos', at.mountpoint, ...options])).toMatchObject({ code: 0 });
  return { at, server };
}

async function printed({ mountpoint }: CommandLine, script: string): Promise<string> {
  const { exit, output } = await shell(mountpoint, script);
  expect({ exit, output }).toMatchObject({ exit: 0 });
  return output;
}

async function remount(at: CommandLine): Promise<void> {
  expect(await at.run(['unmount', at.mountpoint])).toMatchObject({ code: 0 });
  expect(await at.run(['mount', 'photos', at.mountpoint])).toMatchObject({ code: 0 });
}

const LIST = 'find . -printf "%i %p\\n" | sort -k 2';

it('they are the same in the next mount, and after a refresh [kernel/inodes]', async () => {
  const { at } = await mounted();
  await printed(
    at,
    'mkdir -p a/b c; for i in 1 2 3; do echo $i > a/f$i; echo $i > a/b/f$i; done; echo x > c/x',
  );
  // Of what was just made nobody knows yet how the service names it.
  await remount(at);
  const before = await printed(at, LIST);

  expect(await at.run(['refresh', at.mountpoint])).toMatchObject({ code: 0 });
  expect(await printed(at, LIST)).toBe(before);
  await remount(at);

  expect(await printed(at, LIST)).toBe(before);
});

it('git does not read again in the next mount what it knows [kernel/inodes]', async () => {
  const { at, server } = await mounted();
  // git reads what is as young as its index.
  const git = 'git -c user.name=a -c user.email=a@example.com -c core.fsync=none';
  await printed(
    at,
    `${git} init -q .; echo one > one; mkdir d; echo two > d/two; sleep 1.1; ${git} add .; ${git} commit -qm x`,
  );
  await remount(at);
  // Once: what git has written itself has other numbers from now on.
  await printed(at, `${git} status`);
  await remount(at);
  server.requests.reset();

  expect(await printed(at, `${git} diff-files`)).toBe('');
  const read = server.requests.all.filter(({ operation }) => operation === 'getObject').map(({ key }) => key);
  expect(read.filter((key) => key === 'one' || key === 'd/two')).toEqual([]);
});

it('a file that was rotated keeps its own, and the new one has another [kernel/inodes]', async () => {
  const { at } = await mounted();
  const log = join(at.mountpoint, 'log');
  await writeFile(log, 'old');
  const { ino } = await stat(log);

  await rename(log, `${log}.1`);
  await writeFile(log, 'new');

  expect((await stat(`${log}.1`)).ino).toBe(ino);
  const { ino: next } = await stat(log);
  expect(next).not.toBe(ino);
  await remount(at);
  const then = [await stat(log), await stat(`${log}.1`)].map((found) => found.ino);
  expect(new Set([...then, ino, next]).size).toBe(4);
});

it('a file that somebody else replaced has another than the one that a program has open [kernel/versions]', async () => {
  const { at, server } = await mounted('--metadata-ttl', '0');
  await server.direct.putObject(server.bucket, 'f', uploadOf('theirs'));
  const file = await open(join(at.mountpoint, 'f'), 'r');
  await server.direct.putObject(server.bucket, 'f', uploadOf('theirs, later'));

  const named = await stat(join(at.mountpoint, 'f'));
  const { ino } = await file.stat();
  await file.close();

  expect(named.size).toBe(13);
  expect(named.ino).not.toBe(ino);
});

it('a file that somebody else replaced has another than before also when nobody has it open [kernel/versions]', async () => {
  const { at, server } = await mounted('--metadata-ttl', '0');
  const seen: number[] = [];
  for (const text of ['one', 'two', 'six', 'ten']) {
    await server.direct.putObject(server.bucket, 'f', uploadOf(text));
    seen.push((await stat(join(at.mountpoint, 'f'))).ino);
  }

  expect(new Set(seen).size).toBe(4);
});
