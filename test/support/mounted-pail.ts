/** The module that tests of the whole chain mount: the real file system, over HTTP, on the service of the test's process. */
import { systemClock, type Clock } from '../../src/base/clock.ts';
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

/**
 * `refresh`: believe no earlier answer. `close`: store what is not stored; answers `UnsentDraft[]`. `log`: its lines so far.
 * `hurry`: the service has little time to answer, until `patience` gives it as much as a mount does.
 */
export interface PailMessage {
  readonly ask: 'refresh' | 'close' | 'log' | 'hurry' | 'patience';
}

const CLOSE_DEADLINE_MS = 60_000;
/** So many times faster goes the clock of a client in a hurry: of its 20 s for headers two and a half are left. */
const HURRY = 8;

/** Of a client whose deadlines are to be over soon while a test wants that, and at no other time, however busy the machine is. */
class ClientClock implements Clock {
  #rate = 1;
  #elapsed = 0;
  #since = systemClock.monotonic();

  set rate(rate: number) {
    this.#elapsed = this.monotonic();
    this.#since = systemClock.monotonic();
    this.#rate = rate;
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return this.#elapsed + (systemClock.monotonic() - this.#since) * this.#rate;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(milliseconds / this.#rate, signal);
  }

  after(milliseconds: number, action: () => void): () => void {
    return systemClock.after(milliseconds / this.#rate, action);
  }
}

interface OpenPail {
  readonly fileSystem: MountedFileSystem;
  readonly lines: readonly string[];
}

const opened: { pail?: OpenPail } = {};
const clientClock = new ClientClock();

export async function openFileSystem(options: PailOptions): Promise<FileSystemOperations> {
  const lines: string[] = [];
  const log = logTo(lines);
  const { baseUrl, credentials, deadlines, retry } = options;
  const service = HttpService.open({ baseUrl, credentials, clock: clientClock, deadlines, retry, log });
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
    case 'hurry':
      clientClock.rate = HURRY;
      return Promise.resolve([]);
    case 'patience':
      clientClock.rate = 1;
      return Promise.resolve([]);
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
