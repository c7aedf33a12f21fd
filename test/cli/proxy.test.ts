/** The service is reached through a proxy: the one that is named, or the one that the environment names for every program. */
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { findBucket } from '../../src/cli/connecting/connect.ts';
import { openService } from '../../src/cli/connecting/open-service.ts';
import { checkService } from '../../src/cli/doctor/service-checks.ts';
import { resolveSettings, type MountSettings } from '../../src/cli/settings/settings.ts';
import type { HttpService } from '../../src/client/http-service.ts';
import { Authority } from '../support/certificates.ts';
import { ConnectProxy } from '../support/connect-proxy.ts';
import { bytesOf, startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openTlsFront } from '../support/tls-front.ts';

const PROXY = 'http://proxy.example:3128';
const SERVICE = 'https://storage.example.com';

interface Given {
  readonly baseUrl?: string;
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly mountOptions?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

function settingsOf({
  baseUrl = SERVICE,
  flags,
  mountOptions = [],
  environment,
}: Given): Promise<MountSettings> {
  return resolveSettings({
    flags: { baseUrl, ...flags },
    mountOptions,
    environment: {
      PAILFS_ACCESS_KEY_ID: 'TESTKEY',
      PAILFS_SECRET_ACCESS_KEY: 'test:secret',
      ...environment,
    },
    configHome: '/nonexistent',
    stateHome: '/state-home',
    cacheHome: '/cache-home',
    uid: 1000,
    gid: 100,
  });
}

async function proxyFor(given: Given): Promise<string | undefined> {
  return (await settingsOf(given)).proxy;
}

describe('which proxy', () => {
  it('is what the setting says, before what the environment says for all programs', async () => {
    const environment = { HTTPS_PROXY: 'http://other.example:8080' };
    expect(await proxyFor({ environment, flags: { proxy: PROXY } })).toBe(PROXY);
    expect(await proxyFor({ environment, mountOptions: [`proxy=${PROXY}`] })).toBe(PROXY);
    expect(await proxyFor({ environment: { ...environment, PAILFS_PROXY: PROXY } })).toBe(PROXY);
    expect(await proxyFor({ environment, flags: { proxy: 'off' } })).toBeUndefined();
    expect(await proxyFor({ environment })).toBe('http://other.example:8080');
    expect(await proxyFor({ flags: { proxy: PROXY }, baseUrl: 'http://127.0.0.1:9000' })).toBe(PROXY);
  });

  it('is found in the environment as other programs find it', async () => {
    const insecure = { flags: { allowInsecure: true } };
    expect(await proxyFor({})).toBeUndefined();
    expect(await proxyFor({ environment: { https_proxy: PROXY, HTTPS_PROXY: 'http://x:1' } })).toBe(PROXY);
    expect(await proxyFor({ environment: { HTTPS_PROXY: 'proxy.example:3128' } })).toBe(PROXY);
    expect(await proxyFor({ environment: { ALL_PROXY: PROXY } })).toBe(PROXY);
    expect(await proxyFor({ environment: { HTTP_PROXY: PROXY } })).toBeUndefined();
    const http = { ...insecure, baseUrl: 'http://storage.example.com' };
    expect(await proxyFor({ ...http, environment: { HTTP_PROXY: PROXY } })).toBe(PROXY);
    expect(await proxyFor({ ...http, environment: { HTTPS_PROXY: PROXY } })).toBeUndefined();
    expect(await proxyFor({ environment: { HTTPS_PROXY: '', https_proxy: '' } })).toBeUndefined();
  });

  it.each(['https://localhost:9000', 'https://127.0.0.1:9000', 'https://[::1]:9000', 'https://a.localhost'])(
    'is none to this machine itself, whatever the environment says: %s',
    async (baseUrl) => {
      expect(await proxyFor({ baseUrl, environment: { HTTPS_PROXY: PROXY } })).toBeUndefined();
    },
  );

  it.each([
    ['*', false],
    ['storage.example.com', false],
    ['STORAGE.example.com:443', false],
    ['example.com', false],
    ['.example.com', false],
    ['*.example.com', false],
    ['other.example, example.com', false],
    ['storage.example.com:8443', true],
    ['age.example.com', true],
    ['x.storage.example.com', true],
    [' , ', true],
  ])('where NO_PROXY is "%s", it is used: %s', async (exceptions, isUsed) => {
    const environment = { HTTPS_PROXY: PROXY, NO_PROXY: exceptions };
    expect(await proxyFor({ environment })).toBe(isUsed ? PROXY : undefined);
  });

  it.each([
    ['https://10.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', false],
    ['https://10.1.2.3', '11.0.0.0/8', true],
    ['https://10.1.2.3', 'fd00::/8, 10.0.0.0/33, 10.0.0.0/x, x/8', true],
    ['https://[fd00::1]:9000', 'fd00::/8', false],
    ['https://[fd00::1]:9000', '[fd00::1]:9000', false],
    [SERVICE, '0.0.0.0/0', true],
  ])('%s, where NO_PROXY is "%s", it is used: %s', async (baseUrl, exceptions, isUsed) => {
    const environment = { HTTPS_PROXY: PROXY, NO_PROXY: exceptions };
    expect(await proxyFor({ baseUrl, environment })).toBe(isUsed ? PROXY : undefined);
  });

  it.each(['', 'proxy.example:3128', 'socks5://proxy.example', 'http://', 'http://proxy.example/path', 'on'])(
    'cannot be "%s", which is refused without being shown',
    async (proxy) => {
      const refused = expect(settingsOf({ flags: { proxy } })).rejects;
      await refused.toThrow(
        '--proxy must be the address of a proxy, such as http://proxy.example:3128, or off',
      );
      await refused.not.toThrow('given');
    },
  );

  it('cannot be one of another kind in the environment, and the remedy is named', async () => {
    await expect(settingsOf({ environment: { all_proxy: 'socks5://user:hush@x:1080' } })).rejects.toThrow(
      /^environment all_proxy names a proxy that cannot be used: it must be an http or https address; name another with --proxy, or none with --proxy off$/,
    );
  });

  it('has no password on a command line', async () => {
    const proxy = 'http://user:hush@proxy.example:3128';
    for (const given of [{ flags: { proxy } }, { mountOptions: [`proxy=${proxy}`] }]) {
      await expect(settingsOf(given)).rejects.toThrow(/holds a password.*PAILFS_PROXY/);
      await expect(settingsOf(given)).rejects.not.toThrow('hush');
    }
    expect(await proxyFor({ environment: { PAILFS_PROXY: proxy } })).toBe(proxy);
  });
});

interface Scene {
  readonly proxy: ConnectProxy;
  readonly server: EmbeddedServer;
  readonly settings: (proxy: string, baseUrl?: string) => Promise<MountSettings>;
}

/** The service has a name that only the proxy knows. */
async function arrange(): Promise<Scene> {
  const authority = await Authority.make();
  const server = await startEmbeddedServer();
  const pair = await authority.issue('front', 'DNS:storage.example.com');
  const front = new URL(await openTlsFront({ target: server.baseUrl, pair }));
  const proxy = await ConnectProxy.open();
  proxy.target = { host: front.hostname, port: Number(front.port) };
  const settings: Scene['settings'] = (address, baseUrl = SERVICE) =>
    settingsOf({ baseUrl, flags: { caFile: authority.file }, environment: { PAILFS_PROXY: address } });
  return { proxy, server, settings };
}

async function open(settings: MountSettings): Promise<HttpService> {
  const service = await openService(settings, { clock: systemClock, log: silentLog });
  onTestFinished(() => service.close());
  return service;
}

describe('through it', () => {
  it('files are stored, listed and read, large ones side by side, and it is told who asks', async () => {
    const { proxy, server, settings } = await arrange();
    const service = await open(await settings(`http://me:p%40ss@127.0.0.1:${proxy.port}`));
    const files = [1, 2, 3, 4].map((seed) => patternedBytes(2 * 1024 * 1024 + seed, seed));

    await Promise.all(
      files.map((file, index) => service.putObject(server.bucket, `f${index}`, uploadOf(file))),
    );
    const { objects } = await service.listObjects(server.bucket, { folder: '' });
    const read = await Promise.all(
      files.map(async (_, index) => {
        const { body } = await service.getObject(server.bucket, `f${index}`, { isReadAtOnce: true });
        return md5(await bytesOf(body));
      }),
    );

    expect(objects).toHaveLength(files.length);
    expect(read).toEqual(files.map(md5));
    const credentials = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(new Set(proxy.asked.map((asked) => asked.credentials))).toEqual(new Set([credentials]));
    expect(new Set(proxy.asked.map(({ authority }) => authority))).toEqual(
      new Set(['storage.example.com:443']),
    );
  });

  it('a service without TLS is reached, too', async () => {
    const { proxy, server, settings } = await arrange();
    proxy.target = null;
    const service = await open(await settings(proxy.address, server.baseUrl));

    expect((await service.listBuckets()).buckets).toHaveLength(1);

    expect(proxy.asked[0]?.authority).toBe(new URL(server.baseUrl).host);
    await service.close();
    await expect.poll(() => proxy.open).toBe(0);
  });

  it('its certificate must be that of the service, not one of the proxy’s', async () => {
    const { settings, proxy } = await arrange();
    const service = await open(await settings(proxy.address, 'https://other.example.com'));

    const search = { service, wanted: 'photos', baseUrl: 'https://other.example.com' };
    await expect(findBucket(search)).rejects.toThrow(/is not believed: its certificate is not trusted/);
  });

  it('requests go on over new tunnels where it has ended the old ones', async () => {
    const { proxy, server, settings } = await arrange();
    const service = await open(await settings(proxy.address));
    await service.listBuckets();

    proxy.cut();
    await service.putObject(server.bucket, 'f', uploadOf('bytes'));

    expect(proxy.asked.length).toBeGreaterThan(2);
  });

  it('doctor looks through it, and says so', async () => {
    const { proxy, settings } = await arrange();

    const checks = await checkService(await settings(proxy.address), { clock: systemClock, log: silentLog });

    expect(checks.map(({ check, state }) => [check, state])).toEqual([
      ['base URL', 'warning'],
      ['credential', 'ok'],
      ['Range', 'unknown'],
      ['clock', 'ok'],
    ]);
    expect(checks[0]?.says).toContain(
      `through the proxy 127.0.0.1:${proxy.port}, and its certificate is trusted`,
    );
  });
});

describe('where it opens no tunnel', () => {
  it.each([
    [407, /^the service at .+ cannot be reached: the proxy .+ answered 407; check --proxy/],
    [403, /the proxy .+ answered 403/],
  ])('it answers %d: a command says so at once', async (status, words) => {
    const { proxy, settings } = await arrange();
    proxy.refusal = status;

    await expect(open(await settings(`http://me:hush@127.0.0.1:${proxy.port}`))).rejects.toThrow(words);
    await expect(open(await settings(`http://me:hush@127.0.0.1:${proxy.port}`))).rejects.not.toThrow('hush');
    expect(proxy.asked).toHaveLength(2);
  });

  it('nothing listens there: a command says so at once', async () => {
    const { settings } = await arrange();

    await expect(open(await settings('http://127.0.0.1:1'))).rejects.toThrow(
      'the proxy 127.0.0.1:1 gives no connection (connection refused); check --proxy, or go without by --proxy off',
    );
  });
});

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
