/** Who unmounts beside others, or just before the next mount, hears how it ended, too. */
import { readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';

it('two that unmount at once both say what could not be stored [write/unmount]', async () => {
  const server = await startEmbeddedServer();
  const at = await CommandLine.open(server);
  await at.run(['mount', 'photos', at.mountpoint]);
  server.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
  await expect(writeFile(join(at.mountpoint, 'a.txt'), 'unsent')).rejects.toThrow();
  server.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'stall' } });
  const first = at.run(['unmount', at.mountpoint, '--timeout', '10']);
  await expect.poll(() => at.isMounted()).toBe(false);

  const outcomes = await Promise.all([first, at.run(['unmount', at.mountpoint, '--timeout', '10'])]);

  for (const { code, stderr } of outcomes) {
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^pailfs: \/a\.txt could not be uploaded \(.*, 6 B\): its bytes are kept in \S+$/m,
    );
  }
  expect(await at.run(['unmount', at.mountpoint])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^pailfs: nothing is mounted at /) as string,
  });
});

it('a deletion that waits is not called an upload', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'a.txt', uploadOf('stored'));
  const at = await CommandLine.open(server);
  await at.run(['mount', 'photos', at.mountpoint, '--write-back']);
  await readdir(at.mountpoint);
  server.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'stall' } });
  await unlink(join(at.mountpoint, 'a.txt'));

  const { code, stderr } = await at.run(['unmount', at.mountpoint, '--leave-pending']);

  expect(code).toBe(1);
  expect(stderr).toMatch(/^pailfs: \/a\.txt is not deleted yet: there was no time left$/m);
  expect(stderr).not.toContain('could not be uploaded');
});
