/** Is what a mount left outside of the usual place found by who does not say where that is? With real mounts: test/mount/cli-uploads-elsewhere.test.ts. */
import { mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { CommandError } from '../../src/cli/command-error.ts';
import { shellWord } from '../../src/cli/screen/shell-word.ts';
import { resolveStateHomes, type SettingSources, type StateHomes } from '../../src/cli/settings/settings.ts';
import { claimStateDirectory, type StateDirectory } from '../../src/cli/state/state-directory.ts';
import { leavePointer, pointedHomes, removeIdlePointers } from '../../src/cli/state/state-pointers.ts';
import { findUnsentPlaces, type FoundPlaces } from '../../src/cli/uploads/unsent-places.ts';
import { discardLeftIn } from '../../src/filesystem/left-behind/changes-left.ts';
import { leaveBehind } from '../support/left-behind.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const OWNER = {
  baseUrl: 'https://storage.example.com',
  accessKeyId: 'id',
  bucket: 'b-1',
  bucketName: 'photos',
};
/** Nobody has this number, and so no mounts. */
const NOBODY_ELSE = 4_123_456_789;
const clock = new ManualClock(0);

let top: string;
let defaultStateDir: string;

beforeEach(async () => {
  top = await temporaryDirectory();
  defaultStateDir = join(top, 'usual', 'pailfs');
  const user = vi.spyOn(process, 'getuid').mockReturnValue(NOBODY_ELSE);
  onTestFinished(() => {
    user.mockRestore();
  });
});

/** A mount that keeps its bytes in `stateDir`, and is ready. */
async function begun(stateDir: string): Promise<StateDirectory> {
  const state = await claimStateDirectory(stateDir, OWNER);
  await leavePointer({ stateDir, defaultStateDir });
  return state;
}

/** One that was killed with a file. */
async function killed(stateDir: string, key = 'a.txt'): Promise<void> {
  await leaveBehind(stateDir, OWNER, key);
  await leavePointer({ stateDir, defaultStateDir });
}

const look = (named?: string): Promise<FoundPlaces> =>
  findUnsentPlaces({
    mountpoint: undefined,
    homes: { named, written: writtenAs(named), defaultStateDir },
    clock,
  });

const writtenAs = (path: string | undefined): StateHomes['written'] =>
  path === undefined ? undefined : { what: 'state directory', setting: '--state-dir', path };

const pathsIn = ({ places }: FoundPlaces): (string | null)[] =>
  places.flatMap(({ changes }) => changes.map(({ path }) => path));

const pointers = (): Promise<string[]> => readdir(join(defaultStateDir, 'elsewhere'));

const at = (name: string): string => join(top, name);

describe('what a mount left elsewhere [uploads/elsewhere]', () => {
  it('is found, beside what is in the usual place; where a place is named only what is there', async () => {
    await killed(defaultStateDir, 'usual');
    await killed(at('one'), 'in one');
    await killed(at('two'), 'in two');

    expect(pathsIn(await look()).sort()).toEqual(['/in one', '/in two', '/usual']);
    expect(pathsIn(await look(at('one')))).toEqual(['/in one']);
    expect(pathsIn(await look(defaultStateDir))).toEqual(['/usual']);
    expect((await look()).unseen).toEqual([]);
  });

  it('is pointed to by a file that only its owner may look at', async () => {
    await killed(at('one'));

    const directory = join(defaultStateDir, 'elsewhere');
    const [pointer = ''] = await pointers();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, pointer))).mode & 0o777).toBe(0o600);
  });

  it.each(['a b', "it's", 'two\nlines', '日本', '-rf'])(
    'is found whatever the place is called: %j',
    async (name) => {
      await killed(at(name));

      expect(pathsIn(await look())).toEqual(['/a.txt']);
    },
  );

  it('is listed once under several spellings of the place', async () => {
    await killed(at('one'));
    await symlink(at('one'), at('link'));
    await killed(`${top}/./link`);

    const { places } = await look();

    expect(places.map(({ changes }) => changes.length)).toEqual([2]);
    expect(await pointers()).toHaveLength(1);
  });

  it('is listed once where the usual place is a link to it', async () => {
    await killed(at('one'));
    await rename(defaultStateDir, at('moved'));
    await rename(join(at('moved'), 'elsewhere'), join(at('one'), 'elsewhere'));
    await symlink(at('one'), defaultStateDir);

    expect((await look()).places).toHaveLength(1);
    await killed(at('one'));
    expect(await pointers()).toHaveLength(1);
  });

  it('is listed once where one place is inside the other', async () => {
    await killed(join(defaultStateDir, 'work'), 'in work');
    await killed(join(defaultStateDir, 'work', 'state'), 'deeper');
    await killed(defaultStateDir, 'usual');

    expect(pathsIn(await look()).sort()).toEqual(['/deeper', '/in work', '/usual']);
  });

  it('is found when the process was killed while it wrote where it is, and another one came', async () => {
    await mkdir(join(defaultStateDir, 'elsewhere'), { recursive: true });
    for (const text of ['', '"/half', '7']) {
      await writeFile(join(defaultStateDir, 'elsewhere', `${text.length}.json`), text);
    }
    await killed(at('one'));

    expect(pathsIn(await look())).toEqual(['/a.txt']);
  });
});

