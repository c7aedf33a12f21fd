/** What does a test of the contract get to work with, whichever way the service is reached? */
import { ManualClock } from '../support/manual-clock.ts';
import { defaultBehaviours, type Behaviours } from '../../src/server/behaviours.ts';
import type { Credential } from '../../src/server/credentials.ts';
import { EmbeddedStore } from '../../src/server/embedded-store.ts';
import { startServer } from '../../src/server/start-server.ts';
import { HttpService } from '../../src/client/http-service.ts';
import { silentLog } from '../../src/base/log.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How old size_bytes may be in these tests, milliseconds. */
export const USAGE_INTERVAL = 60_000;
/** Of temporary links in these tests, seconds. */
export const LINK_LIFETIME = 600;

/** One account of a service that other tests use too. */
export interface Setup {
  readonly service: ObjectService;
  /** Identifier of the account's only bucket. */
  readonly bucket: string;
  readonly account: string;
  /** The same service as another account sees it. */
  readonly stranger: ObjectService;
  /** To change the account's circumstances. */
  readonly store: EmbeddedStore;
  readonly clock: ManualClock;
  readonly behaviours: Behaviours;
}

/** A service that is running. */
export interface Running {
  readonly setup: () => Promise<Setup>;
  readonly close: () => Promise<void>;
}

export type Way = 'in memory' | 'on disk' | 'over HTTP';

export async function run(way: Way, behaviours: Partial<Behaviours>): Promise<Running> {
  const directory = way === 'on disk' ? await mkdtemp(join(tmpdir(), 'pailfs-contract-')) : null;
  const clock = new ManualClock();
  const options = { behaviours, clock, usageInterval: USAGE_INTERVAL, linkLifetime: LINK_LIFETIME };
  const store = await EmbeddedStore.open({ ...options, directory });
  const door = way === 'over HTTP' ? await httpDoor(store) : directDoor(store);
  let accounts = 0;
  return {
    setup: async () => {
      accounts += 1;
      const account = `account-${accounts}`;
      const service = door.enter(account);
      const { bucket } = await service.createBucket('photos');
      const stranger = door.enter(`${account}-stranger`);
      return {
        service,
        bucket,
        account,
        stranger,
        store,
        clock,
        behaviours: { ...defaultBehaviours, ...behaviours },
      };
    },
    close: async () => {
      await door.close();
      await store.close();
      if (directory !== null) await rm(directory, { recursive: true });
    },
  };
}

interface Door {
  readonly enter: (account: string) => ObjectService;
  readonly close: () => Promise<void>;
}

function directDoor(store: EmbeddedStore): Door {
  return { enter: (account) => store.account(account), close: () => Promise.resolve() };
}

async function httpDoor(store: EmbeddedStore): Promise<Door> {
  const credentials: Credential[] = [{ accessKeyId: 'first', secretAccessKey: 'secret', access: 'read' }];
  const server = await startServer({ source: store, credentials });
  const clients: HttpService[] = [];
  return {
    enter: (account) => {
      const credential: Credential = {
        accessKeyId: account,
        secretAccessKey: 's',
        access: 'read-write',
        account,
      };
      // The server looks credentials up at each request.
      credentials.push(credential);
      const client = HttpService.open({ baseUrl: server.baseUrl, credentials: credential, log: silentLog });
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) await client.close();
      await server.close();
    },
  };
}
