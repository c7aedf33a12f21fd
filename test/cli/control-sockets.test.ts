/** Which control sockets are cleared away? Those of processes that are gone, and no others. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { readdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { controlSocketPath, removeDeadSockets } from '../../src/cli/found-mounts/control-sockets.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A process that listens at the socket that its number gives it, and is killed when `isKilled`. */
async function listening(directory: string, mountpoint: string, isKilled: boolean): Promise<string> {
  const prefix = controlSocketPath(directory, mountpoint, 0).replace(/0\.sock$/, '');
  const script = `require('node:net').createServer().listen(process.argv[1] + process.pid + '.sock', () => console.log())`;
  const child = spawn(process.execPath, ['-e', script, prefix], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  if (isKilled) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  return `${basename(prefix)}${child.pid ?? 0}.sock`;
}

it('whoever looks for mounts clears away the sockets of killed ones', async () => {
  const directory = await temporaryDirectory();
  await listening(directory, '/killed', true);
  const living = await listening(directory, '/living', false);
  await writeFile(`${directory}/other.1.sock`, 'somebody else’s');

  await removeDeadSockets([directory, `${directory}/none`]);

  expect((await readdir(directory)).sort()).toEqual([living, 'other.1.sock'].sort());
});

it('a socket whose process does not listen yet stays, and so does one that somebody answers under another number', async () => {
  const directory = await temporaryDirectory();
  const early = controlSocketPath(directory, '/early', process.pid);
  await writeFile(early, '');
  const elsewhere = await listening(directory, '/x', true);
  const server = createServer();
  onTestFinished(() => void server.close());
  await removeDeadSockets([directory]);
  server.listen(`${directory}/${elsewhere}`);
  await once(server, 'listening');

  await removeDeadSockets([directory]);

  expect((await readdir(directory)).sort()).toEqual([basename(early), elsewhere].sort());
});
