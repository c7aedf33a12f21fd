/** What does a person see of `pailfs uploads` who has changes in several places, one of which cannot be asked? */
import { mkdir, rm, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ClaimSockets } from '../../src/cli/state/claim-sockets.ts';
import type { Controlled } from '../../src/cli/control/control-documents.ts';
import { ControlServer } from '../../src/cli/control/control-server.ts';
import { controlSocketPath } from '../../src/cli/found-mounts/control-sockets.ts';
import { writeRecord } from '../../src/cli/found-mounts/mount-record.ts';
import { ownIdentity } from '../../src/cli/found-mounts/process-identity.ts';
import type { StateOwner } from '../../src/cli/state/state-directory.ts';
import { controlled, STATUS } from '../support/controlled.ts';
import { leaveBehind, leaveSetAside } from '../support/left-behind.ts';
import { openOwnHome, ownerAt, runHere, type OwnHome } from '../support/run-here.ts';
import { unsentChangeOf } from '../support/unsent-change.ts';

interface Scene extends OwnHome {
  /** Those of a mount that was killed with the file `key`. Resolves with its state directory. */
  readonly left: (key: string, owner?: Partial<StateOwner>) => Promise<string>;
  /** One that runs, and has the file `/a`. */
  readonly mounted: (answers?: Partial<Controlled>) => Promise<ControlServer>;
  readonly storedKeys: () => Promise<readonly string[]>;
}

const ENDING = 'the mount is just ending: try again when it has ended';
const OTHERS = { accessKeyId: 'of somebody else' };
/** Nothing may be sent there unencrypted. */
const ELSEWHERE = { baseUrl: 'http://storage.example.com' };

async function arrange(): Promise<Scene> {
  const own = await openOwnHome();
  const { home, server } = own;
  const stateHome = join(home, 'state');
  // Who has no mounts, nor the tests beside this one.
  const uid = 4_100_000_000 + process.pid;
  vi.spyOn(process, 'getuid').mockReturnValue(uid);
  return {
    ...own,
    left: (key, owner = {}) => leaveBehind(stateHome, { ...ownerAt(server), ...owner }, key),
    mounted: async (answers) => {
      const directory = `/tmp/pailfs-${uid}`;
      await mkdir(directory);
      await mkdir(stateHome, { recursive: true });
      onTestFinished(() => rm(directory, { recursive: true }));
      const record = { mountpoint: join(home, 'mnt'), bucket: 'photos', baseUrl: server.baseUrl };
      await writeRecord(directory, {
        ...record,
        ...{ driver: 'kernel', readOnly: false, mayWrite: true, since: '2026-03-04T00:00:00Z' },
        ...{ process: await ownIdentity(), logFile: null, stateDir: stateHome, device: null, unsent: [] },
      });
      const status = { ...STATUS, stateDirectories: [join(stateHome, 'of-the-mount', '1')] };
      const socket = await ControlServer.open(
        controlSocketPath(directory, record.mountpoint, process.pid),
        controlled({
          status: () => Promise.resolve(status),
          uploads: () => Promise.resolve([unsentChangeOf({ id: 'a-of-mount', path: '/a' })]),
          ...answers,
        }),
      );
      onTestFinished(() => socket.close());
      return socket;
    },
    storedKeys: async () => {
      const { objects } = await server.direct.listObjects(server.bucket, { folder: '' });
      return objects.map(({ key }) => key).filter((key) => key !== 'f');
    },
  };
}

/** Another process has the state directory: a mount that says nothing yet, or who stores what is left there. */
async function claim(directory: string): Promise<void> {
  const sockets = await ClaimSockets.open(dirname(directory));
  const claimed = await sockets.claim(basename(directory));
  onTestFinished(async () => {
    await claimed?.release();
    await sockets.close();
  });
}

it('pailfs uploads export has a directory for each of several buckets, and none for a single one [uploads/export]', async () => {
  const { home, left } = await arrange();
  await left('d/a');
  await left('b');
  const [single, several] = [join(home, 'single'), join(home, 'several')];

  const one = await runHere(['uploads', 'export', single]);
  await left('d/a', { bucket: 'music-1234', bucketName: 'music' });
  const two = await runHere(['uploads', 'export', several]);

  expect(linesOf(one.stdout)).toEqual(['b', 'd/a'].map((path) => join(single, path)));
  expect(linesOf(two.stdout)).toEqual(
    ['music/d/a', 'photos/b', 'photos/d/a'].map((path) => join(several, path)),
  );
});

