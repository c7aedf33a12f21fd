/** What becomes of what a mount has still to store when it was unmounted by umount(8), which waits for nothing, and the next one begins? */
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { CommandLine, isAlive, killServing } from '../support/command-line.ts';
import { DRIVERS } from '../support/drivers.ts';
import { bytesOf, startEmbeddedServer, type EmbeddedServer } from '../support/embedded-service.ts';

interface Scene {
  readonly server: EmbeddedServer;
  readonly at: CommandLine;
  /** Of the process that has ended its mount, and still stores `a.txt`. */
  readonly before: number;
}

/** The first upload of each of the `paths` is never answered. `words`: what was mounted. */
async function unmountedTooEarly(words = ['photos'], paths = ['a.txt']): Promise<Scene> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  await server.direct.createBucket('other');
  await at.run(['mount', ...words, at.mountpoint, '--write-back']);
  const before = await at.servingProcess();
  server.faults.add({ operation: 'putObject', times: paths.length, fault: { kind: 'stall' } });
  for (const path of paths) await writeFile(join(at.mountpoint, path), 'first');
  await expect.poll(() => server.requests.count('putObject')).toBe(paths.length);
  await unmountDirectory(at.mountpoint, { lazy: false });
  await expect.poll(() => at.log()).toContain('Finishing');
  return { server, at, before };
}

/** Programs hear that it is safe. */
async function storedSafely(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  await file.writeFile(text);
  await file.sync();
  await file.close();
}

async function textOf({ server }: Scene): Promise<string> {
  return (await bytesOf((await server.direct.getObject(server.bucket, 'a.txt')).body)).toString();
}

describe.each(DRIVERS)('the next mount, by the driver %s,', (driver) => {
  it('shows it at once, goes on with it, and what is written then is what stays [unmount/again]', async () => {
    const scene = await unmountedTooEarly();
    const { at, before } = scene;

    const mounted = await at.run(['mount', 'photos', at.mountpoint, '--write-back', '--driver', driver]);
    const shown = await readFile(join(at.mountpoint, 'a.txt'), 'utf8');
    const wasAlive = await isAlive(before);
    await storedSafely(join(at.mountpoint, 'a.txt'), 'second');
    const unmounted = await at.run(['unmount', at.mountpoint]);

    expect(mounted).toMatchObject({ code: 0, stderr: '' });
    expect([shown, wasAlive]).toEqual(['first', false]);
    expect(unmounted).toMatchObject({ code: 0, stderr: '' });
    expect(await textOf(scene)).toBe('second');
    expect((await at.run(['status', '--json'])).stdout).not.toContain(at.mountpoint);
  });
});

it('who mounts it elsewhere, or all buckets, has it there [unmount/again]', async () => {
  const scene = await unmountedTooEarly();
  const { at } = scene;
  const elsewhere = join(at.home, 'elsewhere');
  await mkdir(elsewhere);

  await at.run(['mount', '--all-buckets', elsewhere]);
  const shown = await readFile(join(elsewhere, 'photos/a.txt'), 'utf8');
  const unmounted = await at.run(['unmount', elsewhere]);

  expect(shown).toBe('first');
  expect(unmounted).toMatchObject({ code: 0 });
  expect(await textOf(scene)).toBe('first');
});

it('who waits for the first to be stored hears what it has left', async () => {
  const { at } = await unmountedTooEarly();

  const waiting = at.run(['unmount', at.mountpoint]);
  await at.run(['mount', 'photos', at.mountpoint]);
  const { code, stderr } = await waiting;
  const unmounted = await at.run(['unmount', at.mountpoint]);

  expect(code).toBe(1);
  expect(stderr).toMatch(/\/a\.txt could not be uploaded .*\n.*the next mount goes on with what waits/);
  expect(unmounted).toMatchObject({ code: 0 });
});

