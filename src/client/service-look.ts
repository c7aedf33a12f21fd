/** Who answers at the base URL, and what time is it there? One request, for a person who wonders what is wrong. */
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { TLSSocket } from 'node:tls';
import { parseBaseUrl } from './base-url.ts';
import { Authorization, type Credentials } from './credentials.ts';
import { parseHttpDate } from './dates.ts';
import { bucketsPath } from './paths.ts';
import type { TlsTerms } from './tls-terms.ts';

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
  /** Gives the look up. */
  readonly signal: AbortSignal;
}

/** Asks for one bucket (§4.2), and takes any answer. Rejects with the error of the connection, or the signal's reason. */
export function lookAtService({ baseUrl, credentials, tls, signal }: LookOptions): Promise<ServiceLook> {
  const { origin, prefix } = parseBaseUrl(baseUrl);
  const url = new URL(origin);
  const options = {
    path: prefix + bucketsPath({ limit: 1 }),
    headers: { authorization: new Authorization(credentials).header() },
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const take = (answer: IncomingMessage): void => {
      resolve({ date: parseHttpDate(answer.headers.date), tls: tlsOf(answer) });
      answer.destroy();
    };
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, ...tls, rejectUnauthorized: true }, take)
        : requestHttp(url, options, take);
    request.on('error', reject);
    request.end();
  });
}

function tlsOf({ socket }: IncomingMessage): ServiceLook['tls'] {
  if (!(socket instanceof TLSSocket)) return null;
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    validUntil: new Date(socket.getPeerCertificate().valid_to),
  };
}