it('pailfs uploads lists what another process stores, though it cannot be asked how far it is', async () => {
  const { left, server } = await arrange();
  const directory = await left('taken');
  await claim(directory);

  const { code, stdout } = await runHere(['uploads']);

  expect(code).toBe(0);
  expect(linesOf(stdout)).toContain(
    `photos at ${server.baseUrl}, in use by a process that does not answer (${directory}):`,
  );
  expect(stdout).toContain('/taken');
  expect(stdout).not.toContain('set aside');
});

it('pailfs uploads says of what was set aside that it is, also where another process has it', async () => {
  const { left } = await arrange();
  const directory = await left('taken');
  await leaveSetAside(directory, 'aside', 'the mount ended before a close or fsync had promised it');
  await claim(directory);

  const { stdout } = await runHere(['uploads']);

  const rows = linesOf(stdout);
  expect(rows.find((row) => row.includes('/aside'))).toContain('set aside');
  expect(rows.find((row) => row.includes('/taken'))).not.toContain('set aside');
});

const refusing = (): Promise<never> => Promise.reject(new Error(ENDING));

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .sort();

describe('pailfs uploads retry', () => {
  it('says of what somebody else has taken meanwhile that he stores it, not why it was not stored before', async () => {
    const { left } = await arrange();
    const taken = await left('taken');
    await claim(taken);
    // As it was when the command looked first.
    vi.spyOn(ClaimSockets.prototype, 'isOwned').mockResolvedValueOnce(false);

    const told = await runHere(['uploads', 'retry']);

    expect(told).toMatchObject({
      code: 1,
      stderr: 'pailfs: /taken is not stored: another process has it now, and stores it: see pailfs uploads\n',
    });
  });

  it('stores what can be stored, and says why the rest cannot be [uploads/each]', async () => {
    const { left, mounted, storedKeys } = await arrange();
    await mounted({ retry: refusing });
    await left('mine');
    const foreign = await left('foreign', OTHERS);

    const told = await runHere(['uploads', 'retry']);

    expect(told).toMatchObject({ code: 1, stdout: 'stored /mine\n' });
    expect(linesOf(told.stderr)).toEqual([
      `pailfs: /a is not stored: ${ENDING}`,
      expect.stringContaining(
        `pailfs: /foreign is not stored: what waits in ${foreign} was written with other credentials`,
      ),
    ]);
    expect(await storedKeys()).toEqual(['mine']);
  });

  it('says of a place of which nobody knows the bucket any more what to do, and stores the rest [uploads/each]', async () => {
    const { left, storedKeys } = await arrange();
    await left('mine');
    const unknown = await left('unknown', OTHERS);
    const about = join(dirname(unknown), 'about.json');
    await truncate(about);

    const told = await runHere(['uploads', 'retry']);

    expect(told).toEqual({
      code: 1,
      stdout: 'stored /mine\n',
      stderr: `pailfs: /unknown is not stored: for which bucket what waits in ${unknown} was written is not known, because ${about} is missing or damaged: mount the bucket as before, which stores it\n`,
    });
    expect(await storedKeys()).toEqual(['mine']);
  });

  it('tells a program so in the list that it prints of every change [uploads/each]', async () => {
    const { left, mounted } = await arrange();
    await mounted({ retry: refusing });
    await left('mine');

    const told = await runHere(['uploads', 'retry', '--json']);

    expect(told.code).toBe(1);
    expect(JSON.parse(told.stdout)).toEqual([
      {
        ...{ mountpoint: expect.any(String) as string, bucket: 'photos' },
        ...{ id: 'a-of-mount', kind: 'upload', path: '/a', isDone: false, storedAs: null, reason: ENDING },
      },
      expect.objectContaining({
        mountpoint: null,
        bucket: 'photos',
        path: '/mine',
        isDone: true,
        reason: null,
      }),
    ]);
  });

  it('stores the others where the settings do not do for one place [uploads/each]', async () => {
    const { left, storedKeys } = await arrange();
    await left('mine');
    await left('elsewhere', ELSEWHERE);

    const told = await runHere(['uploads', 'retry']);

    expect(told).toMatchObject({ code: 1, stdout: 'stored /mine\n' });
    expect(told.stderr).toMatch(
      /^pailfs: \/elsewhere is not stored: --base-url: http:\S+ is not encrypted .*\n$/,
    );
    expect(await storedKeys()).toEqual(['mine']);
  });

  it('is wrong usage where they do for none [uploads/each]', async () => {
    const { left } = await arrange();
    await left('elsewhere', ELSEWHERE);
    vi.stubEnv('PAILFS_SECRET_ACCESS_KEY', '');
    await left('mine');

    const told = await runHere(['uploads', 'retry', '--json']);

    expect(told).toMatchObject({ code: 2, stdout: expect.stringMatching(/^\{"error":/) as string });
    expect(linesOf(told.stderr)).toHaveLength(1);
  });

  it('asks nobody about what is a scratch file alone, and says nothing of it', async () => {
    const { mounted } = await arrange();
    await mounted({
      uploads: () => Promise.resolve([unsentChangeOf({ kind: 'scratch', path: '/.a.swp' })]),
      retry: refusing,
    });

    const all = await runHere(['uploads', 'retry']);
    const named = await runHere(['uploads', 'retry', '.a.swp']);

    expect(all).toEqual({ code: 0, stdout: '', stderr: 'pailfs: there is nothing to do\n' });
    expect(named).toMatchObject({ code: 1, stderr: `pailfs: /.a.swp is not stored: ${ENDING}\n` });
  });

  it('where all that waits is on its way says so: it is not stored', async () => {
    const { mounted } = await arrange();
    await mounted({
      uploads: () => Promise.resolve([unsentChangeOf({ state: 'uploading', path: '/a' })]),
      retry: () => Promise.resolve([]),
    });

    expect(await runHere(['uploads', 'retry'])).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'pailfs: there is nothing to do: what "pailfs uploads" shows is on its way, or open in a program\n',
    });
  });
});

