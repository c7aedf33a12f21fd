/** What does `pailfs doctor` find wrong, and what does it say to do? On real mounts: test/mount/cli-doctor.test.ts. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../src/cli/doctor/check.ts';
import { mountsFinding, roomFinding } from '../../src/cli/doctor/local-checks.ts';
import { checkMachine, type MachineParts } from '../../src/cli/doctor/machine-checks.ts';
import { Authority } from '../support/certificates.ts';
import { CommandLine, type Launch, type Outcome } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openTlsFront } from '../support/tls-front.ts';
import type { StoreOptions } from '../../src/server/embedded-store.ts';

interface Scene {
  readonly server: EmbeddedServer;
  readonly at: CommandLine;
  /** What the doctor says of one thing. */
  readonly finding: (check: string, words?: readonly string[], launch?: Launch) => Promise<Check>;
}

async function arrange(options: StoreOptions = {}): Promise<Scene> {
  const server = await startEmbeddedServer(options);
  await server.direct.putObject(server.bucket, 'a/b/c.txt', uploadOf('some text'));
  const at = await CommandLine.open(server);
  const finding: Scene['finding'] = async (check, words = [], launch = {}) => {
    const outcome = await at.run(['doctor', '--json', ...words], launch);
    return checkNamed(outcome, check);
  };
  return { server, at, finding };
}

function checkNamed({ stdout }: Outcome, name: string): Check {
  const found = (JSON.parse(stdout) as readonly Check[]).find(({ check }) => check === name);
  if (found === undefined) throw new Error(`no check ${name} in ${stdout}`);
  return found;
}

const saying = (text: string | RegExp): string => expect.stringMatching(text) as string;

describe('pailfs doctor where all is well', () => {
  it('says so, a line a check, and ends with 0', async () => {
    const { at } = await arrange();

    // Whoever runs the tests may have a dead mount of their own.
    const namespaceSetup = 'umount -l -a -t fuse.pailfs';
    const { code, stdout, stderr } = await at.run(['doctor'], { namespaceSetup });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^CHECK +STATE +WHAT$/);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/)[0])).toEqual([
      ...['settings', 'fuse device', 'fusermount', 'allow_other', 'updatedb'],
      ...['cache directory', 'state directory', 'mounts', 'not stored'],
      ...['base URL', 'credential', 'Range', 'clock'],
    ]);
    expect(stdout).toMatch(/^base URL +ok +http:\/\/127\.0\.0\.1:\d+ answers$/m);
    expect(stdout).toMatch(/^Range +ok +honoured/m);
    expect(stdout).toMatch(/^clock +ok /m);
    expect(stdout.replaceAll(at.home, 'HOME')).toMatch(/^state directory +ok +HOME\S+: .* free of /m);
  });

  it('asks the service only for what a credential that may read can have (§4)', async () => {
    const { server, at } = await arrange();
    server.requests.reset();

    await at.run(['doctor']);

    const asked = new Set(server.requests.operations);
    expect([...asked].sort()).toEqual(['getObject', 'listBuckets', 'listObjects']);
  });

  it('says that no read tells whether the credential may write (§5)', async () => {
    const { server, at, finding } = await arrange();
    const { accessKeyId, secretAccessKey } = server.readOnlyCredentials;
    const environment = { PAILFS_ACCESS_KEY_ID: accessKeyId, PAILFS_SECRET_ACCESS_KEY: secretAccessKey };

    for (const launch of [{}, { environment }]) {
      const credential = await finding('credential', [], launch);
      expect(credential).toMatchObject({
        state: 'ok',
        says: saying(/may read \(1 bucket\).*reading cannot tell/),
      });
    }
    expect((await at.run(['doctor', '--json'], { environment })).stdout).not.toContain(secretAccessKey);
  });

  it('says all of a line on a narrow terminal, broken between words: the remedy is at its end', async () => {
    const { at } = await arrange({ behaviours: { date: 3600 } });

    const { stdout } = await at.run(['doctor'], { typed: '' });

    const lines = stdout.split('\r\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout.replaceAll(/\r\n +/g, ' ')).toMatch(
      /^clock +warning +this machine is .* set its clock \(e\.g\. "timedatectl set-ntp true"\)\r?$/m,
    );
  });
});

