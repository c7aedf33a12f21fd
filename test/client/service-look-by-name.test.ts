/** Which of the services behind one address does the doctor look at? */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { lookAtService } from '../../src/client/service-look.ts';
import { Authority, type KeyPair } from '../support/certificates.ts';
import { ConnectProxy } from '../support/connect-proxy.ts';

const texts = async ({ cert, key }: KeyPair): Promise<KeyPair> => ({
  cert: await readFile(cert, 'utf8'),
  key: await readFile(key, 'utf8'),
});

it('the one that is called as the base URL says, also through a proxy: by its name it shows its certificate', async () => {
  const authority = await Authority.make();
  const named = await texts(await authority.issue('storage', 'DNS:storage.test'));
  const other = await texts(await authority.issue('other', 'DNS:other.test'));
  const server = https.createServer(
    {
      ...other,
      SNICallback: (name, done) => {
        done(null, createSecureContext(name === 'storage.test' ? named : other));
      },
    },
    (_request, response) => response.end('{}'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const proxy = await ConnectProxy.open();
  proxy.target = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };

  const look = await lookAtService({
    baseUrl: 'https://storage.test',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    tls: { ca: await readFile(authority.file, 'utf8') },
    proxy: proxy.address,
    signal: AbortSignal.timeout(10_000),
  });

  expect(look.tls?.protocol).toMatch(/^TLS/);
  expect(proxy.asked.map(({ authority: asked }) => asked)).toEqual(['storage.test:443']);
});
