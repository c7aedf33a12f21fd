/** SEMANTICS: a mount with --write-back that is killed before anything of what it promised has reached the service. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine, goneProcess } from '../support/command-line.ts';
import { bytesOf, startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';

const FILES = 30;

it('the next mount stores every file that was closed, and deletes what was unlinked [write-back/crash]', async () => {
  const server = await startEmbeddedServer();
  const { direct, bucket, faults } = server;
  await direct.putObject(bucket, 'old', uploadOf('old'));
  const at = await CommandLine.open(server);
  expect((await at.run(['mount', 'photos', at.mountpoint, '--write-back'])).code).toBe(0);
  const pid = await at.servingProcess();
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'stall' } });
  faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'stall' } });

  for (let file = 0; file < FILES; file += 1)
    await writeFile(join(at.mountpoint, `f${file}`), `content of ${file}`);
  await rm(join(at.mountpoint, 'old'));
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);
  faults.clear();
  expect((await at.run(['mount', 'photos', at.mountpoint, '--write-back'])).code).toBe(0);

  expect((await readdir(at.mountpoint)).length).toBe(FILES);
  expect(await at.run(['unmount', at.mountpoint])).toMatchObject({ code: 0 });
  for (let file = 0; file < FILES; file += 1) {
    const { body } = await direct.getObject(bucket, `f${file}`);
    expect((await bytesOf(body)).toString()).toBe(`content of ${file}`);
  }
  await expect(direct.headObject(bucket, 'old')).rejects.toMatchObject({ kind: 'missing' });
});
