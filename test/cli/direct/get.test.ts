/** What does a person get from `pailfs get`? (§4.8) */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../../support/embedded-service.ts';
import { patternedBytes } from '../../support/patterned-bytes.ts';

const LARGE = Buffer.from(patternedBytes(3 * 1024 * 1024));

/** A home in which a download was cut in the middle. */
async function interrupted(server: EmbeddedServer): Promise<CommandLine> {
  await server.direct.putObject(server.bucket, 'large', uploadOf(LARGE));
  const at = await CommandLine.open(server);
  server.faults.add({ operation: 'getObject', fault: { kind: 'cut', afterBytes: 2 * 1024 * 1024 } });
  server.faults.add({ operation: 'getObject', fault: { kind: 'status', status: 403 } });
  const { code, stderr } = await at.run(['get', 'photos:large', 'here']);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /here\.part keeps .*: the same command goes on\npailfs: photos:large is not fetched: .*\n$/,
  );
  return at;
}

describe('pailfs get', () => {
  it('fetches into a file, a directory, or to stdout', async () => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'docs/a.txt', uploadOf('first'));
    await server.direct.putObject(server.bucket, 'empty', uploadOf(''));
    const at = await CommandLine.open(server);
    await mkdir(join(at.home, 'in'));

    const both = await at.run(['get', 'photos:docs/a.txt', 'photos:empty', 'in']);
    const named = await at.run(['get', 'photos:docs/a.txt', 'b.txt', '--json']);
    const stdout = await at.run(['get', 'photos:docs/a.txt', '-']);

    expect(both).toMatchObject({ code: 0, stderr: '' });
    expect((await readdir(join(at.home, 'in'))).sort()).toEqual(['a.txt', 'empty']);
    expect(await readFile(join(at.home, 'b.txt'), 'utf8')).toBe('first');
    expect(JSON.parse(named.stdout)).toMatchObject([{ isDone: true, file: 'b.txt', size: 5, resumedAt: 0 }]);
    expect(stdout).toEqual({ code: 0, stdout: 'first', stderr: '' });
  });

  it('sends any number of files to stdout, and has nothing to say of that', async () => {
    const server = await startEmbeddedServer();
    const keys = Array.from({ length: 12 }, (_, n) => `${n}.txt`);
    for (const key of keys) await server.direct.putObject(server.bucket, key, uploadOf(`${key} `));
    const at = await CommandLine.open(server);

    const all = await at.run(['get', ...keys.map((key) => `photos:${key}`), '-']);

    expect(all).toEqual({ code: 0, stdout: keys.map((key) => `${key} `).join(''), stderr: '' });
  });

  it('goes on where it was interrupted', async () => {
    const server = await startEmbeddedServer();
    const at = await interrupted(server);

    const { code, stdout } = await at.run(['get', 'photos:large', 'here', '--json']);

    expect(code).toBe(0);
    const [{ resumedAt } = { resumedAt: 0 }] = JSON.parse(stdout) as { readonly resumedAt: number }[];
    expect(resumedAt).toBeGreaterThan(1024 * 1024);
    expect(LARGE.equals(await readFile(join(at.home, 'here')))).toBe(true);
    expect((await readdir(at.home)).filter((name) => name.startsWith('here'))).toEqual(['here']);
  });

  it('fetches into the longest name that a file can have, and goes on there, too', async () => {
    const server = await startEmbeddedServer();
    const at = await interrupted(server);
    const longest = 'n'.repeat(255);
    server.faults.add({ operation: 'getObject', fault: { kind: 'cut', afterBytes: 2 * 1024 * 1024 } });
    server.faults.add({ operation: 'getObject', fault: { kind: 'status', status: 403 } });
    expect((await at.run(['get', 'photos:large', longest])).stderr).toMatch(/[0-9a-f]{16}\.part keeps/);

    const { stdout } = await at.run(['get', 'photos:large', longest, '--json']);

    const [{ resumedAt } = { resumedAt: 0 }] = JSON.parse(stdout) as { readonly resumedAt: number }[];
    expect(resumedAt).toBeGreaterThan(1024 * 1024);
    expect(LARGE.equals(await readFile(join(at.home, longest)))).toBe(true);
    expect((await readdir(at.home)).filter((name) => /^[0-9a-f]{16}\.part/.test(name))).toEqual([]);
  });

  it.each(['ignored', 'refused'] as const)('begins anew when Range is %s', async (range) => {
    const server = await startEmbeddedServer({ behaviours: { range } });
    const at = await interrupted(server);

    const { code } = await at.run(['get', 'photos:large', 'here']);

    expect(code).toBe(0);
    expect(LARGE.equals(await readFile(join(at.home, 'here')))).toBe(true);
  });

  it('begins anew when the file is another by now', async () => {
    const server = await startEmbeddedServer();
    const at = await interrupted(server);
    const other = Buffer.from(LARGE).reverse();
    await server.direct.putObject(server.bucket, 'large', uploadOf(other));

    expect((await at.run(['get', 'photos:large', 'here'])).code).toBe(0);

    expect(other.equals(await readFile(join(at.home, 'here')))).toBe(true);
  });

  it('leaves a file alone that only looks like a part of its own', async () => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'a', uploadOf('x'));
    const at = await CommandLine.open(server);
    await writeFile(join(at.home, 'a.part'), 'of somebody else');

    const { code, stderr } = await at.run(['get', 'photos:a', '.']);

    expect(code).toBe(1);
    expect(stderr).toMatch(/a\.part is there, and no download says that it is its: remove it\n$/);
    expect(await readFile(join(at.home, 'a.part'), 'utf8')).toBe('of somebody else');
  });

  it('tells in one line of a place below something that is no directory', async () => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'a', uploadOf('x'));
    const at = await CommandLine.open(server);
    await writeFile(join(at.home, 'file'), '');

    const { code, stderr } = await at.run(['get', 'photos:a', 'file/in']);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^pailfs: file\/in cannot be written: not a directory\n$/);
  });

  it('tells in one line of what is not there, and leaves nothing behind', async () => {
    const at = await CommandLine.open(await startEmbeddedServer());
    const before = await readdir(at.home);

    expect(await at.run(['get', 'photos:nothing', 'here'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'pailfs: photos:nothing is not fetched: it does not exist\n',
    });
    expect(await readdir(at.home)).toEqual(before);
  });

  it.each(['new', 'there'])(
    'leaves nothing behind of what is refused before its first byte (%s)',
    async (name) => {
      const server = await startEmbeddedServer();
      await server.direct.putObject(server.bucket, 'file', uploadOf('bytes'));
      const at = await CommandLine.open(server);
      await writeFile(join(at.home, 'there'), 'as before');
      const before = await readdir(at.home);
      server.faults.add({ operation: 'getObject', fault: { kind: 'status', status: 403 } });

      const { code, stderr } = await at.run(['get', 'photos:file', name]);

      expect(code).toBe(1);
      expect(stderr).toMatch(/^pailfs: photos:file is not fetched: .+\n$/);
      expect(await readdir(at.home)).toEqual(before);
      expect(await readFile(join(at.home, 'there'), 'utf8')).toBe('as before');
    },
  );

  it('tells in one line of a folder, and of a directory that is not there', async () => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'd/a', uploadOf('x'));
    const at = await CommandLine.open(server);

    const folder = await at.run(['get', 'photos:d', '.']);
    const named = await at.run(['get', 'photos:d/', '.']);
    const nowhere = await at.run(['get', 'photos:d/a', 'none/in']);

    expect(named).toMatchObject({
      code: 2,
      stderr:
        'pailfs: photos:d/ names a folder: name a file in it, or mount the bucket and use cp -r, or rsync\n',
    });
    expect(folder).toMatchObject({
      code: 1,
      stderr: 'pailfs: photos:d is not fetched: it is a folder: mount the bucket and use cp -r, or rsync\n',
    });
    expect(nowhere).toMatchObject({ code: 1, stderr: 'pailfs: there is no directory none\n' });
  });
});
