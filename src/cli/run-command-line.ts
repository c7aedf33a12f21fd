/** How does a program run its command line, whatever comes of it? */
import { CommanderError, type Command } from 'commander';
import type { ExitCode } from './command-error.ts';
import { exitCodes, oneLine } from './command-error.ts';
import { whilePrinting } from './printing.ts';
import { failureOf, sayStack, sayToPerson } from './report.ts';

/** `build` makes the parser, whose actions tell the exit code. Resolves with it; an error is one line on stderr. Never rejects. */
export async function runCommandLine(
  build: (tell: (code: ExitCode) => void) => Command,
  words: readonly string[],
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = build((code) => {
    exitCode = code;
  });
  try {
    await whilePrinting(() => program.parseAsync(words, { from: 'user' }));
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const failure = failureOf(error);
    sayToPerson(failure.message);
    if (words.includes('--debug')) sayStack(error);
    return failure.exitCode;
  }
}

/** Lets the errors of the parser end in `runCommandLine`, and says them in one line. Before subcommands, which inherit it. */
export function withOneLineErrors(program: Command): Command {
  const help = `"${program.name()} --help" shows the usage`;
  return program.exitOverride().configureOutput({
    outputError: (text) => {
      sayToPerson(`${oneLine(text.replace(/^error: /, ''))}; ${help}`);
    },
  });
}
