/** Whom is a command ready to speak with over https, and what is said when it is not? */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { systemClock } from '../../src/base/clock.ts';
import { findBucket } from '../../src/cli/connecting/connect.ts';
import { openService } from '../../src/cli/connecting/open-service.ts';
import { resolveSettings, type MountSettings } from '../../src/cli/settings/settings.ts';
import type { HttpService } from '../../src/client/http-service.ts';
import { Authority } from '../support/certificates.ts';
import { bytesOf, startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openTlsFront, type FrontOptions } from '../support/tls-front.ts';

interface Scene {
  readonly authority: Authority;
  readonly server: EmbeddedServer;
  readonly front: (options?: Partial<FrontOptions>) => Promise<string>;
}

async function arrange(): Promise<Scene> {
  const authority = await Authority.make();
  const server = await startEmbeddedServer();
  const pair = await authority.issue('front', 'IP:127.0.0.1');
  const front = (options: Partial<FrontOptions> = {}): Promise<string> =>
    openTlsFront({ target: server.baseUrl, pair, ...options });
  return { authority, server, front };
}

function settingsFor(baseUrl: string, flags: Readonly<Record<string, unknown>> = {}): Promise<MountSettings> {
  return resolveSettings({
    flags: { baseUrl, ...flags },
    mountOptions: [],
    environment: { PAILFS_ACCESS_KEY_ID: 'TESTKEY', PAILFS_SECRET_ACCESS_KEY: 'test:secret' },
    configHome: '/nonexistent',
    stateHome: '/state-home',
    cacheHome: '/cache-home',
    uid: 1000,
    gid: 100,
  });
}

async function open(settings: MountSettings): Promise<HttpService> {
  const service = await openService(settings, { clock: systemClock, log: silentLog });
  onTestFinished(() => service.close());
  return service;
}

/** As a mount begins: the first request of all. */
async function begin(settings: MountSettings): Promise<string> {
  const service = await open(settings);
  const signal = new AbortController().signal;
  const { name } = await findBucket({ service, wanted: 'photos', baseUrl: settings.baseUrl, signal });
  return name;
}

const failing = (exitCode: number, text: string | RegExp): Error =>
  expect.objectContaining({ exitCode, message: expect.stringMatching(text) as string }) as Error;

describe('a service with a certificate of a private authority', () => {
  it('is believed when the authority is given, and every endpoint works below a path', async () => {
    const { authority, front } = await arrange();
    const baseUrl = await front({ prefix: '/gate/way' });
    const service = await open(await settingsFor(`${baseUrl}/`, { caFile: authority.file }));

    const { bucket } = await service.createBucket('prefixed');
    await service.createFolder(bucket, 'a');
    await service.putObject(bucket, 'a/b c', uploadOf('bytes'));
    expect((await service.headObject(bucket, 'a/b c')).size).toBe(5);
    expect(String(await bytesOf((await service.getObject(bucket, 'a/b c')).body))).toBe('bytes');
    const first = await service.listObjects(bucket, { folder: '', limit: 1 });
    expect(first.folders).toEqual(['a/']);
    await service.putObject(bucket, 'a/d', uploadOf(''));
    const page = await service.listObjects(bucket, { folder: 'a', limit: 1 });
    expect(
      (await service.listObjects(bucket, { folder: 'a', page: page.nextPage ?? '' })).objects,
    ).toHaveLength(1);
    expect((await service.setVisibility(bucket, 'a/d', 'public')).visibility).toBe('public');
    expect((await service.getVisibility(bucket, 'a/d')).visibility).toBe('public');
    expect((await service.getLink(bucket, 'a/d')).url).toMatch(/^http/);
    await service.deleteObject(bucket, 'a/d');
    await service.deleteObject(bucket, 'a/b c');
    expect((await service.getBucket(bucket)).name).toBe('prefixed');
    expect((await service.listBuckets()).buckets).toHaveLength(2);
    await service.deleteObject(bucket, 'a/');
    await service.deleteBucket(bucket);
    expect((await service.listBuckets()).buckets).toHaveLength(1);
  });

  it('sends large files as they are, side by side, one after the other over the same connections, beside listings that are kept', async () => {
    const { authority, server, front } = await arrange();
    const service = await open(await settingsFor(await front(), { caFile: authority.file }));
    const files = [1, 2, 3, 4, 5, 6].map((seed) => patternedBytes(3 * 1024 * 1024 + seed, seed));
    await Promise.all(
      files.map((file, index) => server.direct.putObject(server.bucket, `f${index}`, uploadOf(file))),
    );

    for (let round = 0; round < 3; round += 1) {
      const hashes = await Promise.all(
        files.map(async (_, index) => {
          const { body } = await service.getObject(server.bucket, `f${index}`, { isReadAtOnce: true });
          const hash = createHash('md5');
          for await (const piece of body) hash.update(piece);
          const { objects } = await service.listObjects(server.bucket, { folder: '' });
          return [hash.digest('hex'), objects.length];
        }),
      );
      expect(hashes).toEqual(
        files.map((file) => [createHash('md5').update(file).digest('hex'), files.length]),
      );
    }
  });

  it('is not believed without, and the remedy is named', async () => {
    const { server, front } = await arrange();

    await expect(begin(await settingsFor(await front()))).rejects.toThrow(
      failing(1, /its certificate is not trusted \(.+\): .*--ca-file/),
    );
    expect(server.requests.operations).toEqual([]);
  });

  it('is not believed because the environment turns the checks of Node off', async () => {
    const { server, front } = await arrange();
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    onTestFinished(() => {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    });

    await expect(begin(await settingsFor(await front()))).rejects.toThrow(failing(1, 'not trusted'));
    expect(server.requests.operations).toEqual([]);
  });

  it('is not believed under a name that its certificate does not have', async () => {
    const { authority, front } = await arrange();
    const pair = await authority.issue('other', 'DNS:storage.example.com');

    await expect(begin(await settingsFor(await front({ pair }), { caFile: authority.file }))).rejects.toThrow(
      failing(1, 'its certificate is not trusted'),
    );
  });

  it('is not believed when another authority is given', async () => {
    const { front } = await arrange();
    const stranger = await Authority.make();

    await expect(begin(await settingsFor(await front(), { caFile: stranger.file }))).rejects.toThrow(
      failing(1, 'its certificate is not trusted'),
    );
  });
});