describe('the doctor on the settings', () => {
  it('names what is missing, looks at this machine all the same, and ends with 1', async () => {
    const { at } = await arrange();

    const outcome = await at.run(['doctor', '--json'], { environment: { PAILFS_BASE_URL: undefined } });

    expect(outcome).toMatchObject({ code: 1, stderr: '' });
    expect(checkNamed(outcome, 'settings')).toMatchObject({
      state: 'broken',
      says: saying('PAILFS_BASE_URL'),
    });
    expect(checkNamed(outcome, 'state directory')).toMatchObject({ state: 'ok' });
    expect(checkNamed(outcome, 'base URL')).toMatchObject({ state: 'unknown' });
  });

  it('names the fault of a config file that cannot be used', async () => {
    const { at } = await arrange();
    await mkdir(join(at.home, 'config', 'pailfs'), { recursive: true });
    await writeFile(join(at.home, 'config', 'pailfs', 'config.toml'), '[default\n', { mode: 0o600 });

    const outcome = await at.run(['doctor', '--json']);

    expect(outcome).toMatchObject({ code: 1, stderr: '' });
    expect(checkNamed(outcome, 'settings').says).toMatch(/config\.toml is not valid TOML/);
    expect(checkNamed(outcome, 'this machine')).toMatchObject({ state: 'unknown' });
  });

  it('ends with 2 for a flag that does not exist', async () => {
    const { at } = await arrange();

    expect(await at.run(['doctor', '--fix'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('the doctor on the service', () => {
  it('says that nobody listens, and asks nothing more', async () => {
    const { at } = await arrange();

    const outcome = await at.run(['doctor', '--json', '--base-url', 'http://127.0.0.1:1']);

    expect(outcome.code).toBe(1);
    expect(checkNamed(outcome, 'base URL')).toMatchObject({
      state: 'broken',
      says: saying('nothing listens at 127.0.0.1 port 1; start the service, or check --base-url'),
    });
    for (const check of ['credential', 'Range', 'clock']) {
      expect(checkNamed(outcome, check)).toMatchObject({ state: 'unknown' });
    }
  });

  it('says that the credentials are refused, and still compares the clocks', async () => {
    const { at } = await arrange({ behaviours: { date: -3600 } });

    const outcome = await at.run(['doctor', '--json'], {
      environment: { PAILFS_SECRET_ACCESS_KEY: 'wrong' },
    });

    expect(outcome.code).toBe(1);
    expect(checkNamed(outcome, 'credential')).toMatchObject({
      state: 'broken',
      says: saying(/refuses the credentials \(401\): check PAILFS_ACCESS_KEY_ID/),
    });
    expect(checkNamed(outcome, 'Range')).toMatchObject({ state: 'unknown' });
    expect(checkNamed(outcome, 'clock')).toMatchObject({
      state: 'warning',
      says: saying(/this machine is 60 min ahead of the service.*set its clock/),
    });
  });

  it('says how far apart the clocks are as people count', async () => {
    const { finding } = await arrange({ behaviours: { date: 365 * 86_400 } });

    const says = saying(/this machine is 365 days behind the service/);
    expect(await finding('clock')).toMatchObject({ state: 'warning', says });
  });

  it('does not know the time of a service that sends no Date', async () => {
    const { finding } = await arrange({ behaviours: { date: 'missing' } });

    expect(await finding('clock')).toMatchObject({ state: 'unknown' });
  });

  it.each(['ignored', 'refused'] as const)('warns when Range is %s', async (range) => {
    const { finding } = await arrange({ behaviours: { range } });

    expect(await finding('Range')).toMatchObject({
      state: 'warning',
      says: saying(`^${range}: .* leave --cache on disk`),
    });
  });

  it('does not know about Range where there is no file to read', async () => {
    const { server, finding } = await arrange();
    await server.direct.putObject(server.bucket, 'a/b/c.txt', uploadOf('x'));

    expect(await finding('Range')).toMatchObject({ state: 'unknown', says: saying('no file') });
  });

  it('says why no bucket can be created', async () => {
    const { server, finding } = await arrange();
    server.store.changeAccount({ gracePeriod: true });

    expect(await finding('credential')).toMatchObject({ state: 'warning', says: saying('grace period') });
  });
});

describe('the doctor on a certificate', () => {
  it('trusts that of the authority that is given, and warns when it ends soon', async () => {
    const { server, finding } = await arrange();
    const authority = await Authority.make();
    const pair = await authority.issue('front', 'IP:127.0.0.1');
    const front = await openTlsFront({ target: server.baseUrl, pair, prefix: '/gate' });

    const words = ['--base-url', front];

    expect(await finding('base URL', [...words, '--ca-file', authority.file])).toMatchObject({
      state: 'warning',
      says: saying(/answers over TLSv1\.\d, and its certificate is trusted, but only for \d days? more/),
    });
    expect(await finding('base URL', words)).toMatchObject({
      state: 'broken',
      says: saying(
        /certificate is not trusted \(.*\): check --base-url, or name its authority with --ca-file/,
      ),
    });
  });
});

describe('the doctor on this machine', () => {
  async function machine(change: Partial<MachineParts['machine']> = {}, allowOther = false) {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, 'fuse'), '');
    const parts: MachineParts = {
      machine: {
        device: join(folder, 'fuse'),
        configuration: join(folder, 'fuse.conf'),
        isRoot: false,
        hasProgram: () => Promise.resolve(true),
        ...change,
      },
      updatedbFile: join(folder, 'updatedb.conf'),
      wanted: { allowOther, driver: 'kernel' },
    };
    const state = async (name: string): Promise<Check> => {
      const found = (await checkMachine(parts)).find(({ check }) => check === name);
      if (found === undefined) throw new Error(`no check ${name}`);
      return found;
    };
    return { folder, parts, state };
  }

  it('misses the device, and fusermount unless root mounts', async () => {
    const hasProgram = (): Promise<boolean> => Promise.resolve(false);
    const user = await machine({ device: '/nowhere/fuse', hasProgram });
    const root = await machine({ isRoot: true, hasProgram });

    expect(await user.state('fuse device')).toMatchObject({
      state: 'broken',
      says: saying('sudo modprobe fuse'),
    });
    expect(await user.state('fusermount')).toMatchObject({ state: 'broken', says: saying('package fuse3') });
    expect(await root.state('fusermount')).toMatchObject({ state: 'ok' });
  });

  it('misses user_allow_other only when other users are to be let in', async () => {
    const alone = await machine();
    const open = await machine({}, true);

    expect(await alone.state('allow_other')).toMatchObject({ state: 'ok', says: saying('user_allow_other') });
    expect(await open.state('allow_other')).toMatchObject({
      state: 'broken',
      says: saying('user_allow_other'),
    });
    await writeFile(join(open.folder, 'fuse.conf'), '# text\nuser_allow_other\n');
    expect(await open.state('allow_other')).toMatchObject({ state: 'ok' });
  });

  it.each([
    ['ok', 'PRUNEFS = "NFS nfs4 fuse.pailfs proc"'],
    ['ok', 'PRUNEPATHS="/tmp"\nPRUNEFS="FUSE.PAILFS"'],
    ['warning', 'PRUNEFS="NFS nfs4 fuse.sshfs proc"'],
    ['warning', '# PRUNEFS="fuse.pailfs"'],
  ])('finds %s an updatedb with %s', async (state, text) => {
    const { parts, state: stateOf } = await machine();
    await writeFile(parts.updatedbFile, `${text}\n`);

    expect(await stateOf('updatedb')).toMatchObject({ state });
  });

  it('finds nothing wrong with a machine that has no updatedb', async () => {
    expect(await (await machine()).state('updatedb')).toMatchObject({ state: 'ok' });
  });
});

describe('the doctor on the local directories', () => {
  const place = (what: string) => ({ what, setting: '--some-dir', path: '/some' });

  it('finds no room where a twentieth of the disk is all that is free', () => {
    const full = { free: 4_900_000, total: 100_000_000 };

    expect(roomFinding(place('state directory'), full)).toMatchObject({
      state: 'broken',
      says: saying(/4\.9 MB free of 100 MB, and 5 MB stay free .* --some-dir$/),
    });
    expect(roomFinding(place('cache directory'), full)).toMatchObject({ state: 'warning' });
    expect(roomFinding(place('state directory'), { ...full, free: 5_100_000 })).toMatchObject({
      state: 'ok',
    });
  });

  it('only warns of a mount that does not answer, and counts those that serve', () => {
    const all = { mounted: 3, dead: [], silent: [], outOfSight: 0 };

    expect(mountsFinding({ ...all, silent: ['/mnt/a', '/mnt/b'] })).toMatchObject({
      state: 'warning',
      says: 'no answer comes from /mnt/a, /mnt/b: "pailfs status --json" names the log',
    });
    expect(mountsFinding({ ...all, outOfSight: 1 })).toMatchObject({
      state: 'ok',
      says: '2 mounts, none dead; 1 mount of other users cannot be looked at',
    });
  });

  it('does not look at a cache directory that is not used', async () => {
    const { finding } = await arrange();

    expect(await finding('cache directory', ['--cache', 'memory'])).toMatchObject({
      state: 'ok',
      says: 'not used: cache is memory',
    });
  });

  it('warns that a state directory that was named is not there, and of none that was not', async () => {
    const { at, finding } = await arrange();
    const state = join(at.home, 'disk', 'state');

    expect(await finding('not stored', ['--state-dir', state])).toMatchObject({
      state: 'warning',
      says: saying(`^the state directory ${state} does not exist, so`),
    });
    expect(await finding('not stored', ['--cache-dir', join(at.home, 'disk')])).toMatchObject({
      state: 'warning',
      says: saying('^the cache directory .* choose another with --cache-dir$'),
    });
    await mkdir(join(at.home, 'disk'));
    expect(await finding('not stored', ['--cache-dir', join(at.home, 'disk')])).toMatchObject({
      state: 'ok',
    });
  });

  it('finds a path that cannot be a directory broken', async () => {
    const { at, finding } = await arrange();
    await writeFile(join(at.home, 'file'), '');
    await chmod(join(at.home, 'file'), 0o700);

    for (const path of ['file', 'file/below']) {
      expect(await finding('state directory', ['--state-dir', join(at.home, path)])).toMatchObject({
        state: 'broken',
        says: saying('choose another with --state-dir$'),
      });
    }
  });
});
