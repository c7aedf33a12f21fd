/** How does a test get a file system in process? Over the embedded service in memory: no HTTP, no kernel. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { silentLog, type Log } from '../../src/base/log.ts';
import type { LocalFiles } from '../../src/content/local-files.ts';
import { openFileSystem, type MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { StoreOptions } from '../../src/server/embedded-store.ts';
import { bytesOf, openEmbeddedService, uploadOf, type EmbeddedService } from './embedded-service.ts';
import { ManualClock } from './manual-clock.ts';
import { entriesOf } from './directory-entries.ts';
import { removeDirectory } from './remove-directory.ts';

export interface FileSystemForTest extends EmbeddedService {
  readonly fs: FileSystemOperations;
  readonly mounted: MountedFileSystem;
  /** Of the file system alone: moving it makes knowledge old. */
  readonly clock: ManualClock;
  readonly stateDirectory: string;
  /** The operations asked of the service since the last call, in order: `listObjects photos`. */
  readonly asked: () => string[];
  /** Another program on another machine stores a file. */
  readonly foreignWrite: (key: string, content: string | Uint8Array, contentType?: string) => Promise<void>;
  /** What the service holds under `key`. */
  readonly stored: (key: string) => Promise<Buffer>;
}

export interface TestOptions {
  readonly store?: StoreOptions;
  readonly settings?: Partial<FileSystemSettings>;
  readonly log?: Log;
  readonly localFiles?: LocalFiles;
  /** What stands between the file system and the service. */
  readonly between?: (service: ObjectService) => ObjectService;
}

/** Closed by itself at the end of the test that calls this. */
export async function openForTest(options: TestOptions = {}): Promise<FileSystemForTest> {
  const embedded = await openEmbeddedService(options.store);
  const stateDirectory = await mkdtemp(join(tmpdir(), 'pailfs-test-'));
  const clock = new ManualClock(Date.now());
  const mounted = await openFileSystem({
    service: options.between?.(embedded.service) ?? embedded.service,
    bucket: await embedded.direct.getBucket(embedded.bucket),
    clock,
    log: options.log ?? silentLog,
    settings: { ...defaultSettings(stateDirectory), ...options.settings },
    ...(options.localFiles === undefined ? {} : { localFiles: options.localFiles }),
  });
  onTestFinished(async () => {
    await mounted.close({ patience: 1000 });
    await removeDirectory(stateDirectory);
  });
  embedded.requests.reset();
  return {
    ...embedded,
    fs: mounted.operations,
    mounted,
    clock,
    stateDirectory,
    asked: () => {
      const lines = embedded.requests.all.map(({ operation, key, folder }) =>
        `${operation} ${key ?? folder ?? ''}`.trim(),
      );
      embedded.requests.reset();
      return lines;
    },
    foreignWrite: async (key, content, contentType) => {
      await embedded.direct.putObject(embedded.bucket, key, uploadOf(content, contentType));
    },
    stored: async (key) => bytesOf((await embedded.direct.getObject(embedded.bucket, key)).body),
  };
}

export function defaultSettings(stateDirectory: string): FileSystemSettings {
  return {
    metadataTtl: 10_000,
    writeBack: false,
    memoryLimit: 128 * 1024 * 1024,
    // Most tests count the requests of a first reading.
    cache: 'memory',
    cacheDirectory: join(stateDirectory, 'cache'),
    cacheSize: 1024 ** 3,
    baseUrl: 'https://storage.example.com',
    stateDirectory,
    visibility: 'preserve',
    conflict: 'keep-both',
    scratch: true,
    hostName: 'here.example.com',
    renameLimit: 10_000,
    uid: 1000,
    gid: 1000,
    makersOwn: true,
    umask: 0o022,
    readOnly: false,
    mayWrite: true,
  };
}

/** As a program would: create or truncate, write, close. */
export async function writeFile(
  fs: FileSystemOperations,
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  const handle = await fs.create(path, {
    read: false,
    write: true,
    truncate: true,
    exclusive: false,
    mode: 0o644,
  });
  await closing(fs, handle, async () => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (bytes.length > 0) await fs.write(handle, bytes, 0);
  });
}

/** As a program would: open, read to the end, close. */
export async function readFile(fs: FileSystemOperations, path: string): Promise<Buffer> {
  const handle = await fs.open(path, { read: true, write: false, truncate: false });
  return closing(fs, handle, () => readAll(fs, handle));
}

export async function readAll(fs: FileSystemOperations, handle: FileHandle): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let position = 0; ;) {
    const piece = Buffer.alloc(128 * 1024);
    const count = await fs.read(handle, piece, position);
    pieces.push(piece.subarray(0, count));
    position += count;
    if (count < piece.length) return Buffer.concat(pieces);
  }
}

/** Runs `use`, then closes as close(2) does: flush, then release, and the flush's error is the caller's. */
export async function closing<Result>(
  fs: FileSystemOperations,
  handle: FileHandle,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await use();
    await fs.flush(handle);
    return result;
  } finally {
    await fs.release(handle);
  }
}

export async function names(fs: FileSystemOperations, path: string): Promise<string[]> {
  return (await entriesOf(fs, path)).map((entry) => entry.name).sort();
}
