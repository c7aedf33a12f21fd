/** What does a person at a shell see of a command, without a process of its own? For what is tried with every command. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import type { StateOwner } from '../../src/cli/state/state-directory.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from './embedded-service.ts';
import { removeDirectory } from './remove-directory.ts';

export interface OwnHome {
  /** Has the file `local`. */
  readonly home: string;
  /** Its bucket has the file `f`. */
  readonly server: EmbeddedServer;
}

/** Nobody has this number, and so no mounts: `uploads discard --all` shall not be about those of whoever runs the tests. */
const NOBODY_ELSE = 4_123_456_789;

/** The environment of this process is that of somebody who has a home and a service. Until the end of the test. */
export async function openOwnHome(): Promise<OwnHome> {
  const home = await mkdtemp(join(tmpdir(), 'pailfs-home-'));
  const user = vi.spyOn(process, 'getuid').mockReturnValue(NOBODY_ELSE);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    user.mockRestore();
    await removeDirectory(home);
  });
  await writeFile(join(home, 'local'), 'bytes');
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'f', uploadOf('bytes'));
  for (const [name, value] of Object.entries({
    HOME: home,
    PAILFS_STATE_DIR: join(home, 'state'),
    PAILFS_CACHE_DIR: join(home, 'cache'),
    PAILFS_BASE_URL: server.baseUrl,
    PAILFS_ACCESS_KEY_ID: server.credentials.accessKeyId,
    PAILFS_SECRET_ACCESS_KEY: server.credentials.secretAccessKey,
  })) {
    vi.stubEnv(name, value);
  }
  return { home, server };
}

/** Of a mount of its bucket. */
export function ownerAt({ baseUrl, credentials, bucket }: EmbeddedServer): StateOwner {
  return { baseUrl, accessKeyId: credentials.accessKeyId, bucket, bucketName: 'photos' };
}

/** What follows each command that asks a service, so that it works in such a home. */
export const ASKING: Readonly<Record<string, (home: OwnHome) => readonly string[]>> = {
  'bucket list': () => [],
  'bucket create': () => ['music'],
  'bucket info': () => ['photos'],
  'bucket delete': () => ['photos', '--yes'],
  ls: () => ['photos:f'],
  put: ({ home }) => [join(home, 'local'), 'photos:'],
  get: ({ home }) => ['photos:f', join(home, 'fetched')],
  rm: () => ['photos:f'],
  link: () => ['photos:f'],
  publish: () => ['photos:f'],
  unpublish: () => ['photos:f'],
};

/** The words after `pailfs`. */
export async function runHere(
  words: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const told = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      told[stream] += String(text);
      return true;
    }),
  );
  try {
    return { code: await run(words), ...told };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
