/** What does an export leave that is ended before its end? Half of the bytes under the name of all would be taken for them. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';
import { leaveBehind } from '../support/left-behind.ts';
import { ownerAt } from '../support/run-here.ts';

/** Longer than the copy of a moment. */
const BYTES = 16 * 1024 * 1024 * 1024;

it('by Ctrl-C: nothing, and the command ends by it [uploads/export]', async () => {
  const { out, child, stderr } = await beginExport();
  const ended = once(child, 'close');

  child.kill('SIGINT');

  expect(await ended).toEqual([null, 'SIGINT']);
  expect(await readdir(out)).toEqual([]);
  expect(stderr()).toBe('pailfs: /big is not exported: interrupted\n');
});

it('by kill -9: no file of its name [uploads/export]', async () => {
  const { out, child } = await beginExport();
  const ended = once(child, 'close');

  child.kill('SIGKILL');

  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await readdir(out)).toEqual([expect.stringMatching(/^\.pailfs-export-/)]);
});

interface Begun {
  readonly out: string;
  readonly child: ChildProcess;
  readonly stderr: () => string;
}

/** Some of the bytes are there. */
async function beginExport(): Promise<Begun> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  const directory = await leaveBehind(join(at.home, 'state', 'pailfs'), ownerAt(server), 'big');
  const [draft = ''] = await readdir(join(directory, 'drafts'));
  // It takes no room.
  await truncate(join(directory, 'drafts', draft), BYTES);
  const out = join(at.home, 'out');
  const child = at.start(['uploads', 'export', out]);
  let stderr = '';
  child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()));
  const isBegun = async (): Promise<boolean> => (await readdir(out).catch(() => [])).length > 0;
  while (child.exitCode === null && !(await isBegun())) await pause(5);
  return { out, child, stderr: () => stderr };
}
