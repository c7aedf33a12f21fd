/** Where is the service, who asks, and how patiently? */
import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Access } from './access.ts';
import { parseBaseUrl } from './base-url.ts';
import type { Credentials } from './credentials.ts';
import { DEFAULT_DEADLINES } from './deadlines.ts';
import type { Deadlines } from './deadlines.ts';
import { Exchange } from './exchange.ts';
import { DEFAULT_RETRY } from './retry.ts';
import type { RetryPolicy } from './retry.ts';
import type { TlsTerms } from './tls-terms.ts';
import { Traffic } from './traffic.ts';

export interface HttpServiceOptions {
  /** http or https, without query; a path before every request's own is allowed. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** Reads them again from where they came; asked once when the service answers 401 or 403. */
  readonly rereadCredentials?: (() => Promise<Credentials>) | undefined;
  readonly tls?: TlsTerms | undefined;
  /** Address of the proxy to go through, http or https. */
  readonly proxy?: string | undefined;
  /** Most connections at once; further requests wait for one. */
  readonly connections?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log: Log;
  /** Uniform in [0, 1): the jitter between tries. */
  readonly random?: (() => number) | undefined;
  readonly deadlines?: Partial<Deadlines> | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
}

const DEFAULT_CONNECTIONS = 32;

/** What all calls of one client share. */
export interface OpenExchange {
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly traffic: Traffic;
}

/** Connects to nothing yet. Throws a `BaseUrlError`, or an `Error` about credentials that Basic cannot carry. */
export function openExchange(options: HttpServiceOptions): OpenExchange {
  const clock = options.clock ?? systemClock;
  const { credentials, rereadCredentials: reread, log } = options;
  const traffic = new Traffic(clock);
  const exchange = new Exchange({
    baseUrl: parseBaseUrl(options.baseUrl),
    access: new Access({ credentials, reread, clock, log }),
    tls: options.tls ?? {},
    proxy: options.proxy,
    connections: options.connections ?? DEFAULT_CONNECTIONS,
    deadlines: { ...DEFAULT_DEADLINES, ...options.deadlines },
    retry: { ...DEFAULT_RETRY, ...options.retry },
    clock,
    random: options.random ?? Math.random,
    log,
    traffic,
  });
  return { exchange, clock, traffic };
}
