/** The process of the store: one store in memory, the service's front, and the S3 front over the same objects. */
import { EmbeddedStore } from '../../src/server/embedded-store.ts';
import { startServer } from '../../src/server/start-server.ts';
import type { StoredFile } from '../contents/contents.ts';
import type { PatternedFile } from '../contents/pattern.ts';
import { serveCalls } from '../frame/serve-calls.ts';
import { startS3Front } from '../s3-front/s3-front.ts';
import { differenceOf, type ExpectedFile } from './held-files.ts';
import { PatternedService } from './patterned-service.ts';
import { CountedService, ServedBytes } from './served-bytes.ts';

export interface StoreAddress {
  /** Ports of 127.0.0.1. */
  readonly servicePort: number;
  readonly s3Port: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** How many requests of each kind. */
export type RequestCounts = Readonly<Record<string, number>>;

/** What was asked of both fronts. */
export interface Served {
  readonly requests: RequestCounts;
  /** Bytes of files that left once more. */
  readonly repeatedBytes: number;
}

/** What the process answers. */
export type StoreAnswers = Readonly<{
  address: () => Promise<StoreAddress>;
  /** The identifier of a new bucket. */
  createBucket: (name: string) => Promise<string>;
  /** With all that is in it. */
  deleteBucket: (bucket: string) => Promise<void>;
  /** Stores files as others would: neither counted nor slowed down. */
  putObjects: (bucket: string, files: readonly StoredFile[]) => Promise<void>;
  /** Fills an empty bucket, which nobody changes, with these alone. */
  fillWithPatterned: (bucket: string, files: readonly PatternedFile[]) => Promise<void>;
  /** How far the bucket is from holding these files and nothing else, folders with nothing in them included. */
  difference: (bucket: string, files: readonly ExpectedFile[]) => Promise<number>;
  /** Since the last call. */
  takeServed: () => Promise<Served>;
}>;

async function openStore(): Promise<StoreAnswers> {
  const store = await EmbeddedStore.open();
  const service = new PatternedService(store.account());
  const served = new ServedBytes();
  const counted = new CountedService(service, served);
  const server = await startServer({ source: counted });
  const s3 = await startS3Front(counted);
  const { accessKeyId, secretAccessKey } = server.credentials;
  const servicePort = Number(new URL(server.baseUrl).port);
  return {
    address: () => Promise.resolve({ servicePort, s3Port: s3.port, accessKeyId, secretAccessKey }),
    createBucket: async (name) => (await service.createBucket(name)).bucket,
    deleteBucket: (bucket) => service.deleteBucket(bucket),
    putObjects: async (bucket, files) => {
      for (const { key, bytes } of files)
        await service.putObject(bucket, key, { size: bytes.length, open: () => pieceOf(bytes) });
    },
    fillWithPatterned: (bucket, files) => {
      service.fill(bucket, files);
      return Promise.resolve();
    },
    difference: (bucket, files) => differenceOf(service, bucket, files),
    takeServed: () => {
      const counts: Record<string, number> = { ...s3.takeCounts() };
      for (const operation of server.requests.operations) counts[operation] = (counts[operation] ?? 0) + 1;
      server.requests.reset();
      return Promise.resolve({ requests: counts, repeatedBytes: served.takeRepeated() });
    },
  };
}

async function* pieceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

serveCalls(openStore);
