/** What do the commands say of a mount that has been moved with a directory above it? */
import { execFile } from 'node:child_process';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { readRecords, removeRecord, writeRecord } from '../../src/cli/found-mounts/mount-record.ts';
import { recordDirectory } from '../../src/cli/found-mounts/record-directories.ts';
import { findMount, readMountTable } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { CommandLine, goneProcess } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

interface Scene {
  readonly at: CommandLine;
  readonly server: EmbeddedServer;
  readonly pid: number;
  /** Where it was mounted. */
  readonly before: string;
  /** Where it is. */
  readonly after: string;
}

async function moved(...options: readonly string[]): Promise<Scene> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  const before = join(at.home, 'a', 'm');
  const after = join(at.home, 'b', 'm');
  await mkdir(before, { recursive: true });
  onTestFinished(async () => {
    for (const place of [before, after]) {
      while ((await findMount(place)) !== undefined) await unmountDirectory(place, { lazy: true });
    }
  });
  expect(await at.run(['mount', 'photos', before, ...options])).toMatchObject({ code: 0 });
  const [shown] = await shownIn(at, before);
  await rename(dirname(before), dirname(after));
  return { at, server, pid: shown?.pid ?? 0, before, after };
}

interface Shown {
  readonly pid: number;
  readonly state: string;
  readonly mountpoint: string;
}

async function shownIn(at: CommandLine, ...words: readonly string[]): Promise<readonly Shown[]> {
  return JSON.parse((await at.run(['status', ...words, '--json'])).stdout) as readonly Shown[];
}

it('status, uploads, link and refresh find its process', async () => {
  const { at, server, pid, before, after } = await moved('--write-back');
  server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  await server.direct.putObject(server.bucket, 'f', uploadOf('stored'));
  await writeFile(join(after, 'a.txt'), 'waits');

  const named = await shownIn(at, after);
  const all = await shownIn(at);
  const old = await at.run(['status', before]);
  const uploads = await at.run(['uploads', after, '--json']);
  const refreshed = await at.run(['refresh', after]);
  const link = await at.run(['link', join(after, 'f')]);
  await at.run(['unmount', '--leave-pending', after]);

  expect(named).toMatchObject([{ pid, state: 'serving', mountpoint: after }]);
  expect(all.filter((one) => one.pid === pid)).toMatchObject([{ state: 'serving', mountpoint: after }]);
  expect(old).toMatchObject({ code: 1, stdout: '' });
  expect(JSON.parse(uploads.stdout)).toMatchObject([
    { mountpoint: after, changes: [expect.objectContaining({ path: '/a.txt' })] },
  ]);
  expect(refreshed).toMatchObject({ code: 0, stderr: '' });
  expect(link).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http/) as string });
});

it('unmount waits for what it stores, and for its end', async () => {
  const { at, server, pid, after } = await moved('--write-back');
  server.faults.add({ operation: 'putObject', times: 2, fault: { kind: 'status', status: 503 } });
  await writeFile(join(after, 'a.txt'), 'stored');

  const unmounted = await at.run(['unmount', after]);

  const { objects } = await server.direct.listObjects(server.bucket, { folder: '' });
  expect(unmounted).toMatchObject({ code: 0 });
  expect(objects.map(({ key }) => key)).toContain('a.txt');
  expect((await shownIn(at)).filter((one) => one.pid === pid)).toEqual([]);
  expect(await findMount(after)).toBeUndefined();
});

it('unmount says of a process that was killed meanwhile what it does of any other', async () => {
  const { at, pid, after } = await moved();
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);

  const dead = await shownIn(at, after);
  const unmounted = await at.run(['unmount', after]);

  expect(dead).toMatchObject([{ pid, state: 'dead' }]);
  expect(unmounted).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the process that served ${after} ended without saying`) as string,
  });
  expect((await shownIn(at)).filter((one) => one.pid === pid)).toEqual([]);
});

it('who mounts in its new place after its process was killed ends its line in the status', async () => {
  const { at, pid, after } = await moved();
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);

  const mounted = await at.run(['mount', 'photos', after]);
  const shown = await shownIn(at);
  await at.run(['unmount', after]);

  expect(mounted).toMatchObject({ code: 0 });
  expect(shown.filter((one) => one.pid === pid)).toEqual([]);
  expect(shown.filter(({ mountpoint }) => mountpoint === after)).toMatchObject([{ state: 'serving' }]);
});

it('uploads ends the line of one in the status that was killed and taken away by hand, once everything is stored', async () => {
  const { at, server, pid, after } = await moved('--write-back');
  server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  await writeFile(join(after, 'a.txt'), 'waits');
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);
  await unmountDirectory(after, { lazy: true });

  // Without it all is meant that anything on this machine has not stored, also what is mounted for somebody's work.
  const here = ['--state-dir', join(at.home, 'state', 'pailfs')];
  const waiting = await at.run(['uploads', ...here]);
  const before = await shownIn(at);
  server.faults.clear();
  const retried = await at.run(['uploads', 'retry', ...here]);
  const stored = await at.run(['uploads', ...here]);
  const shown = await shownIn(at);

  expect(waiting.stdout).toContain('/a.txt');
  expect(before.filter((one) => one.pid === pid)).toMatchObject([{ state: 'ended' }]);
  expect(retried).toMatchObject({ code: 0 });
  expect(stored).toMatchObject({ code: 0, stdout: 'everything is stored\n' });
  expect(shown.filter((one) => one.pid === pid)).toEqual([]);
});

it('unmount says of one that was killed and taken away by hand how it ended, and ends its line, though its directory is gone', async () => {
  const { at, pid, before, after } = await moved();
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);
  await unmountDirectory(after, { lazy: true });

  const unmounted = await at.run(['unmount', before]);
  const shown = await shownIn(at);
  const again = await at.run(['unmount', before]);

  expect(unmounted).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the process that served ${before} ended without saying`) as string,
  });
  expect(shown.filter((one) => one.pid === pid)).toEqual([]);
  expect(again).toMatchObject({
    code: 1,
    stderr: `pailfs: ${before} does not exist: nothing is mounted there\n`,
  });
});

