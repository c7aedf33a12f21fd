/** What is the page of a command for man(1)? In the language of man(7). */
import type { CommandFacts, ExampleFacts, OptionFacts } from './command-facts.ts';

export interface ManOptions {
  readonly section: 1 | 8;
  readonly version: string;
  /** `pailfs-mount(1)` and the like. */
  readonly seeAlso: readonly string[];
}

/** Subcommands stand on the page of their command; `pailfs` itself only names its own. */
export function manPage(facts: CommandFacts, { section, version, seeAlso }: ManOptions): string {
  const title = facts.names.join('-');
  const onThisPage = facts.names.length === 1 ? [] : facts.subcommands;
  return [
    `.\\" Made by scripts/system-files.ts.`,
    `.TH ${title.toUpperCase().replaceAll('-', '\\-')} ${section} "" "pailfs ${version}"`,
    '.SH NAME',
    `${roff(title)} \\- ${roff(facts.description.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    ...synopsisOf(facts),
    ...onThisPage.flatMap((one) => ['.br', ...synopsisOf(one)]),
    ...part('DESCRIPTION', [sentence(facts.description), ...argumentsOf(facts)]),
    ...part('COMMANDS', facts.names.length === 1 ? facts.subcommands.flatMap(summaryOf) : []),
    ...onThisPage.flatMap((one) => [
      `.SH ${roff(one.names.slice(1).join(' ').toUpperCase())}`,
      ...bodyOf(one, facts),
    ]),
    ...part('OPTIONS', facts.options.flatMap(optionOf)),
    ...part(
      'NOTES',
      facts.notes.flatMap((note) => ['.PP', roff(note)]),
    ),
    ...part('EXAMPLES', facts.examples.flatMap(exampleOf)),
    ...part('SEE ALSO', seeAlso.length === 0 ? [] : [seeAlso.map(roff).join(', ')]),
    '',
  ].join('\n');
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`.SH ${title}`, ...lines];
}

function synopsisOf({ names, usage }: CommandFacts): readonly string[] {
  return [`.B ${roff(names.join(' '))}`, roff(usage)];
}

/** What its command takes as well is told there. */
function bodyOf(facts: CommandFacts, above: CommandFacts): readonly string[] {
  const known = new Set(above.options.map(({ flags }) => flags));
  const options = facts.options.filter(({ flags }) => !known.has(flags));
  return [sentence(facts.description), ...argumentsOf(facts), ...options.flatMap(optionOf)];
}

function argumentsOf(facts: CommandFacts): readonly string[] {
  return facts.arguments.flatMap(({ name, description }) => ['.TP', `.I ${roff(name)}`, roff(description)]);
}

function optionOf({ flags, description }: OptionFacts): readonly string[] {
  return ['.TP', `.B ${roff(flags)}`, roff(description)];
}

function summaryOf({ names, description }: CommandFacts): readonly string[] {
  return ['.TP', `.B ${roff(names.slice(1).join(' '))}`, roff(description)];
}

function exampleOf({ words, meaning }: ExampleFacts): readonly string[] {
  return ['.TP', `.B ${roff(words)}`, roff(meaning)].filter((line) => line !== '');
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return roff(begun.endsWith('.') ? begun : `${begun}.`);
}

/** A backslash begins a command, and so does a dot or a quote at the start of a line; a bare hyphen may be broken at, or made longer. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}
