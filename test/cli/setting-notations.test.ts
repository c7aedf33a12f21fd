/** May a setting be written in each way that docs/CONFIGURATION.md says, wherever it stands? */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { resolveSettings, type MountSettings } from '../../src/cli/settings/settings.ts';

const ENOUGH = {
  PAILFS_ACCESS_KEY_ID: 'id',
  PAILFS_SECRET_ACCESS_KEY: 'hush',
  PAILFS_BASE_URL: 'https://storage.example.com',
};

interface Given {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The config file. */
  readonly config?: string;
}

async function resolved({ flags = {}, environment = ENOUGH, config = '' }: Given): Promise<MountSettings> {
  const home = await mkdtemp(join(tmpdir(), 'pailfs-notations-'));
  onTestFinished(() => rm(home, { recursive: true }));
  await mkdir(join(home, 'pailfs'));
  await writeFile(join(home, 'pailfs', 'config.toml'), config, { mode: 0o600 });
  const directories = { configHome: home, stateHome: '/state-home', cacheHome: '/cache-home' };
  return resolveSettings({ flags, mountOptions: [], environment, ...directories, uid: 1000, gid: 100 });
}

it.each([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
])('a switch is %s in the environment', async (word, isOn) => {
  const { readOnly } = await resolved({ environment: { ...ENOUGH, PAILFS_READ_ONLY: word } });

  expect(readOnly).toBe(isOn);
});

it.each([
  ['metadata_ttl = 0.5', { metadataTtl: 500 }],
  ['memory_limit = 1048576', { memoryLimit: 1024 ** 2 }],
  ['cache_size = "2T"', { cacheSize: 2 * 1024 ** 4 }],
  ['memory_limit = "8M"', { memoryLimit: 8 * 1024 ** 2 }],
  ['read_only = true', { readOnly: true }],
  ['state_dir = "~/unsent"', { stateDir: join(homedir(), 'unsent') }],
])('the config file may say %s', async (line, expected) => {
  expect(await resolved({ config: `[default]\n${line}\n` })).toMatchObject(expected);
});

it('a path may begin with ~/ after a flag, too', async () => {
  expect((await resolved({ flags: { cacheDir: '~/cached' } })).cacheDir).toBe(join(homedir(), 'cached'));
});

it('a profile takes nothing from another', async () => {
  const config = '[default]\nmetadata_ttl = 5\nread_only = true\n[work]\nmetadata_ttl = 7\n';

  const work = await resolved({ config, flags: { profile: 'work' } });

  expect(work).toMatchObject({ metadataTtl: 7000, readOnly: false });
});
