/** How does one get a running service with an address? */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../base/clock.ts';
import { silentLog, type Log } from '../base/log.ts';
import type { ObjectService } from '../service/object-service.ts';
import { defaultBehaviours, type Behaviours } from './behaviours.ts';
import { keptCredentials, newCredential, type Credential } from './credentials.ts';
import { EmbeddedStore, type StoreOptions } from './embedded-store.ts';
import { FaultPlan } from './faults.ts';
import { httpFront, type FrontParts } from './http-front.ts';
import { answerLink } from './link-endpoint.ts';
import { RequestLimit } from './request-limit.ts';
import { RequestLog } from './request-log.ts';

/** Where to listen. */
export interface ListenOptions {
  /** 127.0.0.1 when absent. */
  readonly host?: string | undefined;
  /** Any free one when absent or 0. */
  readonly port?: number | undefined;
  readonly log?: Log | undefined;
  /** So many requests are kept for whoever asks about them; all when absent. */
  readonly requestsKept?: number | undefined;
  /** Where links begin; the server itself when absent. */
  readonly publicLinksHost?: string | undefined;
}

/** What to serve, and to whom. */
export interface ServerOptions extends ListenOptions {
  /** What to serve: a store with its accounts and links, or any service, seen alike by every credential. */
  readonly source: EmbeddedStore | ObjectService;
  /** One that reads and writes is made when absent. */
  readonly credentials?: readonly Credential[] | undefined;
  /** Those of the store when absent, else the defaults. */
  readonly behaviours?: Behaviours | undefined;
  readonly clock?: Clock | undefined;
}

/** A server that listens until it is closed. */
export interface RunningServer {
  /** Without trailing slash. */
  readonly baseUrl: string;
  /** The first of those that are accepted. */
  readonly credentials: Credential;
  readonly allCredentials: readonly Credential[];
  readonly requests: RequestLog;
  readonly faults: FaultPlan;
  /** Ends all connections and stops listening. A store given by the caller stays open. */
  close(): Promise<void>;
}

/** Rejects when the address cannot be used. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { source, host = '127.0.0.1' } = options;
  const store = source instanceof EmbeddedStore ? source : undefined;
  const allCredentials = options.credentials ?? [newCredential(randomBytes, 'read-write')];
  const [credentials] = allCredentials;
  if (credentials === undefined) throw new Error('a server needs at least one credential');
  const behaviours = options.behaviours ?? store?.behaviours ?? defaultBehaviours;
  const clock = options.clock ?? store?.clock ?? systemClock;
  const published = store?.published();
  const parts: FrontParts = {
    serviceFor: source instanceof EmbeddedStore ? ({ account }) => source.account(account) : () => source,
    credentials: allCredentials,
    behaviours,
    limit: new RequestLimit(behaviours.requestsPerSecond, clock),
    clock,
    log: options.log ?? silentLog,
    requests: new RequestLog(options.requestsKept),
    faults: new FaultPlan(),
    ...(published && { answerLink: (target) => answerLink(published, target, behaviours) }),
  };
  const app = httpFront(parts);
  await app.listen({ host, port: options.port ?? 0 });
  const { port } = app.server.address() as AddressInfo;
  const baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  published?.serveFrom(options.publicLinksHost ?? baseUrl);
  const { requests, faults } = parts;
  return { baseUrl, credentials, allCredentials, requests, faults, close: () => app.close() };
}

/** What `pailfs serve` can choose. */
export interface EmbeddedServiceOptions extends ListenOptions, Omit<StoreOptions, 'directory'> {
  /** Data and credentials are kept here; in memory when null. */
  readonly directory: string | null;
}

/**
 * A store and its server in one, as `pailfs serve` runs them. The credentials are kept in the directory, readable by their
 * owner only. Rejects when the directory or the address cannot be used. `close` also closes the store.
 */
export async function startEmbeddedService(options: EmbeddedServiceOptions): Promise<RunningServer> {
  const store = await EmbeddedStore.open(options);
  try {
    const random = options.random ?? randomBytes;
    const credentials =
      options.directory === null
        ? [newCredential(random, 'read-write'), newCredential(random, 'read')]
        : await keptCredentials(options.directory, random);
    const server = await startServer({ ...options, behaviours: undefined, source: store, credentials });
    const close = async (): Promise<void> => {
      await server.close();
      await store.close();
    };
    return { ...server, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}
