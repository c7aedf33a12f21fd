/** Who answers at the base URL, and what time is it there? One request, for a person who wonders what is wrong. */
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { parseBaseUrl } from './base-url.ts';
import { Authorization, type Credentials } from './credentials.ts';
import { parseHttpDate } from './dates.ts';
import { bucketsPath } from './paths.ts';
import type { TlsTerms } from './tls-terms.ts';
import { authorityOf, openTunnel } from './tunnel.ts';

export interface ServiceLook {
  /** By the Date header, to the second; null when there is none that can be read. */
  readonly date: Date | null;
  /** Null over http. */
  readonly tls: { readonly protocol: string; readonly validUntil: Date } | null;
}

export interface LookOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly tls: TlsTerms;
  /** Address of the proxy to go through; undefined: none. */
  readonly proxy: string | undefined;
  /** Gives the look up. */
  readonly signal: AbortSignal;
}

/** Asks for one bucket (§4.2), and takes any answer. Rejects with the error of the connection, or the signal's reason. */
export async function lookAtService(look: LookOptions): Promise<ServiceLook> {
  const { origin, prefix } = parseBaseUrl(look.baseUrl);
  const url = new URL(origin);
  const options = {
    path: prefix + bucketsPath({ limit: 1 }),
    headers: { authorization: new Authorization(look.credentials).header() },
    signal: look.signal,
    ...(await connectionOf(url, look)),
  };
  return new Promise((resolve, reject) => {
    const take = (answer: IncomingMessage): void => {
      resolve({ date: parseHttpDate(answer.headers.date), tls: tlsOf(answer) });
      answer.destroy();
    };
    const ask = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = ask(url, options, take);
    request.on('error', reject);
    request.end();
  });
}

async function connectionOf(
  url: URL,
  { proxy, tls, signal }: Pick<LookOptions, 'proxy' | 'tls' | 'signal'>,
): Promise<Pick<RequestOptions, 'agent' | 'createConnection'>> {
  const trust = url.protocol === 'https:' ? { ...tls, rejectUnauthorized: true } : {};
  if (proxy === undefined) return { agent: false, ...trust };
  const socket = await openTunnel(proxy, authorityOf(url), signal);
  if (url.protocol === 'http:') return { createConnection: () => socket };
  const servername = isIP(url.hostname) === 0 ? url.hostname : '';
  return { createConnection: () => connectTls({ socket, servername, host: url.hostname, ...trust }) };
}

function tlsOf({ socket }: IncomingMessage): ServiceLook['tls'] {
  if (!(socket instanceof TLSSocket)) return null;
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    validUntil: new Date(socket.getPeerCertificate().valid_to),
  };
}
