/** How does a program run its command line, whatever comes of it? */
import { CommanderError, type Command } from 'commander';
import type { ExitCode } from './command-error.ts';
import type { Tell } from './program-options.ts';
import { exitCodes } from './command-error.ts';
import { requireUtf8 } from './given-words.ts';
import { requireCommands, withErrorsOfOurs } from './screen/parser-errors.ts';
import { saidToTheEnd, whilePrinting } from './screen/printing.ts';
import { failureOf, sayStack, sayToPerson, tellProgram } from './screen/report.ts';

/**
 * `build` makes the parser, whose actions tell the exit code. Resolves with it; an error is one line on stderr, and with `--json` a
 * document on stdout. Never rejects.
 */
export async function runCommandLine(
  build: (tell: Tell) => Command,
  words: readonly string[],
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = withErrorsOfOurs(
    build((code) => {
      exitCode = code;
    }),
  );
  const isGiven = (option: string): boolean => optionsIn(words).includes(option);
  try {
    await whilePrinting(async () => {
      try {
        await requireUtf8(words);
        await program.parseAsync(askingForHelp(program, words), { from: 'user' });
      } catch (error) {
        // The parser has printed what was asked for, or what there is to choose from.
        if (error instanceof CommanderError)
          exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
        else {
          if (isGiven('--json')) tellProgram(failureOf(error));
          throw error;
        }
      }
    });
    return exitCode;
  } catch (error) {
    const failure = failureOf(error);
    await saidToTheEnd(() => {
      sayToPerson(failure.message);
      if (isGiven('--debug')) sayStack(error);
    });
    return failure.exitCode;
  }
}

/** commander's `help` knows commands, and neither itself nor the commands of those. Throws a usage error where there is none of that name. */
function askingForHelp(program: Command, words: readonly string[]): readonly string[] {
  const [word, ...names] = words;
  if (words.join(' ') === 'help help') return ['--help'];
  const isBelow = word === 'help' && names.length > 1;
  if (!isBelow || !program.commands.some((one) => one.name() === names[0])) return words;
  requireCommands(program, names);
  return [...names, '--help'];
}

/** What follows a `--` is none. */
function optionsIn(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}
