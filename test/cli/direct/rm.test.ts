/** What does a person get from `pailfs rm`? (§4.10) */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../../support/embedded-service.ts';
import { ManualClock } from '../../support/manual-clock.ts';

async function keysIn({ direct, bucket }: EmbeddedServer, folder: string): Promise<readonly string[]> {
  const { folders, objects } = await direct.listObjects(bucket, { folder });
  return [...folders, ...objects.map(({ key }) => key)];
}

async function withFolder(): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer();
  for (const key of ['docs/a', 'docs/in/b', 'docs/in/deep/c', 'other']) {
    await server.direct.putObject(server.bucket, key, uploadOf('four'));
  }
  await server.direct.createFolder(server.bucket, 'docs/empty');
  return server;
}

describe('pailfs rm', () => {
  it('deletes files, and says which were not there', async () => {
    const server = await withFolder();
    const at = await CommandLine.open(server);

    expect(await at.run(['rm', 'photos:docs/a', 'photos:nothing', 'photos:docs', 'photos:other'])).toEqual({
      code: 1,
      stdout: 'deleted photos:docs/a\ndeleted photos:other\n',
      stderr:
        'pailfs: photos:nothing is not deleted: it does not exist\npailfs: photos:docs is not deleted: it is a folder: add -r\n',
    });
    expect(await keysIn(server, '')).toEqual(['docs/']);
  });

  it('deletes a folder with all that is in it when --yes says so', async () => {
    const server = await withFolder();
    const at = await CommandLine.open(server);

    expect(await at.run(['rm', '-r', '--yes', 'photos:docs'])).toMatchObject({ code: 0, stderr: '' });
    expect(await keysIn(server, '')).toEqual(['other']);
  });

  it('deletes neither of a file and a folder of one name before it is said which', async () => {
    const server = await withFolder();
    await server.direct.putObject(server.bucket, 'docs', uploadOf('four'));
    const at = await CommandLine.open(server);

    expect(await at.run(['rm', '-r', '--yes', 'photos:docs', 'photos:other'])).toEqual({
      code: 1,
      stdout: 'deleted photos:other\n',
      stderr:
        'pailfs: photos:docs is not deleted: it is a file and a folder: add / for the folder, or leave out -r\n',
    });
    expect(await keysIn(server, '')).toEqual(['docs/', 'docs']);

    await at.run(['rm', 'photos:docs']);
    expect(await keysIn(server, '')).toEqual(['docs/']);
  });

  it.each([
    ['nobody is there to agree', {}, 2],
    ['a person says no', { typed: 'n\n' }, 1],
  ])('deletes no folder when %s', async (_case, launch, code) => {
    const server = await withFolder();
    const at = await CommandLine.open(server);

    const outcome = await at.run(['rm', '-r', 'photos:docs/'], launch);

    expect(outcome.code).toBe(code);
    expect(outcome.stdout + outcome.stderr).toContain('photos:docs/ holds 3 files (12 B)');
    expect(await keysIn(server, 'docs')).toHaveLength(3);
  });

  it('says how far it came when Ctrl-C ends it, and ends by it', async () => {
    const clock = new ManualClock(Date.now());
    clock.holdSleeps = true;
    const server = await startEmbeddedServer({ clock });
    const keys = Array.from({ length: 40 }, (_, n) => `docs/${n}`);
    for (const key of keys) await server.direct.putObject(server.bucket, key, uploadOf('x'));
    // Seven are deleted at once, the others as the clock goes: however slow the machine is, they are not all gone before the signal.
    const held = { kind: 'delay', milliseconds: 1 } as const;
    server.faults.add({ operation: 'deleteObject', skip: 7, times: Infinity, fault: held });
    const at = await CommandLine.open(server);
    const child = at.start(['rm', '-r', '--yes', '--json', 'photos:docs', 'photos:other']);
    const told = { stdout: '', stderr: '' };
    child.stdout?.on('data', (data: Buffer) => (told.stdout += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (told.stderr += data.toString()));
    const end = once(child, 'close');

    await expect.poll(() => server.requests.count('deleteObject')).toBe(15);
    child.kill('SIGINT');
    // What is under way is waited for; an answer may come before it has heard of the signal, and begin some more.
    const answering = setInterval(() => {
      clock.advance(1);
    }, 20);
    const ended = await end;
    clearInterval(answering);

    const left = (await keysIn(server, 'docs')).length;
    const reason = `interrupted (${40 - left} of its 40 files were deleted)`;
    expect(ended).toEqual([null, 'SIGINT']);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(40);
    expect(told.stderr).toBe(`pailfs: photos:docs is not deleted: ${reason}\n`);
    expect(JSON.parse(told.stdout)).toEqual([{ what: 'photos:docs', isDone: false, reason }]);
  });

  it('says how far it came when the service refuses to go on', async () => {
    const server = await withFolder();
    const denied = { kind: 'status', status: 403 } as const;
    server.faults.add({ operation: 'deleteObject', skip: 1, times: Infinity, fault: denied });
    const at = await CommandLine.open(server);

    const { code, stderr } = await at.run(['rm', '-r', '--yes', 'photos:docs']);

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^pailfs: photos:docs is not deleted: .*\(403\).* \(1 of its 3 files were deleted\)\n$/,
    );
  });

  it('says so when the service keeps the folder, or may not be changed', async () => {
    const server = await startEmbeddedServer({ behaviours: { deleteFolder: 'ignored' } });
    await server.direct.createFolder(server.bucket, 'docs');
    await server.direct.putObject(server.bucket, 'docs/a', uploadOf('x'));
    const at = await CommandLine.open(server);
    const reader = await CommandLine.open({ ...server, credentials: server.readOnlyCredentials });

    const denied = await reader.run(['rm', 'photos:docs/a']);
    const kept = await at.run(['rm', '-r', '--yes', 'photos:docs']);

    expect(denied.stderr).toMatch(
      /^pailfs: photos:docs\/a is not deleted: these credentials may not do that .*\n$/,
    );
    expect(kept).toMatchObject({ code: 1, stdout: '' });
    expect(kept.stderr).toMatch(
      /^pailfs: photos:docs is not deleted: its files are deleted, but .* shows docs\/: .*\n$/,
    );
    expect(await keysIn(server, 'docs')).toEqual([]);
  });
});
