/** Where do the lines go? JSON into a file that only its owner reads, or readable lines on stderr. */
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import pretty from 'pino-pretty';
import { describeError } from '../../base/errors.ts';
import { silentLog, type Log, type LogFields } from '../../base/log.ts';
import { FollowedLogFile, type Followed } from './log-file.ts';

const STDERR = 2;
/** What JSON shows as it is of that which a terminal takes for something else; colours are other control characters. */
const MISLEADING = /[\u007F-\u009F\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;
/** Whatever finds its way into a field under these names is not written. */
const REDACTED = ['secretAccessKey', 'credentials', 'authorization', '*.secretAccessKey', '*.authorization'];

export interface LogOptions {
  /** An open file; absent: readable lines on stderr. */
  readonly descriptor?: number | undefined;
  /** Where it is; absent: lines go into that very file, whatever becomes of its path. */
  readonly followed?: Followed | undefined;
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
      destination(options),
    ),
    options.debug,
  );
}

function destination({ descriptor, followed }: LogOptions): DestinationStream {
  if (descriptor !== undefined) {
    const file = new FollowedLogFile(descriptor, followed);
    /** A full disk took half of the line before in it. */
    let cut: number | undefined;
    return {
      write: (line) => {
        const into = file.descriptor;
        const isCut = cut === into;
        const written = writeLine(into, isCut ? `\n${line}` : line);
        cut = written === 'half' || (written === 'nothing' && isCut) ? into : undefined;
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
    // Only a terminal knows; NO_COLOR and TERM=dumb say that its person wants none.
    colorize: process.stderr.isTTY && process.stderr.hasColors(),
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