it('one that was killed and taken away is not another where nothing is recorded, which the kernel has given its device', async () => {
  const server = await startEmbeddedServer();
  await server.direct.createBucket('music');
  const at = await CommandLine.open(server);
  const before = join(at.home, 'm');
  await mkdir(before);
  await at.run(['mount', 'photos', before]);
  const [{ pid } = { pid: 0 }] = await shownIn(at, before);
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);
  await unmountDirectory(before, { lazy: true });
  await at.run(['mount', 'music', at.mountpoint]);
  const device = (await findMount(at.mountpoint))?.device ?? null;
  const directory = await recordDirectory(process.getuid?.() ?? 0);
  const records = await readRecords([directory]);
  // Which it gives to whom cannot be foreseen where others mount, too.
  for (const record of records.filter(({ process }) => process.pid === pid))
    await writeRecord(directory, { ...record, device });
  for (const record of records.filter(({ mountpoint }) => mountpoint === at.mountpoint))
    await removeRecord([directory], record);

  const shown = await shownIn(at);
  const named = await at.run(['status', at.mountpoint]);
  const unmounted = await at.run(['unmount', at.mountpoint]);
  const taken = await at.run(['unmount', before]);

  expect(shown.filter((one) => one.pid === pid)).toMatchObject([{ state: 'ended', mountpoint: before }]);
  expect(named).toMatchObject({ code: 1, stdout: '' });
  expect(unmounted).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is unmounted; who served it is not known') as string,
  });
  expect(taken.stderr).toContain(`the process that served ${before} ended without saying`);
});

it.each(['kernel', 'native'])('a signal ends the mount of the %s driver where it is', async (driver) => {
  const { pid, after } = await moved('--driver', driver);

  process.kill(pid, 'SIGTERM');
  await goneProcess(pid);

  expect((await readMountTable()).map(({ mountpoint }) => mountpoint)).not.toContain(after);
});

it('another may be mounted in its old place, and each is found in its own', async () => {
  const { at, pid, before, after } = await moved();
  await mkdir(before, { recursive: true });

  const mounted = await at.run(['mount', 'photos', before]);
  const [one] = await shownIn(at, before);
  const other = await shownIn(at, after);
  const unmounted = await at.run(['unmount', after]);
  const left = await shownIn(at, before);
  await at.run(['unmount', before]);

  expect(mounted).toMatchObject({ code: 0 });
  expect(one).toMatchObject({ state: 'serving', mountpoint: before });
  expect(one?.pid).not.toBe(pid);
  expect(other).toMatchObject([{ pid, state: 'serving' }]);
  expect(unmounted).toMatchObject({ code: 0 });
  expect(left).toMatchObject([{ pid: one?.pid, state: 'serving' }]);
});

it.runIf(process.getuid?.() === 0)(
  'the end of its process leaves alone what others have mounted at its place since',
  async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    const place = join(at.home, 'm');
    await mkdir(place);
    onTestFinished(async () => {
      while ((await findMount(place)) !== undefined) await unmountDirectory(place, { lazy: true });
    });
    await server.direct.putObject(server.bucket, 'f', uploadOf('stored'));
    expect(await at.run(['mount', 'photos', place])).toMatchObject({ code: 0 });
    const [shown] = await shownIn(at, place);
    const held = await open(join(place, 'f'));
    await promisify(execFile)('sh', ['-c', 'umount -l "$1" && mount -t tmpfs none "$1"', 'sh', place]);
    await writeFile(join(place, 'theirs'), 'theirs');

    process.kill(shown?.pid ?? 0, 'SIGTERM');
    await held.close();
    await goneProcess(shown?.pid ?? 0);

    expect(await readFile(join(place, 'theirs'), 'utf8')).toBe('theirs');
  },
);
