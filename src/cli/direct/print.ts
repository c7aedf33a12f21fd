/** How does a command that needs no mount say what came of each thing that it was asked to do? */
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { sayToPerson } from '../report.ts';
import { printable } from '../table.ts';
import { reasonOf } from './refused.ts';

/** One thing, done or not. `--json` prints a list of these. */
export interface DirectOutcome {
  /** As it was typed, or `bucket:key`. */
  readonly what: string;
  readonly isDone: boolean;
  readonly reason: string | null;
}

/** Runs `action` for `what`; a failure that was foreseen becomes an outcome. Rejects with any other, and with usage errors. */
export async function outcomeOf<More extends object>(
  what: string,
  action: () => Promise<More>,
): Promise<DirectOutcome & Partial<More>> {
  try {
    return { what, isDone: true, reason: null, ...(await action()) };
  } catch (error) {
    const reason = reasonOf(error);
    const isUsage = error instanceof CommandError && error.exitCode === exitCodes.usage;
    if (reason === undefined || isUsage) throw error;
    return { what, isDone: false, reason } as DirectOutcome & Partial<More>;
  }
}

/** What failed goes to stderr, the others to stdout. `failure`: "is not deleted". `success`: null says nothing. */
export function tellOutcomes<Outcome extends DirectOutcome>(
  outcomes: readonly Outcome[],
  json: boolean,
  failure: string,
  success: (outcome: Outcome) => string | null,
): ExitCode {
  if (json) printJson(outcomes);
  for (const outcome of outcomes) {
    if (!outcome.isDone) sayToPerson(printable(`${outcome.what} ${failure}: ${outcome.reason ?? '?'}`));
    else if (!json) {
      const line = success(outcome);
      if (line !== null) print(line);
    }
  }
  return outcomes.every(({ isDone }) => isDone) ? exitCodes.done : exitCodes.failed;
}

export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
