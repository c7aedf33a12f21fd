/** What does `--help` say below the options? What there is to know, and examples; no line is wider than the terminal. */
import type { Command } from 'commander';
import { padded, widthOf, wrapped } from './screen-text.ts';

/** A command line, and what it does if that is not plain. */
export type Example = readonly [words: string, meaning?: string];

export interface HelpText {
  /** A paragraph each. */
  readonly notes: readonly string[];
  readonly examples?: readonly Example[];
}

const INDENT = '  ';
/** Of a terminal that does not say, and where there is none. */
const USUAL_WIDTH = 80;
/** A longer command line has what it does below it. */
const WIDEST_WORDS = 44;

/** Below this, descriptions are not broken into lines. */
const LEAST_WIDTH_TO_WRAP = 20;

/** Returns `command`. Before its subcommands, which inherit how they are shown. */
export function withHelpText(command: Command, text: HelpText): Command {
  // An option's description says itself what is worth saying of its default: "(default: false)" is not.
  command.configureHelp({
    optionDescription: ({ description }) => description,
    minWidthToWrap: LEAST_WIDTH_TO_WRAP,
  });
  return command.addHelpText('after', () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? USUAL_WIDTH;
    return `\n${helpLines(text, width).join('\n')}`;
  });
}

function helpLines({ notes, examples = [] }: HelpText, width: number): readonly string[] {
  const paragraphs = notes.flatMap((note) => wrapped(note, width));
  if (examples.length === 0) return paragraphs;
  const column = Math.max(
    0,
    ...examples.map(([words]) => widthOf(words)).filter((length) => length <= WIDEST_WORDS),
  );
  return [
    ...paragraphs,
    ...(paragraphs.length === 0 ? [] : ['']),
    'Examples:',
    ...examples.flatMap((example) => exampleLines(example, column, width)),
  ];
}

/** `column`: how wide the command lines are that have what they do beside them. */
function exampleLines([words, meaning = '']: Example, column: number, width: number): readonly string[] {
  if (meaning === '') return [INDENT + words];
  const indent = INDENT + ' '.repeat(column) + INDENT;
  const lines = wrapped(meaning, width - indent.length);
  if (widthOf(words) > column) return [INDENT + words, ...lines.map((line) => indent + line)];
  const [first = '', ...more] = lines;
  return [INDENT + padded(words, column) + INDENT + first, ...more.map((line) => indent + line)];
}
