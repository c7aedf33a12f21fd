import { chmod, mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultDriver } from '../../src/fuse/driver-choice.ts';
import type { MountSettings, SettingSources } from '../../src/cli/settings/settings.ts';
import { resolveSettings } from '../../src/cli/settings/settings.ts';
import {
  environmentName,
  flagName,
  settingNames,
  settingRow,
  snakeName,
} from '../../src/cli/settings/settings-table.ts';

const CREDENTIALS = { PAILFS_ACCESS_KEY_ID: 'id', PAILFS_SECRET_ACCESS_KEY: 'hush' };
const ENOUGH = { ...CREDENTIALS, PAILFS_BASE_URL: 'https://storage.example.com' };

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pailfs-settings-'));
});

afterEach(async () => {
  await rm(home, { recursive: true });
});

function resolve(sources: Partial<SettingSources> = {}): Promise<MountSettings> {
  return resolveSettings({
    flags: {},
    mountOptions: [],
    environment: ENOUGH,
    configHome: home,
    stateHome: '/state-home',
    cacheHome: '/cache-home',
    uid: 1000,
    gid: 100,
    ...sources,
  });
}

async function writeConfig(text: string, mode = 0o600): Promise<string> {
  const file = join(home, 'pailfs', 'config.toml');
  await mkdir(join(home, 'pailfs'), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

const usage = (text: string): Error =>
  expect.objectContaining({ exitCode: 2, message: expect.stringContaining(text) as string }) as Error;

describe('settings', () => {
  it('have sensible values when only the service and credentials are given', async () => {
    const settings = await resolve();

    expect(settings).toMatchObject({
      baseUrl: 'https://storage.example.com',
      accessKeyId: 'id',
      secretAccessKey: 'hush',
      metadataTtl: 10_000,
      memoryLimit: 128 * 1024 * 1024,
      stateDir: '/state-home/pailfs',
      visibility: 'preserve',
      conflict: 'keep-both',
      scratch: true,
      renameLimit: 10_000,
      uid: 1000,
      gid: 100,
      umask: 0o022,
      readOnly: false,
      foreground: false,
      driver: defaultDriver(),
    });
  });

  it('give the driver that fits the platform, unless another is asked for', async () => {
    const unasked = await resolve({});
    const asAsked = await resolve({ mountOptions: ['driver=native'] });

    expect(unasked.driver).toBe(defaultDriver());
    expect(asAsked.driver).toBe('native');
  });

  it('come from the flag, else -o, else the environment, else the config file', async () => {
    await writeConfig('[default]\nuid = 4\ngid = 4\nmetadata_ttl = 4\nmemory_limit = "4M"\n');
    const environment = { ...ENOUGH, PAILFS_UID: '3', PAILFS_GID: '3', PAILFS_METADATA_TTL: '3' };

    const settings = await resolve({
      flags: { uid: '1' },
      mountOptions: ['uid=2,gid=2'],
      environment,
    });

    expect(settings).toMatchObject({ uid: 1, gid: 2, metadataTtl: 3000, memoryLimit: 4 * 1024 * 1024 });
  });

  it('treat an empty environment variable as not set', async () => {
    expect((await resolve({ environment: { ...ENOUGH, PAILFS_UID: '' } })).uid).toBe(1000);
  });

  it('take credentials and the service from the profile that is asked for', async () => {
    await writeConfig(
      '[default]\nbase_url = "https://a.example"\n[work]\nbase_url = "https://b.example/"\naccess_key_id = "w"\nsecret_access_key = "s"\n',
    );

    const settings = await resolve({ environment: { PAILFS_PROFILE: 'work' } });

    expect(settings).toMatchObject({ baseUrl: 'https://b.example', accessKeyId: 'w', secretAccessKey: 's' });
  });

  it.each([0o640, 0o604, 0o644, 0o620])('refuse a config file with a secret and mode %o', async (mode) => {
    const file = await writeConfig('[default]\nsecret_access_key = "hush"\n', mode);

    await expect(resolve()).rejects.toThrow(usage(`chmod 600 ${file}`));
  });

  it('accept a readable config file without a secret', async () => {
    await writeConfig('[default]\nuid = 7\n', 0o644);

    expect((await resolve()).uid).toBe(7);
  });

  it.each([
    ['[default]\nuit = 7\n', '[default]: there is no setting uit'],
    ['[default]\nprofile = "x"\n', 'there is no setting profile'],
    ['uid = 7\n', 'uid stands outside a profile: put it under [default]'],
    ['[default]\nuid = 7\n[work\n', 'is not valid TOML: line 3: '],
    ['[default]\numask = "9"\n', '[default] umask must be an octal number'],
    ['[default]\nread_only = [true]\n', 'read_only must be true or false'],
  ])('name what is wrong in the config file %j', async (text, complaint) => {
    await writeConfig(text);

    await expect(resolve()).rejects.toThrow(usage(complaint));
  });

  it.each(settingNames.filter((name) => settingRow(name).notInConfigFile !== true))(
    'name file and key, in one line, when %s is of the wrong type in the config file',
    async (name) => {
      for (const wrong of ['{ a = 1 }', '[[1]]', '1979-05-27', '-1.5', 'nan']) {
        const file = await writeConfig(`[default]\n${snakeName(name)} = ${wrong}\n`);

        const outcome = resolve({ environment: {} });

        await expect(outcome).rejects.toThrow(usage(`config file ${file} [default] ${snakeName(name)} must`));
        await expect(outcome).rejects.not.toThrow(/\n/);
      }
    },
  );

  it('do not repeat the text of a broken config file, which may hold the secret', async () => {
    await writeConfig('[default]\nsecret_access_key = "hush\n');

    await expect(resolve()).rejects.not.toThrow('hush');
  });

  it('need the config file and the profile that were asked for', async () => {
    await writeConfig('[default]\nuid = 1\n');

    await expect(resolve({ flags: { config: join(home, 'none') } })).rejects.toThrow(usage('does not exist'));
    await expect(resolve({ flags: { profile: 'work' } })).rejects.toThrow(
      usage('has no profile work: it has default'),
    );
  });

  it.each([
    [{ uid: 'me' }, '--uid must be a user or group number, such as 1000 (given: "me")'],
    [{ renameLimit: '1.5' }, '--rename-limit must be a whole number from 0 to 1000000000, such as 10000'],
    [{ scratch: 'maybe' }, '--scratch must be on or off (given: "maybe")'],
    [{ metadataTtl: '-1' }, '--metadata-ttl must be a number of seconds'],
    [{ metadataTtl: '' }, '--metadata-ttl must be a number of seconds'],
    [{ memoryLimit: '0' }, '--memory-limit must be a size such as 256M'],
    [{ visibility: 'secret' }, '--visibility must be preserve, private or public'],
    [{ conflict: 'merge' }, '--conflict must be keep-both, fail or overwrite'],
    [{ umask: '1777' }, '--umask must be an octal number'],
    [{ driver: 'other' }, '--driver must be kernel or native'],
    [{ baseUrl: 'storage.example.com' }, '--base-url must be a web address such as https://'],
    [{ baseUrl: 'ftp://storage.example.com' }, '--base-url must be a web address such as https://'],
    [{ baseUrl: 'https://id:hush@storage.example.com' }, 'must not hold credentials'],
    [{ baseUrl: 'https://storage.example.com/?a' }, 'must end before any "?"'],
    [{ baseUrl: 'https://storage.example.com/?' }, '--base-url must be a web address such as https://'],
    [{ baseUrl: 'https:///storage.example.com' }, '--base-url must be a web address such as https://'],
    [{ baseUrl: 'https://storage.example.com/my files' }, '--base-url must have spaces and letters'],
    [{ baseUrl: 'https://storage.example.com/a\nb' }, '--base-url must have spaces and letters'],
    [{ baseUrl: 'https://storage.example.com/fotos-größe' }, '--base-url must have spaces and letters'],
  ])('refuse %j by name', async (flags, complaint) => {
    await expect(resolve({ flags })).rejects.toThrow(usage(complaint));
  });

  it.each([
    ['HTTPS://Storage.Example.com', 'https://storage.example.com'],
    ['https://storage.example.com:443//', 'https://storage.example.com'],
    ['https://storage.example.com:8443/A/%2F../b/', 'https://storage.example.com:8443/A/%2F../b'],
  ])('know the service of %s by one address, for what waits there', async (baseUrl, address) => {
    expect((await resolve({ flags: { baseUrl } })).baseUrl).toBe(address);
  });

  it('do not repeat a password in an address', async () => {
    const flags = { baseUrl: 'https://id:hush@storage.example.com' };

    await expect(resolve({ flags })).rejects.not.toThrow('hush');
  });

  it('know that Basic authentication cannot carry a colon in the id', async () => {
    const environment = { ...ENOUGH, PAILFS_ACCESS_KEY_ID: 'a:b' };

    await expect(resolve({ environment })).rejects.toThrow(
      usage('environment PAILFS_ACCESS_KEY_ID must not contain a colon'),
    );
  });

  it.each([
    ['PAILFS_BASE_URL', 'address of the storage service is not set: give --base-url, set PAILFS_BASE_URL'],
    [
      'PAILFS_ACCESS_KEY_ID',
      'access key id is not set: set PAILFS_ACCESS_KEY_ID, or access_key_id in the config',
    ],
    ['PAILFS_SECRET_ACCESS_KEY', 'secret access key is not set: set PAILFS_SECRET_ACCESS_KEY'],
  ])('say what to do when %s is missing', async (name, complaint) => {
    const environment = { ...ENOUGH, [name]: undefined };

    await expect(resolve({ environment })).rejects.toThrow(usage(complaint));
  });

  it.each([
    ['address of the storage service', { ...CREDENTIALS }],
    ['secret access key', { ...ENOUGH, PAILFS_SECRET_ACCESS_KEY: undefined }],
  ])('say of a missing %s that the config file has other profiles alone', async (what, environment) => {
    const file = await writeConfig('[work]\nbase_url = "https://storage.example.com"\n[home]\n');

    await expect(resolve({ environment })).rejects.toThrow(usage(`${what} is not set`));
    await expect(resolve({ environment })).rejects.toThrow(
      usage(`(config file ${file} has no [default], but work, home: choose with --profile)`),
    );
  });

  it.each(['inf', '-inf', 'nan'])(
    'repeat a number of the config file as it stands there: %s',
    async (text) => {
      await writeConfig(`[default]\nmetadata_ttl = ${text}\n`);

      await expect(resolve()).rejects.toThrow(usage(`(given: ${text})`));
    },
  );

  it.each(['http://localhost:1', 'http://127.0.0.1:1', 'http://127.9.9.9', 'http://[::1]:81'])(
    'accept unencrypted %s, which does not leave the machine',
    async (baseUrl) => {
      expect((await resolve({ flags: { baseUrl } })).baseUrl).toBe(baseUrl);
    },
  );

  it.each([
    'http://storage.example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.evil',
  ])('refuse unencrypted %s unless it is allowed', async (baseUrl) => {
    await expect(resolve({ flags: { baseUrl } })).rejects.toThrow(usage('--allow-insecure'));
    expect((await resolve({ flags: { baseUrl, allowInsecure: true } })).baseUrl).toBe(baseUrl);
  });

  it.each([
    ['4096', 4096],
    ['1k', 1024],
    ['1.5G', 1.5 * 1024 ** 3],
    ['2MiB', 2 * 1024 ** 2],
    ['2MB', 2 * 1024 ** 2],
  ])('read the size %s as %d bytes', async (memoryLimit, bytes) => {
    expect((await resolve({ flags: { memoryLimit } })).memoryLimit).toBe(bytes);
  });

  it.each([
    [{ flags: { bucketAdmin: true } }, '--bucket-admin needs --all-buckets: add that'],
    [{ mountOptions: ['bucket_admin'] }, '-o bucket_admin needs --all-buckets: add that'],
  ])('refuse to let a mount of one bucket make and remove buckets: %j', async (sources, complaint) => {
    await expect(resolve(sources)).rejects.toThrow(usage(complaint));
    const environment = { ...ENOUGH, PAILFS_ALL_BUCKETS: 'on' };
    expect(await resolve({ ...sources, environment })).toMatchObject({ bucketAdmin: true, allBuckets: true });
  });

  it('let a config file say of the mounts of all buckets what does not concern this one', async () => {
    await writeConfig('[default]\nbucket_admin = true\n');

    expect((await resolve()).allBuckets).toBe(false);
    expect((await resolve({ flags: { bucketAdmin: false } })).bucketAdmin).toBe(false);
  });

  it('read a umask as octal wherever it stands', async () => {
    await writeConfig('[default]\numask = 0o027\n');

    expect((await resolve()).umask).toBe(0o027);
    expect((await resolve({ mountOptions: ['umask=077'] })).umask).toBe(0o077);
  });

  it('never repeat a secret that is not valid', async () => {
    await writeConfig('[default]\nsecret_access_key = 12345\n');

    await expect(resolve({ environment: {} })).rejects.not.toThrow('12345');
  });

  it('answer any text for any setting with a value or one line of complaint', async () => {
    const names = settingNames.filter((name) => name !== 'config' && name !== 'profile');

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.string(), async (name, text) => {
        try {
          await resolve({ environment: { ...ENOUGH, [environmentName(name)]: text } });
        } catch (error) {
          expect(error).toMatchObject({ exitCode: 2 });
          expect((error as Error).message).not.toMatch(/hush/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the names of a setting', () => {
  it('are one name in four notations', () => {
    expect([flagName('metadataTtl'), snakeName('metadataTtl'), environmentName('metadataTtl')]).toEqual([
      '--metadata-ttl',
      'metadata_ttl',
      'PAILFS_METADATA_TTL',
    ]);
  });

  it('are unique after -o, aliases included', () => {
    const names = settingNames.flatMap((name) => [snakeName(name), ...(settingRow(name).aliases ?? [])]);

    expect(new Set(names).size).toBe(names.length);
  });
});
