/** How does a test get the embedded service over https, and below a path? A front that hands every byte on. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { KeyPair } from './certificates.ts';

export interface FrontOptions {
  /** Where requests go, without a path. */
  readonly target: string;
  /** What it shows to clients. */
  readonly pair: KeyPair;
  /** A file with the authority whose certificates clients must show; nobody must when absent. */
  readonly clientAuthority?: string;
  /** Taken away from the front of each path; what does not begin with it is answered 404. */
  readonly prefix?: string;
}

/** Its base URL, prefix included. Ends with the test. */
export async function openTlsFront({
  target,
  pair,
  clientAuthority,
  prefix = '',
}: FrontOptions): Promise<string> {
  const asked =
    clientAuthority === undefined ? {} : { requestCert: true, ca: await readFile(clientAuthority) };
  const identity = { cert: await readFile(pair.cert), key: await readFile(pair.key) };
  const front = https.createServer({ ...identity, ...asked }, (request, response) => {
    const { method, headers, url = '' } = request;
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    const onward = http.request(target, { method, headers, path: url.slice(prefix.length) }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  return `https://127.0.0.1:${(front.address() as AddressInfo).port}${prefix}`;
}
