/** SEMANTICS: a mount that is killed in the middle of the rename of a folder, and the next one. */
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine, goneProcess } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { namesBelow } from '../model/service-contents.ts';

const FILES = 30;

it.each(['kernel', 'native'])(
  'the next mount finishes the rename of a folder that the end of the %s one has cut [rename/crash]',
  async (driver) => {
    const server = await startEmbeddedServer();
    const { direct, bucket, faults, requests } = server;
    for (let file = 0; file < FILES; file += 1)
      await direct.putObject(bucket, `from/deep/${file}`, uploadOf(`content of ${file}`));
    const at = await CommandLine.open(server);
    await at.run(['mount', 'photos', at.mountpoint, '--driver', driver]);
    const pid = await at.servingProcess();
    // It waits for ever for this one, with others on their way.
    faults.add({ operation: 'putObject', key: 'to/deep/20', fault: { kind: 'stall' } });

    const renaming = rename(join(at.mountpoint, 'from'), join(at.mountpoint, 'to')).catch(() => undefined);
    await expect.poll(() => requests.count('deleteObject')).toBeGreaterThan(5);
    process.kill(pid, 'SIGKILL');
    await goneProcess(pid);
    await renaming;
    faults.clear();
    const outcome = await at.run(['mount', 'photos', at.mountpoint, '--driver', driver]);

    expect(outcome.code).toBe(0);
    // Copies under way are nobody's unsent files.
    expect(outcome.stderr).not.toContain('set aside');
    // Waits for what is under way there.
    await mkdir(join(at.mountpoint, 'to/new'));
    expect(await readdir(at.mountpoint)).toEqual(['to']);
    expect((await readdir(join(at.mountpoint, 'to/deep'))).length).toBe(FILES);
    expect(await readFile(join(at.mountpoint, 'to/deep/20'), 'utf8')).toBe('content of 20');
    const { files } = await namesBelow(direct, bucket, '');
    expect([...files].every((key) => key.startsWith('to/deep/')) && files.size).toBe(FILES);
  },
);
