/** What does the parser know of a command that people and shells want to be told? Taken from commander's public interface. */
import type { Command } from 'commander';

export interface OptionFacts {
  /** As `--help` shows it: `-f, --foreground`, `--config <FILE>`. */
  readonly flags: string;
  readonly short: string | undefined;
  readonly long: string | undefined;
  /** What its value is called; undefined for a switch. */
  readonly value: string | undefined;
  readonly description: string;
}

export interface CommandFacts {
  /** From the program on: `pailfs`, `bucket`, `list`. */
  readonly names: readonly string[];
  /** What follows the names: `[options] <bucket>`. */
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionFacts[];
  /** Without the one that only shows help. */
  readonly subcommands: readonly CommandFacts[];
  /** What `--help` says besides, a paragraph each. */
  readonly notes: readonly string[];
  readonly examples: readonly ExampleFacts[];
}

export interface ExampleFacts {
  readonly words: string;
  /** Empty when it is plain. */
  readonly meaning: string;
}

const EXAMPLES = /^Examples:\n/m;
/** Two spaces at least stand between them: help-text.ts. */
const EXAMPLE = /^ {2}(.*?)(?: {2,}(.*))?$/;
/** So that no line is broken. */
const WIDE = 10_000;

export function factsOf(command: Command, above: readonly string[] = []): CommandFacts {
  const names = [...above, command.name()];
  const help = command.createHelp();
  const [notes = '', examples = ''] = textAfterHelp(command).split(EXAMPLES);
  return {
    names,
    usage: command.usage(),
    description: help.commandDescription(command),
    arguments: help.visibleArguments(command).map((argument) => ({
      name: argument.name(),
      description: argument.description,
    })),
    options: help.visibleOptions(command).map((option) => ({
      flags: option.flags,
      short: option.short,
      long: option.long,
      value: option.required || option.optional ? /[<[](.*)[>\]]/.exec(option.flags)?.[1] : undefined,
      description: option.description,
    })),
    subcommands: help
      .visibleCommands(command)
      .filter((one) => command.commands.includes(one))
      .map((one) => factsOf(one, names)),
    notes: linesOf(notes),
    examples: examplesOf(linesOf(examples)),
  };
}

/** This command and all below it. */
export function withSubcommands(facts: CommandFacts): readonly CommandFacts[] {
  return [facts, ...facts.subcommands.flatMap(withSubcommands)];
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** What a long one does stands below it. */
function examplesOf(lines: readonly string[]): readonly ExampleFacts[] {
  const examples: ExampleFacts[] = [];
  for (const line of lines) {
    const [, words = '', meaning = ''] = EXAMPLE.exec(line) ?? [];
    const last = examples.at(-1);
    if (words === '' && last !== undefined) examples[examples.length - 1] = { ...last, meaning };
    else examples.push({ words, meaning });
  }
  return examples;
}

/** commander shows such a text, but has no other way of giving it. */
function textAfterHelp(command: Command): string {
  let shown = '';
  const output = { writeOut: (text: string) => void (shown += text), getOutHelpWidth: () => WIDE };
  const before = command.configureOutput();
  command.configureOutput({ ...before, ...output });
  command.outputHelp();
  const standard = command.helpInformation();
  command.configureOutput(before);
  if (!shown.startsWith(standard))
    throw new Error(`the help of ${command.name()} does not begin as it should`);
  return shown.slice(standard.length);
}
