/** What do the commands say of a place where the next mount has begun while the one before still uploads? */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRecords, removeRecord, writeRecord } from '../../src/cli/found-mounts/mount-record.ts';
import { recordDirectories, recordDirectory } from '../../src/cli/found-mounts/record-directories.ts';
import type { Fault } from '../../src/server/faults.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { CommandLine, goneProcess, isAlive } from '../support/command-line.ts';
import { startEmbeddedServer, type EmbeddedServer } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';

interface Scene {
  readonly at: CommandLine;
  readonly server: EmbeddedServer;
  /** Of the process that is unmounted and cannot store what it has. */
  readonly before: number;
  /** Of the one that serves. */
  readonly after: number;
  /** Nobody uses any more what the first had mounted: it stores what it has, and ends. */
  readonly finish: () => Promise<void>;
}

/** `fault`: what the service answers to the upload of the first. */
async function remounted(fault: Fault = { kind: 'status', status: 503 }): Promise<Scene> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  const mount = ['mount', 'photos', at.mountpoint, '--write-back'];
  expect(await at.run(mount)).toMatchObject({ code: 0 });
  const before = await at.servingProcess();
  server.faults.add({ operation: 'putObject', times: Infinity, fault });
  await writeFile(join(at.mountpoint, 'a.txt'), 'unsent');
  // As long as this is open it goes on: what it cannot store it would give up before a slow machine has looked.
  const file = await open(join(at.mountpoint, 'a.txt'), 'r');
  const close = (): Promise<void> => file.close().catch(() => undefined);
  onTestFinished(close);
  // As `umount -l` does, which waits for nobody.
  await unmountDirectory(at.mountpoint, { lazy: true });
  expect(await at.run(mount)).toMatchObject({ code: 0 });
  const pids = (await recordsOf(at)).map(({ process }) => process.pid);
  const finish = async (): Promise<void> => {
    await close();
    await expect.poll(() => at.log()).toContain('Finishing');
  };
  return { at, server, before, after: pids.find((pid) => pid !== before) ?? 0, finish };
}

async function recordsOf({ mountpoint }: CommandLine) {
  const all = await readRecords(await recordDirectories(process.getuid?.() ?? 0));
  return all.filter((record) => record.mountpoint === mountpoint);
}

async function shownIn({ at }: Scene, words: readonly string[]): Promise<readonly object[]> {
  return JSON.parse((await at.run(words)).stdout) as readonly object[];
}

it('that which is mounted is asked and shown as serving, also where the clock was set back before it began', async () => {
  const scene = await remounted();
  const { at, before, after } = scene;
  const own = await recordDirectory(process.getuid?.() ?? 0);
  const first = (await recordsOf(at)).find(({ process }) => process.pid === before);
  if (first === undefined) throw new Error('it is not recorded');
  await writeRecord(own, { ...first, since: new Date(Date.now() + 3_600_000).toISOString() });

  const shown = await shownIn(scene, ['status', at.mountpoint, '--json']);
  await shell('/', 'kill -STOP "$1"', String(before));
  const refreshed = await at.run(['refresh', at.mountpoint]);
  await shell('/', 'kill -CONT "$1"', String(before));

  expect(shown).toMatchObject([
    { pid: after, state: 'serving' },
    { pid: before, state: 'finishing' },
  ]);
  // Of the one that is stopped nothing was asked.
  expect(refreshed).toMatchObject({ code: 0, stderr: '' });
});

it('status shows both processes, and uploads what the first has still to store', async () => {
  const scene = await remounted();
  const { at, before, after } = scene;

  const named = await shownIn(scene, ['status', at.mountpoint, '--json']);
  const all = await shownIn(scene, ['status', '--json']);
  const table = await at.run(['status', at.mountpoint]);
  const uploads = await shownIn(scene, ['uploads', at.mountpoint, '--json']);
  const listed = await at.run(['uploads', at.mountpoint]);

  const both = [
    expect.objectContaining({ pid: after, state: 'serving' }) as object,
    expect.objectContaining({ pid: before, state: 'finishing' }) as object,
  ];
  expect(named).toEqual(both);
  expect(all).toEqual(expect.arrayContaining(both));
  expect(table.stdout).toMatch(/ serving\n[^]* finishing\n/);
  expect(uploads).toMatchObject([{ changes: [] }, { changes: [{ path: '/a.txt' }] }]);
  expect(listed.stdout).toContain(`, unmounted, and still storing, from ${at.mountpoint}:\n`);
});

it('unmount waits for both', async () => {
  const { at, server, before, after, finish } = await remounted();

  const unmounting = at.run(['unmount', at.mountpoint]);
  await expect.poll(() => at.isMounted()).toBe(false);
  await goneProcess(after);
  server.faults.clear();
  await finish();
  const outcome = await unmounting;

  expect(outcome).toMatchObject({ code: 0 });
  expect(await isAlive(before)).toBe(false);
  expect(await recordsOf(at)).toEqual([]);
});

it('unmount says what the first could not store, also when nobody wants to wait', async () => {
  // An upload that is refused would be given up before a slow machine has begun to unmount.
  const { at, before, after, finish } = await remounted({ kind: 'stall' });
  await finish();

  const outcome = await at.run(['unmount', at.mountpoint, '--leave-pending']);

  expect(outcome).toMatchObject({ code: 1 });
  expect(outcome.stderr).toMatch(/^pailfs: \/a\.txt could not be uploaded /m);
  expect([await isAlive(before), await isAlive(after)]).toEqual([false, false]);
  expect(await recordsOf(at)).toEqual([]);
});

it('the mount that serves is found when the first has stored all it had', async () => {
  const { at, server, before, after, finish } = await remounted();

  server.faults.clear();
  await finish();
  await goneProcess(before);
  const status = await at.run(['status', at.mountpoint, '--json']);
  const refreshed = await at.run(['refresh', at.mountpoint]);
  const unmounted = await at.run(['unmount', at.mountpoint]);

  expect(JSON.parse(status.stdout)).toMatchObject([{ pid: after, state: 'serving' }]);
  expect(refreshed).toMatchObject({ code: 0 });
  expect(unmounted).toMatchObject({ code: 0 });
  expect(await isAlive(after)).toBe(false);
});

it('unmount does not say that all is well where nothing is recorded of the mount', async () => {
  const server = await startEmbeddedServer();
  // Of a killed mount of the same bucket, whose device the kernel has given to this one, it could not be told.
  await server.direct.createBucket('unrecorded');
  const at = await CommandLine.open(server);
  await at.run(['mount', 'unrecorded', at.mountpoint]);
  const directories = await recordDirectories(process.getuid?.() ?? 0);
  for (const record of await recordsOf(at)) await removeRecord(directories, record);

  const outcome = await at.run(['unmount', at.mountpoint]);

  expect(outcome).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is unmounted; who served it is not known') as string,
  });
  expect(await at.isMounted()).toBe(false);
});
