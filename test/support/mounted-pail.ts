/** The module that tests of the whole chain mount: the real file system, over HTTP, on the service of the test's process. */
import { systemClock } from '../../src/base/clock.ts';
import type { Log, LogFields } from '../../src/base/log.ts';
import type { Credentials } from '../../src/client/credentials.ts';
import type { Deadlines } from '../../src/client/deadlines.ts';
import { HttpService } from '../../src/client/http-service.ts';
import type { RetryPolicy } from '../../src/client/retry.ts';
import type { UnsentDraft } from '../../src/filesystem/end-of-mount.ts';
import {
  openFileSystem as openOverService,
  type MountedFileSystem,
} from '../../src/filesystem/open-file-system.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';

/** What the child is told; JSON. */
export interface PailOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly bucket: string;
  readonly settings: FileSystemSettings;
  readonly deadlines: Partial<Deadlines>;
  readonly retry: Partial<RetryPolicy>;
}

/** `refresh`: believe no earlier answer. `close`: store what is not stored; answers `UnsentDraft[]`. `log`: its lines so far. */
export interface PailMessage {
  readonly ask: 'refresh' | 'close' | 'log';
}

const CLOSE_DEADLINE_MS = 60_000;

interface OpenPail {
  readonly fileSystem: MountedFileSystem;
  readonly lines: readonly string[];
}

const opened: { pail?: OpenPail } = {};

export async function openFileSystem(options: PailOptions): Promise<FileSystemOperations> {
  const lines: string[] = [];
  const log = logTo(lines);
  const { baseUrl, credentials, deadlines, retry } = options;
  const service = HttpService.open({ baseUrl, credentials, deadlines, retry, log });
  const bucket = await service.getBucket(options.bucket);
  const { settings } = options;
  const fileSystem = await openOverService({ service, bucket, clock: systemClock, log, settings });
  opened.pail = { fileSystem, lines };
  return fileSystem.operations;
}

export function answer({ ask }: PailMessage): Promise<readonly UnsentDraft[] | readonly string[]> {
  const { pail } = opened;
  if (pail === undefined) throw new Error('nothing is open');
  switch (ask) {
    case 'refresh':
      pail.fileSystem.refresh('/');
      return Promise.resolve([]);
    case 'close':
      return pail.fileSystem.close({ patience: CLOSE_DEADLINE_MS });
    case 'log':
      return Promise.resolve(pail.lines);
  }
}

function logTo(lines: string[]): Log {
  const line =
    (level: string) =>
    (message: string, fields?: LogFields): void => {
      lines.push(`${level}: ${message} ${JSON.stringify(fields ?? {})}`);
    };
  return { debug: () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
}
