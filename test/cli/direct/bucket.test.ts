/** What does a person get from `pailfs bucket`? (§4.2 to §4.5) */
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../../support/embedded-service.ts';

describe('pailfs bucket list', () => {
  it('shows the buckets of all pages, and how many there may be', async () => {
    const server = await startEmbeddedServer({ behaviours: { pages: 'nasty' } });
    for (let n = 0; n < 9; n += 1) await server.direct.createBucket(`bucket-${n}`);
    await server.direct.putObject(server.bucket, 'a.txt', uploadOf('twelve bytes'));
    const at = await CommandLine.open(server);

    const { code, stdout, stderr } = await at.run(['bucket', 'list']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(12);
    expect(lines[0]).toMatch(/^NAME +IDENTIFIER +STATUS +FILES +SIZE +CREATED$/);
    expect(stdout).toMatch(/^photos +photos-[0-9a-f]{8} +ACTIVE +1 +12 B +\d{4}-/m);
    expect(lines.at(-1)).toMatch(/^10 of 50 buckets, 12 B in all; sizes and counts are \d+ s old at most$/);
  });

  it('says why no bucket can be created', async () => {
    const server = await startEmbeddedServer();
    server.store.changeAccount({ gracePeriod: true });
    const at = await CommandLine.open(server);

    const { stdout } = await at.run(['bucket', 'list']);

    expect(stdout).toContain('no bucket can be created: the account is in a grace period\n');
  });

  it('is one JSON document for programs', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);

    const { stdout } = await at.run(['bucket', 'list', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({
      buckets: [{ bucket: server.bucket, name: 'photos', sizeBytes: 0, objectCount: 0 }],
      summary: { bucketCount: 1, bucketLimit: 50, usedBytes: 0, createBlockedReason: null },
    });
  });

  it('fits the terminal', async () => {
    const server = await startEmbeddedServer();
    await server.direct.createBucket('a-bucket-whose-name-is-as-long-as-can-be');
    const at = await CommandLine.open(server);

    const { code, stdout } = await at.run(['bucket', 'list'], { typed: '' });

    expect(code).toBe(0);
    expect(Math.max(...stdout.split(/\r?\n/).map((line) => line.length))).toBe(80);
  });
});

describe('pailfs bucket create and info', () => {
  it('make a bucket and show it', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);

    const created = await at.run(['bucket', 'create', 'music', '--json']);
    const shown = await at.run(['bucket', 'info', 'music']);

    const { bucket } = JSON.parse(created.stdout) as { readonly bucket: string };
    expect((await server.direct.getBucket(bucket)).name).toBe('music');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(`identifier  ${bucket}\n`);
    expect(shown.stdout).toMatch(/^content {5}0 files, 0 B \(counted \d+ s ago\)$/m);
  });

  it.each([
    ['a name that is taken', 'photos', 'this account has a bucket of that name already'],
    [
      'a name that is not allowed',
      'No_Good',
      'the service answered 400: the name is not valid: a name has 3 to 40 lowercase letters, digits and hyphens, and begins and ends with a letter or digit',
    ],
  ])('tell of %s in one line', async (_case, name, reason) => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);

    expect(await at.run(['bucket', 'create', name])).toEqual({
      code: 1,
      stdout: '',
      stderr: `pailfs: bucket ${name} is not created: ${reason}\n`,
    });
  });

  it('tell of an account that has as many as it may', async () => {
    const server = await startEmbeddedServer();
    for (let n = 1; n < 50; n += 1) await server.direct.createBucket(`bucket-${n}`);
    const at = await CommandLine.open(server);

    expect(await at.run(['bucket', 'create', 'music'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'pailfs: bucket music is not created: this account has 50 buckets, and 50 is the most: delete one first (the service answered 400: the account already has 50 buckets)\n',
    });
  });

  it('tell which of the reasons it is where the service says no more than 400', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    const refusal = { kind: 'status', status: 400 } as const;
    server.faults.add({ operation: 'createBucket', times: 4, fault: refusal });

    const unknown = await at.run(['bucket', 'create', 'music']);
    const taken = await at.run(['bucket', 'create', 'photos']);
    server.store.changeAccount({ gracePeriod: true });
    const blocked = await at.run(['bucket', 'create', 'music']);
    server.faults.add({ operation: 'listBuckets', fault: { kind: 'status', status: 403 } });
    const notLookedUp = await at.run(['bucket', 'create', 'music']);

    const line = /^pailfs: bucket music is not created: the service answered 400[^\n]*\n$/;
    expect(unknown.stderr).toMatch(line);
    expect(taken.stderr).toBe(
      'pailfs: bucket photos is not created: this account has a bucket of that name already\n',
    );
    expect(blocked.stderr).toMatch(line);
    expect(blocked.stderr).toMatch(/: the account is in a grace period\n$/);
    expect(notLookedUp.stderr).toBe(unknown.stderr);
  });

  it('tell of a grace period, of credentials that may only read, and of an answer that was lost', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    const reader = await CommandLine.open({ ...server, credentials: server.readOnlyCredentials });

    server.faults.add({ operation: 'createBucket', fault: { kind: 'lost-answer' } });
    const lost = await at.run(['bucket', 'create', 'music']);
    server.store.changeAccount({ gracePeriod: true });
    const blocked = await at.run(['bucket', 'create', 'films']);
    const denied = await reader.run(['bucket', 'create', 'films']);

    expect(lost).toMatchObject({ code: 1, stdout: '' });
    expect(lost.stderr).toMatch(
      /^pailfs: whether bucket music is created is not known \("pailfs bucket list" tells\): .+\n$/,
    );
    expect(blocked.stderr).toBe(
      'pailfs: bucket films is not created: the service answered 400: the account is in a grace period\n',
    );
    expect(denied).toMatchObject({ code: 1, stdout: '' });
    expect(denied.stderr).toMatch(
      /^pailfs: bucket films is not created: these credentials may not do that \(40[13]\): use credentials that may write\n$/,
    );
  });

  it('tell of credentials that are wrong, which is not that they may only read', async () => {
    const server = await startEmbeddedServer();
    const credentials = { ...server.credentials, secretAccessKey: 'wrong' };
    const at = await CommandLine.open({ ...server, credentials });

    const { code, stderr } = await at.run(['bucket', 'create', 'music']);

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^pailfs: bucket music is not created: the service refuses the credentials \(401\): check PAILFS_ACCESS_KEY_ID .*\n$/,
    );
  });

  it('tell of a conflict, and show a trace only with --debug', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    server.faults.add({ operation: 'createBucket', times: 2, fault: { kind: 'status', status: 409 } });

    const plain = await at.run(['bucket', 'create', 'music']);
    const debugged = await at.run(['bucket', 'create', 'music', '--debug']);

    expect(plain).toMatchObject({ code: 1, stdout: '' });
    expect(plain.stderr).toMatch(/^pailfs: bucket music is not created: the service answered 409.*\n$/);
    expect(debugged.stderr).toMatch(/^ +at .*refused\.ts/m);
  });

  it.each([['list'], ['info', 'photos'], ['create', 'music'], ['delete', 'photos', '--yes']])(
    'log each request with --debug: %s',
    async (...words) => {
      const at = await CommandLine.open(await startEmbeddedServer());

      const { code, stderr } = await at.run(['bucket', ...words, '--debug']);

      expect(code).toBe(0);
      expect(stderr).toMatch(/ DEBUG: A request was answered /);
    },
  );

  it('tell of a bucket that is not there, and of another account', async () => {
    const server = await startEmbeddedServer();
    await server.store.account('stranger').createBucket('theirs');
    const at = await CommandLine.open(server);

    expect(await at.run(['bucket', 'info', 'theirs'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `pailfs: there is no bucket theirs at ${server.baseUrl}: this account has photos\n`,
    });
  });
});