it.each([
  ['a mount of another bucket', ['other']],
  ['a mount that changes nothing', ['photos', '--read-only']],
])('%s leaves it to the first', async (_name, words) => {
  const { at, before } = await unmountedTooEarly();

  const mounted = await at.run(['mount', ...words, at.mountpoint]);
  const isStillStoring = await isAlive(before);
  const unmounted = await at.run(['unmount', at.mountpoint, '--leave-pending']);

  expect(mounted).toMatchObject({ code: 0, stderr: '' });
  expect(isStillStoring).toBe(true);
  expect(unmounted.stderr).toMatch(/^pailfs: \/a\.txt could not be uploaded /m);
});

it('so does one of a single bucket where the first has something of others, too, and says so [unmount/again]', async () => {
  const { at, before } = await unmountedTooEarly(['--all-buckets'], ['photos/a.txt', 'other/a.txt']);

  const mounted = await at.run(['mount', 'photos', at.mountpoint]);
  const isStillStoring = await isAlive(before);
  await at.run(['unmount', at.mountpoint, '--leave-pending']);

  expect(mounted).toMatchObject({ code: 0 });
  expect(mounted.stderr).toContain(
    `process ${before}, whose mount at ${at.mountpoint} has ended, still stores what was written there`,
  );
  expect(isStillStoring).toBe(true);
});

it('a mount that may write says so where a read-only one has what waits, which nobody stores [unmount/again]', async () => {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  const elsewhere = join(at.home, 'elsewhere');
  await mkdir(elsewhere);
  await at.run(['mount', 'photos', at.mountpoint, '--write-back']);
  server.faults.add({ operation: 'putObject', times: 1, fault: { kind: 'stall' } });
  await writeFile(join(at.mountpoint, 'a.txt'), 'first');
  await expect.poll(() => server.requests.count('putObject')).toBe(1);
  await killServing(at);
  await at.run(['mount', 'photos', elsewhere, '--read-only']);

  const beside = await at.run(['mount', 'photos', at.mountpoint]);
  await at.run(['unmount', at.mountpoint]);
  await at.run(['unmount', elsewhere]);
  const after = await at.run(['mount', 'photos', at.mountpoint]);
  const unmounted = await at.run(['unmount', at.mountpoint]);

  expect(beside).toMatchObject({ code: 0 });
  expect(beside.stderr).toContain(
    `the read-only mount at ${elsewhere} has what earlier mounts did not store`,
  );
  expect(after).toMatchObject({ code: 0 });
  expect(after.stderr).not.toContain('read-only');
  expect(unmounted).toMatchObject({ code: 0 });
  const { body } = await server.direct.getObject(server.bucket, 'a.txt');
  expect((await bytesOf(body)).toString()).toBe('first');
});

it('a process that is stopped keeps nobody from mounting, and the log names it', async () => {
  const { at, before } = await unmountedTooEarly();
  process.kill(before, 'SIGSTOP');

  const mounted = await at.run(['mount', 'photos', at.mountpoint]);
  process.kill(before, 'SIGCONT');
  const log = await at.log();
  await at.run(['unmount', at.mountpoint, '--leave-pending']);

  expect(mounted).toMatchObject({ code: 0, stderr: '' });
  expect(log).toMatch(new RegExp(`"process":${before},"msg":"A mount that has ended does not answer`));
});

it('who mounts while what was left is stored without a mount hears that it is not shown yet [unmount/again]', async () => {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  await at.run(['mount', 'photos', at.mountpoint, '--write-back']);
  server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'stall' } });
  await writeFile(join(at.mountpoint, 'a.txt'), 'left');
  await killServing(at);
  server.requests.reset();
  const retry = at.start(['uploads', 'retry', '--mount', at.mountpoint]);
  await expect.poll(() => server.requests.count('putObject')).toBe(1);

  const mounted = await at.run(['mount', 'photos', at.mountpoint]);

  expect(mounted).toMatchObject({ code: 0 });
  expect(mounted.stderr).toBe(
    `pailfs: warning: "pailfs uploads retry" (process ${retry.pid}) still stores what earlier mounts left: that is not shown here before it is stored, and may replace what is written here until then\n`,
  );
});
