/**
 * How does a test mount a bucket, the whole chain from the kernel to the service? The service runs in the test's process, where
 * a test can look into it and make it fail; the mount in another. Each test has its time: then the mount is killed, which ends
 * whatever waits for it.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Deadlines } from '../../src/client/deadlines.ts';
import type { RetryPolicy } from '../../src/client/retry.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { Credential } from '../../src/server/credentials.ts';
import { EmbeddedStore, type StoreOptions } from '../../src/server/embedded-store.ts';
import { startServer, type RunningServer } from '../../src/server/start-server.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { bytesOf, uploadOf } from './embedded-service.ts';
import type { PailMessage, PailOptions } from './mounted-pail.ts';
import { mountForTest, type MountedDirectory, type MountRequest } from './mounted.ts';
import { defaultSettings } from './open-for-test.ts';
import { shell, type ShellResult } from './shell.ts';
import { removeDirectory } from './remove-directory.ts';

export interface BucketMountOptions {
  readonly store?: StoreOptions;
  readonly settings?: Partial<FileSystemSettings>;
  readonly deadlines?: Partial<Deadlines>;
  /** Waits are short unless said otherwise: the number of tries is the client's own. */
  readonly retry?: Partial<RetryPolicy>;
  /** What stands between the server and what it serves. */
  readonly between?: (service: ObjectService) => ObjectService;
  /** The credentials of the mount may only read. */
  readonly readOnlyCredentials?: boolean;
  readonly driver?: MountRequest['driver'];
  readonly slowness?: MountRequest['slowness'];
  readonly allowOther?: MountRequest['allowOther'];
  /** An existing directory that stays; else a new one. */
  readonly mountpoint?: string;
  /** Milliseconds for everything together; then the serving process dies. */
  readonly lifetime?: number;
}

const READ_WRITE: Credential = { accessKeyId: 'MOUNT', secretAccessKey: 'secret', access: 'read-write' };
const READ_ONLY: Credential = { accessKeyId: 'READER', secretAccessKey: 'secret', access: 'read' };
const QUICK_RETRIES: Partial<RetryPolicy> = { firstWait: 10, longestWait: 50 };
const DEFAULT_LIFETIME_MS = 1_800_000;
/** Less than the limit of a test on a mount, more than a busy machine needs. */
const TEST_TIME_MS = 500_000;

/** One bucket, served and mounted. Close it whatever happens. */
export class MountedBucket {
  readonly store: EmbeddedStore;
  /** What others do, and how a test looks: neither counted nor hit by faults. */
  readonly direct: ObjectService;
  readonly bucket: string;
  readonly stateDirectory: string;

  readonly #options: BucketMountOptions;
  #server: RunningServer;
  #mounted: MountedDirectory | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    options: BucketMountOptions,
    parts: { store: EmbeddedStore; server: RunningServer; bucket: string; stateDirectory: string },
  ) {
    this.#options = options;
    this.store = parts.store;
    this.direct = parts.store.account();
    this.bucket = parts.bucket;
    this.stateDirectory = parts.stateDirectory;
    this.#server = parts.server;
  }

  static async open(options: BucketMountOptions = {}): Promise<MountedBucket> {
    const store = await EmbeddedStore.open(options.store);
    const { bucket } = await store.account().createBucket('photos');
    const source = options.between?.(store.account()) ?? store;
    const server = await startServer({ source, credentials: [READ_WRITE, READ_ONLY] });
    const stateDirectory = await mkdtemp(path.join(tmpdir(), 'pailfs-state-'));
    const opened = new MountedBucket(options, { store, server, bucket, stateDirectory });
    try {
      await opened.#mount();
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  get server(): RunningServer {
    return this.#server;
  }

  get mounted(): MountedDirectory {
    if (this.#mounted === undefined) throw new Error('not mounted');
    return this.#mounted;
  }

  /** The mountpoint. */
  get path(): string {
    return this.mounted.path;
  }

  /** Runs `script` with sh at the top of the mount; `$1`… are `parameters`. */
  run(script: string, ...parameters: string[]): Promise<ShellResult> {
    return shell(this.path, script, ...parameters);
  }

  /** What the service holds under `key`. */
  async stored(key: string): Promise<Buffer> {
    return bytesOf((await this.direct.getObject(this.bucket, key)).body);
  }

  /** Somebody elsewhere stores a file, and the mount is told to believe nothing that it knew. */
  async foreignWrite(key: string, content: string | Uint8Array): Promise<void> {
    await this.direct.putObject(this.bucket, key, uploadOf(content));
    await this.ask('refresh');
  }

  ask(ask: PailMessage['ask']): Promise<unknown> {
    return this.mounted.call({ ask } satisfies PailMessage);
  }

  /** After a while the mount dies. Call before each test. */
  startTimer(): void {
    this.stopTimer();
    this.#timer = setTimeout(() => {
      console.error('the time of a test on a mount is up: its process is killed');
      void this.mounted.kill();
    }, TEST_TIME_MS);
  }

  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  /** Nobody listens any more, and all connections are cut. */
  stopServer(): Promise<void> {
    return this.#server.close();
  }

  /** At the same address as before, with the same files. */
  async restartServer(): Promise<void> {
    const port = Number(new URL(this.#server.baseUrl).port);
    this.#server = await startServer({ source: this.store, port, credentials: [READ_WRITE, READ_ONLY] });
  }

  /** Ends everything. */
  async close(): Promise<void> {
    this.stopTimer();
    await this.#mounted?.dispose();
    await this.#server.close();
    await this.store.close();
    await removeDirectory(this.stateDirectory);
  }

  async #mount(): Promise<void> {
    const { settings, deadlines = {}, retry, lifetime = DEFAULT_LIFETIME_MS } = this.#options;
    const { driver, slowness, allowOther, mountpoint } = this.#options;
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const { accessKeyId, secretAccessKey } =
      this.#options.readOnlyCredentials === true ? READ_ONLY : READ_WRITE;
    const options: PailOptions = {
      baseUrl: this.#server.baseUrl,
      credentials: { accessKeyId, secretAccessKey },
      bucket: this.bucket,
      settings: { ...defaultSettings(this.stateDirectory), ...owner, ...settings },
      deadlines,
      retry: { ...QUICK_RETRIES, ...retry },
    };
    this.#mounted = await mountForTest({
      module: new URL('./mounted-pail.ts', import.meta.url),
      options,
      ...(driver !== undefined && { driver }),
      ...(slowness !== undefined && { slowness }),
      ...(allowOther !== undefined && { allowOther }),
      ...(mountpoint !== undefined && { mountpoint }),
      readOnly: settings?.readOnly ?? false,
      lifetime,
    });
  }
}
