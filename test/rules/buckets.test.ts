/** What does a person at a shell get of buckets, and when not? (§3.1, §4.2 to §4.5, §7, §8) */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AccountService } from '../../src/server/account-service.ts';
import type { Outcome } from '../support/command-line.ts';
import { CommandLine } from '../support/command-line.ts';
import { STRANGER, uploadOf } from '../support/embedded-service.ts';
import { loseBookmark, openShell, SHELL_SERVICES, type ShellScene } from './scene.ts';

const A_SIZE_TO_NOTICE = 'twelve bytes';

/** As a list that is asked for just before a bucket goes: it shows what there is now for ever. */
async function keepList({ server }: ShellScene): Promise<void> {
  const page = await server.direct.listBuckets({ limit: 100 });
  const list = vi.spyOn(AccountService.prototype, 'listBuckets');
  list.mockResolvedValue({ ...page, nextPage: null });
  onTestFinished(() => {
    list.mockRestore();
  });
}

const NAME_RULE =
  'a name has 3 to 40 lowercase letters, digits and hyphens, and begins and ends with a letter or digit';

function refusal(name: string, reason: string): Outcome {
  return { code: 1, stdout: '', stderr: `pailfs: bucket ${name} is not created: ${reason}\n` };
}

const answered = (words: string): string => `the service answered 400: ${words}`;

