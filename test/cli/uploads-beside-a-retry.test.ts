/** What does a person see of `pailfs uploads` while `pailfs uploads retry` stores what a mount has left? */
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { leftDirectoriesIn } from '../../src/cli/state/left-directories.ts';
import { leaveBehind } from '../support/left-behind.ts';
import { CommandLine } from '../support/command-line.ts';
import { openOwnHome, ownerAt, runHere } from '../support/run-here.ts';

async function retrying(): Promise<{
  readonly directory: string;
  readonly pid: number;
  readonly url: string;
  /** Lets it go on, which it did not since it has noted what it does. Resolves when it has ended. */
  readonly ended: () => Promise<void>;
}> {
  const { server, home } = await openOwnHome();
  const stateHome = join(home, 'state');
  const directory = await leaveBehind(stateHome, ownerAt(server), 'left');
  server.faults.add({
    operation: 'putObject',
    times: Infinity,
    fault: { kind: 'status', status: 503, retryAfter: 1 },
  });
  const at = await CommandLine.open(server);
  const retry = at.start(['uploads', 'retry', '--state-dir', stateHome]);
  const end = new Promise<void>((resolve) => {
    retry.on('exit', () => {
      resolve();
    });
  });
  onTestFinished(() => void retry.kill('SIGKILL'));
  await expect
    .poll(async () => (await leftDirectoriesIn(dirname(directory))).map(({ retriedBy }) => retriedBy))
    .toEqual([retry.pid]);
  // However slow the machine is: it would give up before all is seen.
  retry.kill('SIGSTOP');
  const ended = (): Promise<void> => {
    server.faults.clear();
    retry.kill('SIGCONT');
    return end;
  };
  return { directory, pid: retry.pid ?? 0, url: server.baseUrl, ended };
}

it('list, discard and retry say that it does, and nobody is said not to answer', async () => {
  const { directory, pid, url, ended } = await retrying();

  const list = await runHere(['uploads']);
  const discard = await runHere(['uploads', 'discard', 'left', '--yes']);
  const again = await runHere(['uploads', 'retry']);
  await ended();

  expect(list).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout).toContain(
    `photos at ${url}, which "pailfs uploads retry" (process ${pid}) stores just now (${directory}):\n`,
  );
  expect(list.stdout).toContain('/left');
  const why = `"pailfs uploads retry" (process ${pid}) stores what is in ${directory}: ask again when it has ended`;
  expect(discard).toEqual({ code: 1, stdout: '', stderr: `pailfs: /left is not discarded: ${why}\n` });
  expect(again).toEqual({ code: 1, stdout: '', stderr: `pailfs: /left is not stored: ${why}\n` });
  const notes = (await readdir(dirname(directory))).filter((name) => name.includes('retry'));
  expect(notes).toEqual([]);
});

it('what one that was killed has noted is believed of nobody', async () => {
  const { directory, pid } = await retrying();
  process.kill(pid, 'SIGKILL');
  await expect
    .poll(async () => (await leftDirectoriesIn(dirname(directory))).map(({ isOwned }) => isOwned))
    .toEqual([false]);

  const list = await runHere(['uploads']);

  expect(list.stdout).toContain(`, not mounted (${directory}):\n`);
});

it('what cannot be read of what one has noted is named, and everything is listed and stored all the same', async () => {
  const { server, home } = await openOwnHome();
  const stateHome = join(home, 'state');
  const directory = await leaveBehind(stateHome, ownerAt(server), 'left');
  // Also root, who may read all, cannot read this.
  const note = join(dirname(directory), '9.retry.json');
  await mkdir(note);

  const list = await runHere(['uploads']);
  const retry = await runHere(['uploads', 'retry']);

  const line = `pailfs: whether a "pailfs uploads retry" runs is not known, because ${note} cannot be read (illegal operation on a directory): see whose it is, or remove it when none runs\n`;
  expect(list).toMatchObject({ code: 0, stderr: line });
  expect(list.stdout).toContain('/left');
  expect(retry).toEqual({ code: 0, stdout: 'stored /left\n', stderr: line });
});

it('one that cannot note what it does stores all the same, and says so', async () => {
  const { server, home } = await openOwnHome();
  const stateHome = join(home, 'state');
  const directory = await leaveBehind(stateHome, ownerAt(server), 'left');
  await mkdir(`${directory}.retry.json.new`);

  const retry = await runHere(['uploads', 'retry', '--state-dir', stateHome]);

  expect(retry.code).toBe(0);
  expect(retry.stderr).toMatch(/^pailfs: other commands cannot be told of this retry: .+\n$/);
  expect((await server.direct.headObject(server.bucket, 'left')).size).toBe(0);
});
