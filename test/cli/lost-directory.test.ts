/** What does a person hear whose shell stands in a directory that is not there any more? */
import { expect, it, onTestFinished, vi } from 'vitest';
import { openOwnHome, runHere } from '../support/run-here.ts';

/** As Node says it, whoever is asked for a path from there. */
function loseDirectory(): void {
  const lost = Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), {
    code: 'ENOENT',
    syscall: 'uv_cwd',
  });
  const directory = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw lost;
  });
  onTestFinished(() => {
    directory.mockRestore();
  });
}

it.each([
  ['mount', 'photos', 'mnt'],
  ['unmount', 'mnt'],
  ['status', 'mnt'],
  ['uploads', 'mnt'],
])('%s says so, and calls it no fault of pailfs', async (...words) => {
  await openOwnHome();
  loseDirectory();

  const outcome = await runHere(words);

  expect(outcome).toMatchObject({
    code: 1,
    stderr: 'pailfs: the directory that you are in is not there any more: change to another, and try again\n',
  });
});
