/** What does a person read whose words the parser does not understand? One line of ours, which names the help of the very command. */
import type { Argument, Command, CommanderError } from 'commander';
import { oneLine, usageError, type CommandError } from '../command-error.ts';
import { requireText } from '../program-options.ts';
import { leftOut, suggestion } from './near-commands.ts';

/** For a program whose commands are all there. What it prints because it was asked to still ends in a `CommanderError`. */
export function withErrorsOfOurs(program: Command): Command {
  for (const command of program.commands) withErrorsOfOurs(command);
  for (const argument of program.registeredArguments) refuseEmpty(argument);
  return program
    .exitOverride((error) => {
      throw isOfHelp(error) ? (missingCommand(program) ?? error) : wrongWords(program, error);
    })
    .configureOutput({ outputError: () => undefined });
}

function refuseEmpty(argument: Argument): void {
  const { variadic } = argument;
  argument.argParser((word, earlier: unknown) => {
    const text = requireText(`'${argument.name()}'`, word);
    return variadic ? [...(Array.isArray(earlier) ? (earlier as string[]) : []), text] : text;
  });
}

/** Help or the version, asked for or shown since a command is missing. */
function isOfHelp(error: CommanderError): boolean {
  return error.exitCode === 0 || error.code === 'commander.help';
}

/** Of `pailfs help`, which shows all of them then. */
function missingCommand(command: Command): CommandError | undefined {
  const [word, wanted] = command.args;
  const isKnown = wanted === undefined || command.commands.some((one) => one.name() === wanted);
  if (word !== 'help' || isKnown) return undefined;
  return usageError(`there is no command ${wanted} of ${nameOf(command)}`);
}

/** Of what `pailfs help` is asked for, where that is a command of a command: the parser would show the help of the last one that there is. */
export function requireCommands(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words.filter((one) => !one.startsWith('-'))) {
    const below = command.commands.find((one) => one.name() === word);
    if (below === undefined) {
      const name = nameOf(command);
      throw usageError(`there is no command ${word} of ${name}; "${name} --help" shows the usage`);
    }
    command = below;
  }
}

function wrongWords(command: Command, error: CommanderError): CommandError {
  return usageError(`${complaintOf(command, error)}; ${helpFor(command)}`);
}

/** The parser's own text, but where it counts what a person would have to count, too. */
function complaintOf(command: Command, { code, message }: CommanderError): string {
  const none = command.parent === null ? undefined : leftOut(command.parent, command);
  const beginning = none === undefined ? '' : `${none.word} is no command${suggestion(none)}, and `;
  if (code === 'commander.excessArguments') {
    const excess = command.args.slice(command.registeredArguments.length).join(' ');
    return `${beginning}${nameOf(command)} has no use for ${excess}`;
  }
  const complaint = oneLine(message.replace(/^error: /, ''));
  // It may be one of the command that was meant.
  return code === 'commander.unknownOption' && none !== undefined
    ? `${beginning}to ${nameOf(command)} this is an ${complaint}`
    : complaint;
}

function helpFor(command: Command): string {
  const help = `"${nameOf(command)} --help" shows the usage`;
  return isLeftOut(command) ? `${help}, "pailfs --help" all commands` : help;
}

/** "mount" may be, so a misspelt command is taken for a bucket. */
function isLeftOut(command: Command): boolean {
  const { parent } = command;
  return parent !== null && parent.args[0] !== command.name();
}

function nameOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}