describe('pailfs bucket delete', () => {
  it('deletes a bucket with its files when --yes says so', async () => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'a.txt', uploadOf('bytes'));
    const at = await CommandLine.open(server);

    expect(await at.run(['bucket', 'delete', 'photos', '--yes'])).toEqual({
      code: 0,
      stdout: `deleted bucket photos (${server.bucket})\n`,
      stderr: '',
    });
    expect((await server.direct.listBuckets()).buckets).toEqual([]);
  });

  it('deletes nothing when nobody is there to agree', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);

    const { code, stderr } = await at.run(['bucket', 'delete', 'photos']);

    expect(code).toBe(2);
    expect(stderr).toContain('pailfs: nobody is here to agree to delete bucket photos: add --yes\n');
    expect((await server.direct.listBuckets()).buckets).toHaveLength(1);
  });

  it.each([
    ['does nothing when another name is typed', 'photo\n', 1, 1],
    ['does nothing when only Enter is pressed', '\n', 1, 1],
    ['deletes when the name is typed', 'photos\n', 0, 0],
  ])('on a terminal shows what goes, and %s', async (_case, typed, code, left) => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'a.txt', uploadOf('twelve bytes'));
    const at = await CommandLine.open(server);

    const outcome = await at.run(['bucket', 'delete', 'photos'], { typed });

    expect(outcome.stdout).toMatch(/holds 1 file, 12 B \(counted \d+ s ago\)/);
    expect(outcome.code).toBe(code);
    expect((await server.direct.listBuckets()).buckets).toHaveLength(left);
  });

  it.each([
    [401, /these credentials may not do that \(401\)/],
    [409, /the service answered 409/],
  ])('tells of a refusal (%s) in one line', async (status, reason) => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    server.faults.add({ operation: 'deleteBucket', times: 3, fault: { kind: 'status', status } });

    const { code, stderr } = await at.run(['bucket', 'delete', 'photos', '--yes']);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^pailfs: bucket photos is not deleted: .*\n$/);
    expect(stderr).toMatch(reason);
  });

  it('is done when the answer was lost and the bucket is gone', async () => {
    const server = await startEmbeddedServer();
    const at = await CommandLine.open(server);
    server.faults.add({ operation: 'deleteBucket', fault: { kind: 'lost-answer' } });

    expect((await at.run(['bucket', 'delete', 'photos', '--yes'])).code).toBe(0);
    expect((await server.direct.listBuckets()).buckets).toEqual([]);
  });
});
