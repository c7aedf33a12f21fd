/** How does a test get a server of its own? One that listens here, over TLS where it has something to show, and ends with the test. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { onTestFinished } from 'vitest';
import type { KeyPair } from './certificates.ts';

export async function openHttpServer(pair?: KeyPair): Promise<http.Server> {
  const server =
    pair === undefined
      ? http.createServer()
      : https.createServer({ cert: await readFile(pair.cert), key: await readFile(pair.key) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}
