/**
 * The module that crash tests mount: the real file system over HTTP, in a state directory claimed as `pailfs mount` does. It can
 * be made to stand still between the moment at which a draft is on the disk and that at which the journal says so (held-records.ts).
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog, type Log, type LogFields } from '../../src/base/log.ts';
import { claimStateDirectory, type StateDirectory } from '../../src/cli/state/state-directory.ts';
import type { Credentials } from '../../src/client/credentials.ts';
import { HttpService } from '../../src/client/http-service.ts';
import { Journal } from '../../src/content/journal/journal.ts';
import {
  openFileSystem as openOverService,
  type MountedFileSystem,
} from '../../src/filesystem/open-file-system.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import { CONNECTIONS_FOR_ALL_GATES } from '../../src/store/gates.ts';
import { HeldRecords } from './held-records.ts';

/** What the child is told; JSON. */
export interface CrashPailOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** Identifier. */
  readonly bucket: string;
  readonly stateHome: string;
  readonly settings: Omit<FileSystemSettings, 'stateDirectory'>;
  /** Gets a line of JSON for each line of the log. */
  readonly logFile: string;
}

export type CrashPailMessage =
  /** Answers once a draft is on the disk whose record will never be, `skip` others before it. */
  | { readonly ask: 'hold record'; readonly skip: number }
  /** Answers when the renames that a crash had cut are finished. */
  | { readonly ask: 'settle' }
  /** After the unmount: stores what is not stored; answers `UnsentDraft[]`. */
  | { readonly ask: 'close' };

const FINISHED = 'a rename that was cut is finished';
const CLOSE_PATIENCE_MS = 30_000;
const POLL_MS = 5;

interface OpenPail {
  readonly fileSystem: MountedFileSystem;
  readonly service: HttpService;
  readonly state: StateDirectory;
  readonly records: HeldRecords;
  /** Renames that the journal knew at the start. */
  readonly renames: number;
  readonly messages: readonly string[];
}

const opened: { pail?: OpenPail } = {};

export async function openFileSystem(options: CrashPailOptions): Promise<FileSystemOperations> {
  const { baseUrl, credentials, stateHome } = options;
  const messages: string[] = [];
  const log = logTo(options.logFile, messages);
  const connections = CONNECTIONS_FOR_ALL_GATES;
  const service = HttpService.open({ baseUrl, credentials, connections, log });
  const bucket = await service.getBucket(options.bucket);
  const { accessKeyId } = credentials;
  const owner = { baseUrl, accessKeyId, bucket: bucket.bucket, bucketName: bucket.name };
  const state = await claimStateDirectory(stateHome, owner);
  const { path, adopted } = state;
  let renames = 0;
  for (const directory of [path, ...adopted]) renames += await renamesIn(directory);
  const records = HeldRecords.ofThisProcess();
  const settings = { ...options.settings, stateDirectory: path };
  const inputs = { service, bucket, clock: systemClock, log, settings, adopted, localFiles: records };
  const fileSystem = await openOverService(inputs);
  opened.pail = { fileSystem, service, state, records, renames, messages };
  return fileSystem.operations;
}

export async function answer(message: CrashPailMessage): Promise<unknown> {
  const { pail } = opened;
  if (pail === undefined) throw new Error('nothing is open');
  switch (message.ask) {
    case 'hold record':
      return pail.records.holdOne(message.skip);
    case 'settle':
      return settled(pail);
    case 'close': {
      const unsent = await pail.fileSystem.close({ patience: CLOSE_PATIENCE_MS });
      await pail.service.close();
      await pail.state.release();
      return unsent;
    }
  }
}

async function settled({ renames, messages }: OpenPail): Promise<void> {
  while (messages.filter((message) => message === FINISHED).length < renames) await pause(POLL_MS);
}

async function renamesIn(directory: string): Promise<number> {
  const journal = await Journal.open({ directory, clock: systemClock, log: silentLog });
  await journal.close();
  return journal.contents.renames.length;
}

function logTo(file: string, messages: string[]): Log {
  const line =
    (level: string) =>
    (message: string, fields?: LogFields): void => {
      messages.push(message);
      appendFileSync(
        file,
        `${JSON.stringify({ at: new Date().toISOString(), level, message, ...fields })}\n`,
      );
    };
  return { debug: () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
}
