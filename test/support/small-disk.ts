/** How does a test get a disk that is soon full? As only root can make one. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';

/** In memory, of so many MiB; gone with the test. */
export async function smallDisk(mebibytes: number): Promise<string> {
  const run = promisify(execFile);
  const directory = await temporaryDirectory();
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'small-disk', directory]);
  onTestFinished(async () => {
    await run('umount', ['--lazy', directory]);
  });
  return directory;
}
