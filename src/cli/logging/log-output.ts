/** Where do the lines go? JSON into a file that only its owner reads, or readable lines on stderr. */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import pretty from 'pino-pretty';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { silentLog, type Log, type LogFields } from '../../base/log.ts';

const STDERR = 2;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** Bytes; a longer log is put aside (once) when a mount starts. */
const ROTATE_ABOVE = 16 * 1024 * 1024;
/** What JSON shows as it is of that which a terminal takes for something else; colours are other control characters. */
const MISLEADING = /[\u007F-\u009F\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;
/** Whatever finds its way into a field under these names is not written. */
const REDACTED = ['secretAccessKey', 'credentials', 'authorization', '*.secretAccessKey', '*.authorization'];

export interface LogOptions {
  /** An open file; absent: readable lines on stderr. */
  readonly descriptor?: number | undefined;
  /** Also lines for debugging, and stack traces. */
  readonly debug: boolean;
  /** Written with every line of a file. */
  readonly fields: LogFields;
}

/** Of a command that is no mount: every request and retry on stderr with `--debug`, else nothing. */
export function logOfCommand(debug: boolean): Log {
  return debug ? openLog({ debug, fields: {} }) : silentLog;
}

/** Lines are written before the call returns, so that the last words of a dying process are there. */
export function openLog(options: LogOptions): Log {
  return new PinoLog(
    pino(
      {
        level: options.debug ? 'debug' : 'info',
        // In front there is one mount, and who looks knows which.
        base: options.descriptor === undefined ? null : { pid: process.pid, ...options.fields },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        redact: { paths: REDACTED, censor: '(withheld)' },
      },
      destination(options.descriptor),
    ),
    options.debug,
  );
}

function destination(descriptor: number | undefined): DestinationStream {
  if (descriptor !== undefined) {
    let isCut = false;
    return {
      write: (line) => {
        // A full disk took half of the line before.
        const written = writeLine(descriptor, isCut ? `\n${line}` : line);
        isCut = written === 'half' || (written === 'nothing' && isCut);
      },
    };
  }
  return pretty({
    destination: new Writable({
      decodeStrings: false,
      write: (line: string, _encoding, done) => {
        writeLine(STDERR, line.replaceAll(MISLEADING, '?'));
        done();
      },
    }),
    colorize: process.stderr.isTTY,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
    singleLine: true,
    // Ours are texts already; they belong on the line of their message.
    errorLikeObjectKeys: [],
  });
}

/**
 * How much of it is there. Never throws: a log that nobody can write or read any more (a full disk, a closed terminal) must not
 * end the mount.
 */
function writeLine(descriptor: number, line: string): 'all' | 'half' | 'nothing' {
  const whole = Buffer.from(line);
  let rest = whole;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
    return 'all';
  } catch {
    // There is no other place to tell it.
    return rest.length === whole.length ? 'nothing' : 'half';
  }
}

/** Opens a log file for appending, 0600, with its directory; an overlong one becomes `<file>.1` first. A device stays as it is. Throws as node:fs does. */
export function openLogFile(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  if (sizeOf(path) > ROTATE_ABOVE) renameSync(path, `${path}.1`);
  const descriptor = openSync(path, 'a', FILE_MODE);
  try {
    // Not a device: /dev/null is everybody's.
    if (fstatSync(descriptor).isFile()) {
      fchmodSync(descriptor, FILE_MODE);
      // A full disk took half of the last line.
      if (!endsWithLine(path)) writeSync(descriptor, '\n');
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

function endsWithLine(path: string): boolean {
  const size = sizeOf(path);
  const descriptor = openSync(path, 'r');
  try {
    const last = Buffer.alloc(1);
    return size === 0 || readSync(descriptor, last, 0, 1, size - 1) === 0 || last.toString() === '\n';
  } finally {
    closeSync(descriptor);
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

class PinoLog implements Log {
  readonly hidesDebug: boolean;
  readonly #logger: Logger;
  readonly #stacks: boolean;

  constructor(logger: Logger, isDebugged: boolean) {
    this.hidesDebug = !isDebugged;
    this.#logger = logger;
    this.#stacks = isDebugged;
  }

  debug(message: string, fields?: LogFields): void {
    this.#logger.debug(this.#readable(fields), message);
  }

  info(message: string, fields?: LogFields): void {
    this.#logger.info(this.#readable(fields), message);
  }

  warn(message: string, fields?: LogFields): void {
    this.#logger.warn(this.#readable(fields), message);
  }

  error(message: string, fields?: LogFields): void {
    this.#logger.error(this.#readable(fields), message);
  }

  #readable(fields: LogFields = {}): LogFields {
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        value instanceof Error ? this.#describe(value) : value,
      ]),
    );
  }

  #describe(error: Error): string {
    return this.#stacks ? (error.stack ?? describeError(error)) : describeError(error);
  }
}
