/** `pailfs unmount` while a file goes up whose program was killed in its close: nothing keeps the mount busy, and the upload goes on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { DEFAULT_DRIVER } from '../support/drivers.ts';
import { bytesOf, startEmbeddedServer, type EmbeddedServer } from '../support/embedded-service.ts';

interface Scene {
  readonly server: EmbeddedServer;
  readonly at: CommandLine;
}

/** `a.txt` goes up, and nobody waits for it any more. */
async function killedInItsClose(): Promise<Scene> {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  await at.run(['mount', 'photos', at.mountpoint]);
  server.faults.add({ operation: 'putObject', fault: { kind: 'stall' } });
  const program = spawn('sh', ['-c', 'printf unsent > "$1"', 'sh', join(at.mountpoint, 'a.txt')]);
  const ended = once(program, 'exit');
  await expect.poll(() => server.requests.count('putObject')).toBe(1);
  program.kill('SIGKILL');
  await ended;
  return { server, at };
}

describe.skipIf(DEFAULT_DRIVER !== 'kernel')(
  'pailfs unmount, after a program was killed in its close,',
  () => {
    it.each([['--timeout', '0.5'], ['--leave-pending']])(
      'leaves to the next mount what goes up: %s [unmount/leave]',
      async (...flags) => {
        const { server, at } = await killedInItsClose();

        const outcome = await at.run(['unmount', at.mountpoint, ...flags]);
        await at.run(['mount', 'photos', at.mountpoint]);

        expect(outcome.code).toBe(1);
        expect(outcome.stderr).toMatch(
          /^pailfs: \/a\.txt could not be uploaded \(.*, 6 B\): its bytes are kept in \S+$/m,
        );
        expect(outcome.stderr).not.toContain('programs');
        const bytes = async (): Promise<string> => {
          const object = await server.direct.getObject(server.bucket, 'a.txt').catch(() => null);
          return object === null ? '' : (await bytesOf(object.body)).toString();
        };
        await expect.poll(bytes, { timeout: 5000 }).toBe('unsent');
      },
    );
  },
);
