/** What did a person ask the bench for? */
import { parseArgs } from 'node:util';
import type { Offers, SuiteOptions } from './suite.ts';

export interface CommandLine {
  /** At least one. */
  readonly suites: readonly string[];
  readonly rounds: number;
  readonly options: SuiteOptions;
  /** Path of the file for every value; undefined when nobody wants one. */
  readonly json: string | undefined;
}

/** What is wrong with it, in one sentence. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

const DEFAULT_ROUNDS = '3';

/** `suites`: those that there are, all of which are meant when none is named. Throws a `WrongUsage`. */
export function readCommandLine(parameters: readonly string[], suites: readonly string[]): CommandLine {
  const { values, positionals } = parsed(parameters);
  const unknown = positionals.find((name) => !suites.includes(name));
  if (unknown !== undefined) throw new WrongUsage(`there is no suite "${unknown}"`);
  const [rounds, scale] = [Number(values.rounds), Number(values.scale)];
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new WrongUsage(`--rounds takes a whole number from 1 on, not "${values.rounds}"`);
  if (!Number.isFinite(scale) || scale <= 0)
    throw new WrongUsage(`--scale takes a number above 0, not "${values.scale}"`);
  return {
    suites: positionals.length === 0 ? suites : positionals,
    rounds,
    options: {
      workloads: wordsOf(values.workloads),
      subjects: wordsOf(values.subjects),
      profiles: wordsOf(values.profile),
      scale,
    },
    json: values.json,
  };
}

/** Throws a `WrongUsage` when a word is in no name that one of these suites has: it is misspelt, and would choose nothing. */
export function requireOffered(options: SuiteOptions, offers: readonly Offers[]): void {
  for (const what of ['workloads', 'subjects', 'profiles'] as const) {
    const names = [...new Set(offers.flatMap((each) => each[what]))];
    const odd = options[what].find((word) => !names.some((name) => name.includes(word)));
    // Who has no networks takes no notice of what is said of them.
    if (odd !== undefined && names.length > 0)
      throw new WrongUsage(`none of the ${what} has "${odd}" in its name: ${names.join('; ')}`);
  }
}

export function usageOf(suites: readonly string[]): string {
  return `usage: npm run bench -- [${suites.join('|')}] [--rounds N] [--workloads WORDS,…] [--subjects WORDS,…] [--profile WORDS,…] [--scale FACTOR] [--json FILE]`;
}

function parsed(parameters: readonly string[]) {
  try {
    return parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: DEFAULT_ROUNDS },
        workloads: { type: 'string', multiple: true },
        subjects: { type: 'string', multiple: true },
        profile: { type: 'string', multiple: true },
        scale: { type: 'string', default: '1' },
        json: { type: 'string' },
      },
    });
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function wordsOf(texts: readonly string[] = []): readonly string[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
