/** What does a person read on stderr when a command fails, what a program on stdout, and what does the shell see? */
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { MountError } from '../../fuse/driver.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes, oneLine } from '../command-error.ts';
import { printable } from './screen-text.ts';

export interface Failure {
  readonly exitCode: ExitCode;
  /** One line, without the program's name. */
  readonly message: string;
}

/** Every error ends here. One that no command foresaw is a fault of ours, and says so. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return { exitCode: error.exitCode, message: oneLine(error.message) };
  if (error instanceof MountError) {
    const exitCode = error.kind === 'busy' ? exitCodes.busy : exitCodes.mountFailure;
    return { exitCode, message: oneLine(error.message) };
  }
  if (isOfLostDirectory(error)) {
    return failureOf(
      new CommandError(
        exitCodes.failed,
        'the directory that you are in is not there any more: change to another, and try again',
      ),
    );
  }
  return {
    exitCode: exitCodes.failed,
    message: `unexpected error: ${oneLine(describeError(error))}; run again with --debug for the particulars`,
  };
}

/** What Node says who was asked for a relative path: it was removed, or unmounted. */
function isOfLostDirectory(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'uv_cwd';
}

/** Where in pailfs it comes from, and so for each of its causes; no field of theirs, which may hold a secret. */
export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return describeError(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`;
}

/** On stderr, below the line that says what it is about. */
export function sayStack(error: unknown): void {
  process.stderr.write(`${stackOf(error).split('\n').map(printable).join('\n')}\n`);
}

/** One line on stderr. */
export function sayToPerson(line: string): void {
  process.stderr.write(`pailfs: ${printable(oneLine(line))}\n`);
}

/** On stdout, on one line: what `--json` prints of a command that failed as a whole. */
export function tellProgram({ exitCode, message }: Failure): void {
  process.stdout.write(`${JSON.stringify({ error: { message, exitCode } })}\n`);
}
