/** A directory of one test, gone when the test has ended. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeDirectory } from './remove-directory.ts';

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pailfs-test-'));
  onTestFinished(() => removeDirectory(directory));
  return directory;
}
