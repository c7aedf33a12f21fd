/** A directory of one test, gone when the test has ended. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pailfs-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
