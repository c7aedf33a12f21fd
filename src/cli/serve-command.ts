/** `pailfs serve`: the embedded service, for trying pailfs out. Prints where it is and the credentials, ready to paste into a shell. */
import { resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { inWords, systemErrorCode } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { HttpService } from '../client/http-service.ts';
import type { Behaviours } from '../server/behaviours.ts';
import { behaviourChoices } from '../server/behaviours.ts';
import type { RunningServer } from '../server/start-server.ts';
import { startEmbeddedService } from '../server/start-server.ts';
import { isRefusal } from '../service/refusal.ts';
import type { ExitCode } from './command-error.ts';
import { CommandError, exitCodes, usageError } from './command-error.ts';
import { Endings } from './serving/endings.ts';
import { roomOfPlace } from './settings/local-places.ts';

export interface ServeWish {
  /** Directory; undefined: in memory. */
  readonly data?: string;
  /** Undefined or 0: any free one. */
  readonly port?: number;
  readonly bucket?: readonly string[];
  /** `name=value` each. */
  readonly behaviour?: readonly string[];
}

/** Resolves when a signal ends it. Rejects with a `CommandError`. */
export async function runServe(wish: ServeWish): Promise<ExitCode> {
  const behaviours = parseBehaviours(wish.behaviour ?? []);
  const endings = new Endings(silentLog);
  endings.listen();
  const server = await start(wish, behaviours);
  try {
    await createBuckets(server, wish.bucket ?? []);
    process.stdout.write(introduction(server, wish));
    const ending = await endings.first;
    if (ending.kind === 'fault') throw ending.error;
    return exitCodes.done;
  } finally {
    await server.close();
  }
}

async function start(wish: ServeWish, behaviours: Partial<Behaviours>): Promise<RunningServer> {
  const directory = wish.data === undefined ? null : resolve(wish.data);
  if (directory !== null) await roomOfPlace({ what: 'directory', setting: '--data', path: directory });
  try {
    return await startEmbeddedService({
      directory,
      port: wish.port ?? 0,
      behaviours,
      // Nobody asks, and it may run for months.
      requestsKept: 0,
    });
  } catch (error) {
    if (directory !== null && isTaken(error)) {
      throw new CommandError(
        exitCodes.failed,
        `another process serves ${directory}: end that one, or choose another with --data`,
        { cause: error },
      );
    }
    throw new CommandError(
      exitCodes.failed,
      `the service cannot start (${inWords(error)}): check --port and --data`,
      { cause: error },
    );
  }
}

/** Only one process can have the index of a directory open. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && systemErrorCode(error.cause) === 'LEVEL_LOCKED';
}

async function createBuckets(server: RunningServer, names: readonly string[]): Promise<void> {
  const { baseUrl, credentials } = server;
  const service = HttpService.open({ baseUrl, credentials, clock: systemClock, log: silentLog });
  try {
    const { buckets } = await service.listBuckets();
    const known = new Set(buckets.map((bucket) => bucket.name));
    for (const name of names.filter((one) => !known.has(one))) await createBucket(service, name);
  } finally {
    await service.close();
  }
}

async function createBucket(service: HttpService, name: string): Promise<void> {
  try {
    await service.createBucket(name);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new CommandError(
      exitCodes.failed,
      `bucket ${name} is not created: ${error.reason}: check --bucket`,
      { cause: error },
    );
  }
}

function introduction(server: RunningServer, wish: ServeWish): string {
  const { baseUrl, credentials } = server;
  const first = wish.bucket?.[0] ?? '<bucket>';
  return [
    '# The service runs until Ctrl-C. Paste these lines into another shell, then mount:',
    `export PAILFS_BASE_URL=${baseUrl}`,
    `export PAILFS_ACCESS_KEY_ID=${credentials.accessKeyId}`,
    `export PAILFS_SECRET_ACCESS_KEY=${credentials.secretAccessKey}`,
    `# pailfs mount ${first} <mountpoint>`,
    ...server.allCredentials
      .filter(({ access }) => access === 'read')
      .map(
        ({ accessKeyId, secretAccessKey }) =>
          `# Credentials that may only read: ${accessKeyId} ${secretAccessKey}`,
      ),
    '',
  ].join('\n');
}

/** Each `name=value` must be one of the answers that the service knows. */
export function parseBehaviours(texts: readonly string[]): Partial<Behaviours> {
  const choices: Readonly<Record<string, readonly unknown[]>> = behaviourChoices;
  return Object.fromEntries(
    texts.map((text): [string, unknown] => {
      const [name = '', ...rest] = text.split('=');
      const known = choices[name];
      if (known === undefined) {
        throw usageError(
          `--behaviour ${text}: there is no ${name}: choose among ${Object.keys(choices).join(', ')}`,
        );
      }
      const value = known.find((choice) => String(choice) === rest.join('='));
      if (value !== undefined) return [name, value];
      throw usageError(`--behaviour ${text}: ${name} is one of ${known.map(String).join(', ')}`);
    }),
  );
}
