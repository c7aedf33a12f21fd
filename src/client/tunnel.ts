/** How is the service reached where a proxy stands before it? By a tunnel (CONNECT): the proxy learns the host's name, and of https none of the bytes. */
import { request as requestHttp, type ClientRequest } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { unescape } from 'node:querystring';
import { errors, type buildConnector } from 'undici';
import type { RunningClock } from '../base/running-clock.ts';
import { hostOf, portOf } from '../base/url-end.ts';
import { ProxyFault } from './proxy-fault.ts';
import { faultWords } from './refusals.ts';

/** Host and port of `origin`, as CONNECT takes them. */
export function authorityOf(origin: Pick<URL, 'host' | 'port' | 'protocol'>): string {
  return origin.port === '' ? `${origin.host}:${portOf(origin)}` : origin.host;
}

/**
 * A connection to `authority`, which `proxy` passes on: an http or https address, whose user and password, if it has them, it is told.
 * Rejects with a `ProxyFault`.
 */
export function openTunnel(proxy: string, authority: string, signal: AbortSignal): Promise<Socket> {
  const url = new URL(proxy);
  return new Promise((resolve, reject) => {
    const asked = connectRequest(url, authority);
    const giveUp = (): void => {
      reject(new ProxyFault(url, 'does not answer', { cause: new errors.ConnectTimeoutError() }));
      asked.destroy();
    };
    const settled = (): void => {
      signal.removeEventListener('abort', giveUp);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    asked.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      settled();
      if (statusCode >= 200 && statusCode < 300) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new ProxyFault(url, `answered ${statusCode}`, { status: statusCode }));
    });
    asked.on('error', (cause) => {
      settled();
      reject(new ProxyFault(url, `gives no connection (${faultWords(cause)})`, { cause }));
    });
    if (signal.aborted) giveUp();
    else asked.end();
  });
}

/** As `connect`, but over a tunnel of `proxy`, which may take `within` milliseconds. */
export function throughProxy(
  proxy: string,
  connect: buildConnector.connector,
  { within, running }: { readonly within: number; readonly running: RunningClock },
): buildConnector.connector {
  return (options, callback) => {
    const late = new AbortController();
    const cancel = running.after(within, () => {
      late.abort();
    });
    const { host = options.hostname, port, protocol } = options;
    openTunnel(proxy, authorityOf({ host, port, protocol }), late.signal)
      .finally(cancel)
      .then(
        (httpSocket) => {
          if (protocol === 'https:') connect({ ...options, httpSocket }, callback);
          else callback(null, httpSocket);
        },
        (error: unknown) => {
          callback(error as ProxyFault, null);
        },
      );
  };
}

function connectRequest(proxy: URL, authority: string): ClientRequest {
  const { protocol, username, password } = proxy;
  const options = {
    method: 'CONNECT',
    host: hostOf(proxy),
    port: portOf(proxy),
    path: authority,
    headers: { host: authority, ...authorization(username, password) },
    agent: false,
  };
  // Said aloud, as where the service itself is connected to.
  return protocol === 'https:'
    ? requestHttps({ ...options, rejectUnauthorized: true })
    : requestHttp(options);
}

function authorization(username: string, password: string): Record<string, string> {
  if (username === '' && password === '') return {};
  const words = `${unescape(username)}:${unescape(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(words).toString('base64')}` };
}