describe.each(SHELL_SERVICES)('buckets of %s', (_service, behaviours) => {
  it('are listed, with what the account may have', async () => {
    const { server, at } = await openShell(behaviours);
    await server.direct.putObject(server.bucket, 'f', uploadOf(A_SIZE_TO_NOTICE));
    for (const name of ['films', 'music']) await server.direct.createBucket(name);

    const { stdout } = await at.run(['bucket', 'list', '--json']);

    const { buckets, summary } = JSON.parse(stdout) as { buckets: { name: string }[]; summary: unknown };
    expect(buckets.map(({ name }) => name).sort()).toEqual(['films', 'music', 'photos']);
    expect(summary).toEqual({
      usedBytes: 12,
      limitBytes: null,
      bucketCount: 3,
      bucketLimit: 50,
      maxObjectSizeBytes: 1_073_741_824,
      createBlockedReason: null,
    });
  });

  it('are listed with the reason why no more can be created', async () => {
    const { server, at } = await openShell(behaviours);
    server.store.changeAccount({ gracePeriod: true });

    expect((await at.run(['bucket', 'list'])).stdout).toMatch(
      /^no bucket can be created: the account is in a grace period$/m,
    );
  });

  it('are shown with status and content', async () => {
    const { server, at } = await openShell(behaviours);
    await server.direct.putObject(server.bucket, 'f', uploadOf(A_SIZE_TO_NOTICE));

    const { code, stdout } = await at.run(['bucket', 'info', 'photos', '--json']);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'photos',
      status: 'ACTIVE',
      statusMessage: null,
      sizeBytes: 12,
      objectCount: 1,
    });
  });

  it('are shown with what they are while they are not ACTIVE, and so listed', async () => {
    const { server, at } = await openShell(behaviours);
    await server.store.changeBucket(server.bucket, { status: 'MOVING', statusMessage: 'until noon' });

    const info = await at.run(['bucket', 'info', 'photos']);
    const list = await at.run(['bucket', 'list']);

    expect([info.code, list.code]).toEqual([0, 0]);
    expect(info.stdout).toMatch(/^status +MOVING \(until noon\)$/m);
    expect(list.stdout).toMatch(/^NAME .* MESSAGE\nphotos .* MOVING .* until noon\n/);
  });

  it('are there once they are created', async () => {
    const { server, at } = await openShell(behaviours);

    const { code, stdout } = await at.run(['bucket', 'create', 'music', '--json']);

    expect(code).toBe(0);
    const { bucket } = JSON.parse(stdout) as { readonly bucket: string };
    expect(await server.direct.getBucket(bucket)).toMatchObject({ name: 'music', objectCount: 0 });
  });

  it('are gone once they are deleted, and all their files with them', async () => {
    const { server, at } = await openShell(behaviours);
    await server.direct.putObject(server.bucket, 'f', uploadOf('x'));

    const deleted = await at.run(['bucket', 'delete', 'photos', '--yes']);

    expect(deleted.code).toBe(0);
    expect((await server.direct.listBuckets()).summary.bucketCount).toBe(0);
    await expect(server.direct.headObject(server.bucket, 'f')).rejects.toMatchObject({ kind: 'missing' });
  });

  it('do not exist when somebody has deleted them', async () => {
    const scene = await openShell(behaviours);
    await keepList(scene);
    await scene.server.direct.deleteBucket(scene.server.bucket);

    expect(await scene.at.run(['bucket', 'info', 'photos'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'pailfs: bucket photos cannot be shown: it does not exist\n',
    });
  });

  it('do not exist for another account', async () => {
    const scene = await openShell(behaviours);
    await keepList(scene);
    const other = await CommandLine.open({ ...scene.server, credentials: STRANGER });

    expect(await other.run(['bucket', 'info', 'photos'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'pailfs: bucket photos cannot be shown: it does not exist\n',
    });
  });

  it.each(['Abc', 'a_c'])('are not created with other characters: %s', async (name) => {
    const { at } = await openShell(behaviours);

    expect(await at.run(['bucket', 'create', name])).toEqual(
      refusal(name, answered(`the name is not valid: ${NAME_RULE}`)),
    );
  });

  it.each(['-abc', 'abc-'])('are not created with a hyphen at an end: %s', async (name) => {
    const { at } = await openShell(behaviours);

    expect(await at.run(['bucket', 'create', '--', name])).toEqual(
      refusal(name, answered(`the name is not valid: ${NAME_RULE}`)),
    );
  });

  it('are created though another account has one of that name', async () => {
    const { server, at } = await openShell(behaviours);
    await server.store.account('stranger').createBucket('music');

    expect(await at.run(['bucket', 'create', 'music'])).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([2, 41])('are not created with a name of %s characters', async (length) => {
    const { at } = await openShell(behaviours);
    const name = 'x'.repeat(length);

    expect(await at.run(['bucket', 'create', name])).toEqual(
      refusal(name, answered(`the name is not valid: ${NAME_RULE}`)),
    );
  });

  it.each([3, 40])('are created with a name of %s characters', async (length) => {
    const { at } = await openShell(behaviours);

    expect(await at.run(['bucket', 'create', 'x'.repeat(length)])).toMatchObject({ code: 0, stderr: '' });
  });

  it('are not created twice with one name', async () => {
    const { at } = await openShell(behaviours);

    expect(await at.run(['bucket', 'create', 'photos'])).toEqual(
      refusal('photos', 'this account has a bucket of that name already'),
    );
  });

  it('are not created in a grace period', async () => {
    const { server, at } = await openShell(behaviours);
    server.store.changeAccount({ gracePeriod: true });

    expect(await at.run(['bucket', 'create', 'music'])).toEqual(
      refusal('music', answered('the account is in a grace period')),
    );
  });

  it('are not created without a running service, when there is none yet', async () => {
    const { server, at } = await openShell(behaviours);
    await server.direct.deleteBucket(server.bucket);
    server.store.changeAccount({ runningService: false });

    expect(await at.run(['bucket', 'create', 'music'])).toEqual(
      refusal('music', answered('the account needs a running service')),
    );
  });

  it('are 50 at most', async () => {
    const { server, at } = await openShell(behaviours);
    for (let n = 1; n < 50; n += 1) await server.direct.createBucket(`bucket-${n}`);

    expect(await at.run(['bucket', 'create', 'music'])).toEqual(
      refusal(
        'music',
        `this account has 50 buckets, and 50 is the most: delete one first (${answered('the account already has 50 buckets')})`,
      ),
    );
  });
});

describe.each(SHELL_SERVICES.slice(1))('buckets in several pages, of %s', (_service, behaviours) => {
  it('are all listed', async () => {
    const { server, at } = await openShell(behaviours);
    for (const name of ['films', 'music']) await server.direct.createBucket(name);

    expect((await at.run(['bucket', 'list'])).stdout).toMatch(/^films .*\nmusic .*\nphotos .*\n3 of 50/m);
  });

  it('are all listed, each once, when a bookmark is not valid any more', async () => {
    const { server, at } = await openShell(behaviours);
    for (const name of ['films', 'music']) await server.direct.createBucket(name);
    loseBookmark();

    const { stdout, stderr } = await at.run(['bucket', 'list']);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^NAME .*\nfilms .*\nmusic .*\nphotos .*\n3 of 50/);
  });
});
