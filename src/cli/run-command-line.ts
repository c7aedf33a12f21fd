/** How does a program run its command line, whatever comes of it? */
import { CommanderError, type Command } from 'commander';
import type { ExitCode } from './command-error.ts';
import { exitCodes, oneLine } from './command-error.ts';
import { requireUtf8 } from './given-words.ts';
import { whilePrinting } from './printing.ts';
import { failureOf, sayStack, sayToPerson, tellProgram, type Failure } from './report.ts';

/**
 * `build` makes the parser, whose actions tell the exit code. Resolves with it; an error is one line on stderr, and with `--json` a
 * document on stdout. Never rejects.
 */
export async function runCommandLine(
  build: (tell: (code: ExitCode) => void) => Command,
  words: readonly string[],
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = build((code) => {
    exitCode = code;
  });
  const isGiven = (option: string): boolean => optionsIn(words).includes(option);
  try {
    await whilePrinting(async () => {
      try {
        await requireUtf8(words);
        await program.parseAsync(words, { from: 'user' });
      } catch (error) {
        // What was asked for is printed; whether that could be written is yet to be told.
        if (isHelp(error)) return;
        if (isGiven('--json')) tellProgram(failureIn(error));
        throw error;
      }
    });
    return exitCode;
  } catch (error) {
    const { exitCode, message } = failureIn(error);
    // The parser has said what it has to say.
    if (error instanceof CommanderError) return exitCode;
    sayToPerson(message);
    if (isGiven('--debug')) sayStack(error);
    return exitCode;
  }
}

/** What follows a `--` is none. */
function optionsIn(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}

function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

function failureIn(error: unknown): Failure {
  if (!(error instanceof CommanderError)) return failureOf(error);
  return { exitCode: exitCodes.usage, message: withoutMark(error.message) };
}

/** The parser's own text of an error. */
function withoutMark(text: string): string {
  return oneLine(text.replace(/^error: /, ''));
}

/** Lets the errors of the parser end in `runCommandLine`, and says them in one line. Before subcommands, which inherit it. */
export function withOneLineErrors(program: Command): Command {
  const help = `"${program.name()} --help" shows the usage`;
  return program.exitOverride().configureOutput({
    outputError: (text) => {
      sayToPerson(`${withoutMark(text)}; ${help}`);
    },
  });
}