describe('the pointer to another place [uploads/elsewhere]', () => {
  it('is one, however many mounts were killed there', async () => {
    for (const key of ['a', 'b', 'c']) await killed(at('one'), key);

    expect(await pointers()).toHaveLength(1);
    expect(pathsIn(await look())).toHaveLength(3);
  });

  it('goes when a mount ends that leaves nothing, and stays when it leaves something', async () => {
    for (const name of ['one', 'two']) await (await begun(at(name))).release();
    await killed(at('two'));

    for (const name of ['one', 'two'])
      await removeIdlePointers({ stateDir: at(name), defaultStateDir }, clock);

    expect((await pointedHomes(defaultStateDir)).map(({ path }) => path)).toEqual([at('two')]);
  });

  it('stays while another mount has a directory there', async () => {
    const [first, second] = [await begun(at('one')), await begun(at('one'))];
    await first.release();

    await removeIdlePointers({ stateDir: at('one'), defaultStateDir }, clock);
    await look();

    expect(await pointers()).toHaveLength(1);
    await second.release();
    await removeIdlePointers({ stateDir: at('one'), defaultStateDir }, clock);
    expect(await pointers()).toEqual([]);
  });

  it('goes when somebody looks and nothing waits there any more', async () => {
    await killed(at('one'));
    const [place] = (await look()).places;
    if (place?.owner.kind !== 'left') throw new Error('nothing is left');
    const ids = place.changes.map(({ id }) => id);
    await discardLeftIn(place.owner.directory.path, ids, { clock, log: silentLog });

    const named = await look(at('one'));
    expect(await pointers()).toHaveLength(1);
    const found = await look();

    expect([pathsIn(named), pathsIn(found)]).toEqual([[], []]);
    expect(await pointers()).toEqual([]);
  });

  it('stays for a mount that begins while another one ends there', async () => {
    for (let round = 0; round < 30; round += 1) {
      const first = await begun(at('one'));
      const [, second] = await Promise.all([
        first.release().then(() => removeIdlePointers({ stateDir: at('one'), defaultStateDir }, clock)),
        begun(at('one')),
        look(),
      ]);
      expect(await pointers()).not.toEqual([]);
      await second.release();
    }
  });

  it.each([
    ['is gone', (home: string) => rename(home, `${home}.away`), 'nothing of pailfs is there'],
    [
      'is an empty directory, whose disk is missing',
      async (home: string) => {
        await rename(home, `${home}.away`);
        await mkdir(home);
      },
      'nothing of pailfs is there',
    ],
    [
      'has become a file',
      async (home: string) => {
        await rename(home, `${home}.away`);
        await writeFile(home, '');
      },
      'not a directory',
    ],
  ])('stays where the place %s, which is said', async (_, takeAway, reason) => {
    const home = at('my disk');
    await killed(home);
    await takeAway(home);

    const { places, unseen } = await look();

    const [pointer = ''] = (await pointers()).map((name) => join(defaultStateDir, 'elsewhere', name));
    expect(places).toEqual([]);
    expect(unseen).toEqual([
      `a mount may have left bytes in ${home}, which cannot be looked into (${reason}): see whether its disk is there, or run "rm ${shellWord(pointer)}" to have it forgotten`,
    ]);
    await rm(home, { recursive: true, force: true });
    await rename(`${home}.away`, home);
    expect(pathsIn(await look())).toEqual(['/a.txt']);
  });

  it('is not left for the usual place', async () => {
    await (await begun(defaultStateDir)).release();

    expect(await readdir(defaultStateDir)).not.toContain('elsewhere');
  });
});

describe('the one place to look at is named [uploads/elsewhere]', () => {
  const homesWith = async (given: Partial<SettingSources>, config = ''): Promise<string | undefined> => {
    await mkdir(at('pailfs'));
    await writeFile(join(at('pailfs'), 'config.toml'), config, { mode: 0o600 });
    const homes = await resolveStateHomes({
      flags: {},
      mountOptions: [],
      environment: {},
      configHome: top,
      stateHome: '/state-home',
      cacheHome: '/cache-home',
      uid: 1000,
      gid: 100,
      ...given,
    });
    expect(homes.defaultStateDir).toBe('/state-home/pailfs');
    return homes.named;
  };

  it.each<[string, Partial<SettingSources>, string?]>([
    ['a flag', { flags: { stateDir: '/named' } }],
    ['the environment', { environment: { PAILFS_STATE_DIR: '/named' } }],
    ['a profile', { flags: { profile: 'big' } }, '[big]\nstate_dir = "/named"\n'],
  ])('by %s', async (_, given, config) => {
    expect(await homesWith(given, config)).toBe('/named');
  });

  it('by where the cache is', async () => {
    expect(await homesWith({ environment: { PAILFS_CACHE_DIR: '/named' } })).toBe('/named/state');
  });

  it('and is not there: it is not said that everything is stored', async () => {
    const error = (await look(at('missing')).catch((reason: unknown) => reason)) as CommandError;

    expect(error.exitCode).toBe(1);
    expect(error.message.replaceAll(top, 'TOP')).toMatch(
      /^the state directory TOP\/missing does not exist, so whether/,
    );
  });

  it('by nothing, where only other things are set', async () => {
    const config = '[default]\ncache_size = "1G"\n[big]\nstate_dir = "/named"\n';

    expect(await homesWith({}, config)).toBeUndefined();
  });
});
