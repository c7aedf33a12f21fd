/** How does a test get a service? In memory, with one bucket, gone with the test. */
import { onTestFinished } from 'vitest';
import type { Credential } from '../../src/server/credentials.ts';
import { EmbeddedStore, type StoreOptions } from '../../src/server/embedded-store.ts';
import { FaultPlan } from '../../src/server/faults.ts';
import { RequestLog } from '../../src/server/request-log.ts';
import { startServer, type RunningServer } from '../../src/server/start-server.ts';
import type { ObjectService, UploadBody } from '../../src/service/object-service.ts';
import { faultyService } from './faulty-service.ts';
import { recordingService } from './recording-service.ts';

export interface EmbeddedService {
  readonly store: EmbeddedStore;
  /** As a mount would use it: counted and hit by faults. */
  readonly service: ObjectService;
  /** The same data, neither counted nor faulty: for arranging, and for what others do meanwhile. */
  readonly direct: ObjectService;
  /** Identifier of the one bucket, whose name is `photos`. */
  readonly bucket: string;
  readonly requests: RequestLog;
  readonly faults: FaultPlan;
}

/** Closed by itself at the end of the test that calls this. */
export async function openEmbeddedService(options: StoreOptions = {}): Promise<EmbeddedService> {
  const store = await EmbeddedStore.open(options);
  onTestFinished(() => store.close());
  const direct = store.account();
  const { bucket } = await direct.createBucket('photos');
  const requests = new RequestLog();
  const faults = new FaultPlan();
  const service = recordingService(faultyService(direct, faults, store.clock), requests);
  return { store, service, direct, bucket, requests, faults };
}

export interface EmbeddedServer extends Omit<EmbeddedService, 'service'> {
  readonly server: RunningServer;
  readonly baseUrl: string;
  /** Reads and writes. */
  readonly credentials: Credential;
  readonly readOnlyCredentials: Credential;
}

const READ_WRITE: Credential = {
  accessKeyId: 'TESTKEY',
  secretAccessKey: 'test:secret',
  access: 'read-write',
};
const READ_ONLY: Credential = { accessKeyId: 'READKEY', secretAccessKey: 'read secret', access: 'read' };
/** Of another account. */
export const STRANGER: Credential = {
  accessKeyId: 'STRANGER',
  secretAccessKey: 'other',
  access: 'read-write',
  account: 'stranger',
};

/** The same over HTTP; `requests` and `faults` are the server's. Closed by itself at the end of the test. */
export async function startEmbeddedServer(
  options: StoreOptions = {},
  { host }: { readonly host?: string } = {},
): Promise<EmbeddedServer> {
  const { store, direct, bucket } = await openEmbeddedService(options);
  const server = await startServer({ source: store, credentials: [READ_WRITE, READ_ONLY, STRANGER], host });
  onTestFinished(() => server.close());
  const { baseUrl, requests, faults } = server;
  return {
    store,
    direct,
    bucket,
    server,
    baseUrl,
    requests,
    faults,
    credentials: READ_WRITE,
    readOnlyCredentials: READ_ONLY,
  };
}

/** A body of these bytes, or of this text. */
export function uploadOf(content: Uint8Array | string, contentType?: string): UploadBody {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return {
    size: bytes.length,
    contentType,
    async *open() {
      await Promise.resolve();
      yield bytes;
    },
  };
}

/** All bytes of a body. */
export async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