describe('a service that asks for a certificate', () => {
  it('is shown the one that is given', async () => {
    const { authority, front } = await arrange();
    const { cert, key } = await authority.issue('client', 'DNS:me');
    const baseUrl = await front({ clientAuthority: authority.file });
    const flags = { caFile: authority.file, clientCert: cert, clientKey: key };

    expect(await begin(await settingsFor(baseUrl, flags))).toBe('photos');
  });

  it('hears nothing from whoever has none', async () => {
    const { authority, server, front } = await arrange();
    const baseUrl = await front({ clientAuthority: authority.file });
    const service = await open(await settingsFor(baseUrl, { caFile: authority.file }));

    await expect(service.createBucket('unheard')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(server.requests.operations).toEqual([]);
  });
});

describe('a certificate that cannot be used', () => {
  it.each<[string, (at: Authority) => Promise<Readonly<Record<string, unknown>>>, RegExp]>([
    [
      'a missing file',
      () => Promise.resolve({ caFile: '/nonexistent/ca' }),
      /^--ca-file \/nonexistent\/ca cannot be read/,
    ],
    [
      'a file without one',
      async ({ directory }) => ({ caFile: await textFile(directory, 'nothing') }),
      /^--ca-file .* holds no certificate/,
    ],
    [
      'a damaged one',
      async ({ directory }) => ({
        caFile: await textFile(directory, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      }),
      /^--ca-file .* holds a certificate that cannot be read/,
    ],
    [
      'one without its key',
      ({ file }) => Promise.resolve({ clientCert: file }),
      /give --client-cert and --client-key/,
    ],
    [
      'a key without its one',
      ({ file }) => Promise.resolve({ clientKey: file }),
      /give --client-cert and --client-key/,
    ],
    [
      'one with the key of another',
      async (at) => ({
        clientCert: (await at.issue('a', 'DNS:a')).cert,
        clientKey: (await at.issue('b', 'DNS:b')).key,
      }),
      /^--client-key .* cannot be used with --client-cert/,
    ],
  ])('%s is refused in one line before anything is sent', async (_title, flagsFor, complaint) => {
    const flags = await flagsFor(await Authority.make());

    const outcome = open(await settingsFor('https://127.0.0.1:1', flags));

    await expect(outcome).rejects.toThrow(failing(2, complaint));
    await expect(outcome).rejects.not.toThrow(/\n/);
  });
});

async function textFile(directory: string, text: string): Promise<string> {
  const file = join(directory, 'text.pem');
  await writeFile(file, text);
  return file;
}
