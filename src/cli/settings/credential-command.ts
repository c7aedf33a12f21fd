/**
 * Which credentials does a person's own program print? A JSON object with `access_key_id` and `secret_access_key`, or two lines.
 *
 * Its output is never repeated, whatever is wrong with it. It is always started by /bin/sh: looking for a program along a search
 * path must happen in another process than the one that may serve a mount on that path.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Credentials } from '../../client/credentials.ts';
import { CommandError, exitCodes, oneLine } from '../command-error.ts';
import { credentialsOf } from './credential-document.ts';
import { withoutSettings } from './settings-table.ts';

/** Text is for /bin/sh -c; words are a program and its parameters. */
export type CredentialCommand = string | readonly string[];

/** Less than what a request waits for new credentials, milliseconds. */
const DEADLINE_MS = 15_000;
/** Until its streams end once it was killed: what it has said last is on the way still. Milliseconds. */
const LAST_WORDS_MS = 1000;
/** Bytes of each stream that are kept. */
const MAX_OUTPUT = 64 * 1024;
/** Characters of its own complaint that are shown. */
const MAX_COMPLAINT = 300;

interface Ended {
  /** The exit code, or the signal's name. */
  readonly how: number | string;
  readonly output: string;
  readonly complaint: string;
}

/** Rejects with a `CommandError` that shows what the command wrote to stderr. */
export async function runCredentialCommand(
  command: CredentialCommand,
  clock: Pick<Clock, 'after'>,
): Promise<Credentials> {
  const { how, output, complaint } = await runToItsEnd(command, clock);
  if (how !== 0) {
    const end = typeof how === 'number' ? `with exit code ${how}` : `by ${how}`;
    throw failure(`ended ${end}`, complaint);
  }
  const credentials = credentialsIn(output);
  if (typeof credentials === 'string') throw failure(`printed no credentials: ${credentials}`, complaint);
  return credentials;
}

function runToItsEnd(command: CredentialCommand, clock: Pick<Clock, 'after'>): Promise<Ended> {
  const words = typeof command === 'string' ? [command] : ['exec "$@"', 'sh', ...command];
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', ...words], {
      cwd: '/',
      env: withoutSettings(process.env),
      // A group of its own: what it has started ends with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = collect(child.stdout);
    const complaint = collect(child.stderr);
    let isLate = false;
    let cancel = clock.after(DEADLINE_MS, () => {
      isLate = true;
      endGroup(child);
      // Who has left the group may hold them open.
      cancel = clock.after(LAST_WORDS_MS, () => {
        child.stdout.destroy();
        child.stderr.destroy();
      });
    });
    child.once('error', (cause) => {
      cancel();
      reject(
        new CommandError(exitCodes.failed, `the credential command cannot be started: ${cause.message}`),
      );
    });
    child.once('close', (code, signal) => {
      cancel();
      if (isLate) reject(failure(`gave no answer within ${DEADLINE_MS / 1000} s`, complaint()));
      else resolve({ how: code ?? signal ?? 'nobody knows what', output: output(), complaint: complaint() });
    });
  });
}

/** What has come so far. */
function collect(stream: Readable): () => string {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('data', (piece: Buffer) => {
    if (size < MAX_OUTPUT) pieces.push(piece);
    size += piece.length;
  });
  return () => Buffer.concat(pieces).toString('utf8');
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

function credentialsIn(output: string): Credentials | string {
  if (output.trimStart().startsWith('{')) {
    const document = parseJson(output);
    return document === undefined ? 'not valid JSON' : credentialsOf(document);
  }
  const lines = output.replace(/(\r?\n)+$/, '').split(/\r?\n/);
  const [id, secret, ...others] = lines;
  if (others.length > 0 || secret === undefined) {
    return 'it must be a JSON object with access_key_id and secret_access_key, or two lines';
  }
  return credentialsOf({ access_key_id: id, secret_access_key: secret });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own message would quote the text.
    return undefined;
  }
}

function failure(what: string, complaint: string): CommandError {
  const text = oneLine(complaint.replaceAll(/[^\P{Cc}\n]|\p{Cf}/gu, ' ')).slice(0, MAX_COMPLAINT);
  const said = text === '' ? '' : `; it says: ${text}`;
  return new CommandError(exitCodes.failed, `the credential command ${what}${said}`);
}
