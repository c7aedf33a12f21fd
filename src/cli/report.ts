/** What does a person read on stderr when a command fails, and what does the shell see? */
import { describeError } from '../base/errors.ts';
import { MountError } from '../fuse/driver.ts';
import type { ExitCode } from './command-error.ts';
import { CommandError, exitCodes, oneLine } from './command-error.ts';

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
  return {
    exitCode: exitCodes.failed,
    message: `unexpected error: ${oneLine(describeError(error))}; run again with --debug for the particulars`,
  };
}

export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : describeError(error);
}

/** One line on stderr. */
export function sayToPerson(line: string): void {
  process.stderr.write(`pailfs: ${oneLine(line)}\n`);
}