describe('pailfs uploads discard', () => {
  it('says what it has deleted, and why it could not delete the rest [uploads/each]', async () => {
    const { left, mounted } = await arrange();
    await mounted({ discard: refusing });
    await left('mine');
    const taken = await left('taken', OTHERS);
    const sockets = await ClaimSockets.open(dirname(taken));
    const claim = await sockets.claim(basename(taken));
    onTestFinished(async () => {
      await claim?.release();
      await sockets.close();
    });

    const told = await runHere(['uploads', 'discard', '--all', '--yes']);

    expect(told).toMatchObject({ code: 1, stdout: 'discarded /mine\n' });
    expect(linesOf(told.stderr)).toEqual([
      `pailfs: /a is not discarded: ${ENDING}`,
      `pailfs: /taken is not discarded: another process has ${taken}, and does not answer`,
    ]);
  });

  it('says of what a mount has taken meanwhile that it is the one to ask', async () => {
    const { left } = await arrange();
    const taken = await left('taken');
    await claim(taken);
    // As it was when the command looked.
    vi.spyOn(ClaimSockets.prototype, 'isOwned').mockResolvedValueOnce(false);

    const told = await runHere(['uploads', 'discard', 'taken', '--yes']);

    expect(told).toMatchObject({
      code: 1,
      stderr: `pailfs: /taken is not discarded: a mount has taken ${taken}: ask again, and it is asked to discard\n`,
    });
  });
});

describe.each([
  ['retry', 'is not stored'],
  ['discard', 'is not discarded'],
] as const)('pailfs uploads %s, when the mount cannot be asked,', (action, failure) => {
  const words = ['uploads', action, 'a', ...(action === 'discard' ? ['--yes'] : [])];

  it('says why in ordinary words, and where that comes from with --debug', async () => {
    const { mounted } = await arrange();
    await mounted({ [action]: refusing });

    const plain = await runHere(words);
    const debugged = await runHere([...words, '--debug']);

    expect(plain).toEqual({ code: 1, stdout: '', stderr: `pailfs: /a ${failure}: ${ENDING}\n` });
    expect(debugged.stderr).toMatch(/^ {4}at .*\.ts:\d+/m);
  });

  it('says that its process does not answer any more', async () => {
    const { mounted } = await arrange();
    const socket = await mounted({ [action]: () => socket.close().then(refusing) });

    expect(await runHere(words)).toEqual({
      code: 1,
      stdout: '',
      stderr: `pailfs: /a ${failure}: the process that serves the mount does not answer: "pailfs uploads" lists what still waits\n`,
    });
  });
});
