/** What does Ctrl-C leave of an export? Half of the bytes under the name of all would be taken for them. */
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

it('nothing, and the command ends by it [uploads/export]', async () => {
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
  const ended = once(child, 'close');
  const begun = async (): Promise<boolean> => (await readdir(out).catch(() => [])).length > 0;
  while (child.exitCode === null && !(await begun())) await pause(5);

  child.kill('SIGINT');

  expect(await ended).toEqual([null, 'SIGINT']);
  expect(await readdir(out)).toEqual([]);
  expect(stderr).toBe('pailfs: /big is not exported: interrupted\n');
});
