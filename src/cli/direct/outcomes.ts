/** How does a command that needs no mount say what came of each thing that it was asked to do? */
import type { ExitCode } from '../command-error.ts';
import { exitCodes, isUsageError } from '../command-error.ts';
import { sayStack, sayToPerson } from '../screen/report.ts';
import { printable } from '../screen/screen-text.ts';
import { print, printJson } from '../screen/stdout.ts';
import { mayBeDone, reasonOf } from '../connecting/refused.ts';

const failureOfOutcome = Symbol('failure');

/** One thing, done or not. `--json` prints a list of these. */
export interface DirectOutcome {
  /** As it was typed, or `bucket:key`. */
  readonly what: string;
  readonly isDone: boolean;
  readonly reason: string | null;
  /** Why it is not done, for who debugs; no document has it. */
  readonly [failureOfOutcome]?: unknown;
}

/** Runs `action` for `what`; a failure that was foreseen becomes an outcome. Rejects with any other, and with usage errors. */
export async function outcomeOf<More extends object>(
  what: string,
  action: () => Promise<More>,
): Promise<DirectOutcome & Partial<More>> {
  try {
    return { what, isDone: true, reason: null, ...(await action()) };
  } catch (error) {
    const reason = reasonOf(error, what);
    if (reason === undefined || isUsageError(error)) throw error;
    return { what, isDone: false, reason, [failureOfOutcome]: error } as DirectOutcome & Partial<More>;
  }
}

interface Words<Outcome> {
  readonly json: boolean;
  /** What failed is followed by where in pailfs it comes from. */
  readonly debug: boolean;
  /** "is not deleted" */
  readonly failure: string;
  /** "is deleted", for when nobody knows whether it is. Absent: nothing is changed. */
  readonly done?: string;
  /** Null says nothing. */
  readonly success: (outcome: Outcome) => string | null;
}

/**
 * What failed goes to stderr as soon as it is known; what is done to stdout, in the order in which it was asked for, as soon as all
 * before it is known. With `--json`, stdout gets one document at the end.
 */
export class Telling<Outcome extends DirectOutcome> {
  readonly #words: Words<Outcome>;
  readonly #known: (Outcome | undefined)[] = [];
  /** How many, from the first, are told. */
  #toldUpTo = 0;

  constructor(words: Words<Outcome>) {
    this.#words = words;
  }

  /** `place`: which of the things asked for; the next by default. */
  tell(outcome: Outcome, place = this.#known.length): void {
    this.#known[place] = outcome;
    const { json, debug } = this.#words;
    if (!outcome.isDone) {
      sayToPerson(`${this.#failureOf(outcome)}: ${outcome.reason ?? '?'}`);
      if (debug) sayStack(outcome[failureOfOutcome]);
    }
    if (!json) this.#tellInOrder();
  }

  /** When nothing more comes. */
  end(): ExitCode {
    const outcomes = this.outcomes;
    if (this.#words.json) printJson(outcomes);
    return outcomes.every(({ isDone }) => isDone) ? exitCodes.done : exitCodes.failed;
  }

  /** Those that are known. */
  get outcomes(): readonly Outcome[] {
    return this.#known.filter((outcome) => outcome !== undefined);
  }

  #failureOf({ what, [failureOfOutcome]: thrown }: Outcome): string {
    const { failure, done } = this.#words;
    const isUnsure = done !== undefined && mayBeDone(thrown);
    return isUnsure ? `whether ${printable(what)} ${done} is not known` : `${printable(what)} ${failure}`;
  }

  #tellInOrder(): void {
    for (;;) {
      const next = this.#known[this.#toldUpTo];
      if (next === undefined) return;
      this.#toldUpTo += 1;
      const line = next.isDone ? this.#words.success(next) : null;
      if (line !== null) print(line);
    }
  }
}
