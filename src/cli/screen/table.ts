/** How are rows shown to a person? In columns, or fact by fact where these do not fit; as wide as the terminal at most. */
import { padded, printable, shortened, widthOf, wrapped } from './screen-text.ts';

export interface Column<Row> {
  readonly title: string;
  /** Gives way, down to a few letters, when the terminal is narrow. */
  readonly shrinks: boolean;
  /** Of the last column: goes on in further lines when the terminal is narrow, beside the others or below them. */
  readonly wraps?: true;
  readonly text: (row: Row) => string;
}

const GAP = '  ';
const LEAST_WIDTH = 8;
/** Narrower, a text that wraps is easier to read below the others. */
const LEAST_WIDTH_BESIDE = 30;
const BELOW = ' '.repeat(4);

/**
 * A line of titles and one a row, each with its end; where not even the columns that do not shrink fit, a line a fact, and an empty
 * one between rows. `width`: columns of the terminal; undefined when there is none.
 */
export function tableOf<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | undefined,
): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ text }) => printable(text(row)))),
  ];
  const natural = columns.map((_, column) => widest(lines.map((line) => line[column] ?? '')));
  const shrinks = columns.map((column) => column.shrinks);
  const beside = columns.at(-1)?.wraps ? natural.slice(0, -1) : natural;
  if (width !== undefined && lineLength(fittingWidths(beside, shrinks, width)) > width) {
    return factByFact(lines, width);
  }
  if (columns.at(-1)?.wraps && width !== undefined && lineLength(natural) > width) {
    const widths = fittingWidths(natural.slice(0, -1), shrinks, width);
    const isBeside = width - lineLength(widths) - GAP.length >= LEAST_WIDTH_BESIDE;
    const wrap = isBeside ? linesBeside : linesBelow;
    return lines
      .flatMap((line, index) => wrap(line, widths, { width, isTitle: index === 0 }))
      .map((line) => `${line.trimEnd()}\n`)
      .join('');
  }
  const widths = fittingWidths(natural, shrinks, width);
  return lines.map((line) => `${lineOf(line, widths, width)}\n`).join('');
}

/** `lines`: the first has the titles. */
function factByFact([titles = [], ...rows]: readonly (readonly string[])[], width: number): string {
  const indent = widest(titles) + GAP.length;
  return rows
    .map((row) =>
      row
        .flatMap((text, column) => {
          const [first = '', ...more] = wrapped(text, width - indent);
          const title = titles[column] ?? '';
          return text === ''
            ? []
            : [title.padEnd(indent) + first, ...more.map((line) => ' '.repeat(indent) + line)];
        })
        .map((line) => `${line}\n`)
        .join(''),
    )
    .join('\n');
}

interface LinePlace {
  readonly width: number;
  readonly isTitle: boolean;
}

/** `widths`: of all but the last column, here as in `linesBelow`. */
function linesBeside(row: readonly string[], widths: readonly number[], { width }: LinePlace): string[] {
  const indent = lineLength(widths) + GAP.length;
  const [first = '', ...more] = wrapped(row.at(-1) ?? '', width - indent);
  const others = lineOf(row.slice(0, -1), widths, width);
  return [padded(others, indent) + first, ...more.map((line) => ' '.repeat(indent) + line)];
}

/** Without its title, which would be above another column. */
function linesBelow(
  row: readonly string[],
  widths: readonly number[],
  { width, isTitle }: LinePlace,
): string[] {
  const below = isTitle ? [''] : wrapped(row.at(-1) ?? '', width - BELOW.length);
  const others = lineOf(row.slice(0, -1), widths, width);
  return [others, ...below.filter((line) => line !== '').map((line) => BELOW + line)];
}

function lineLength(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
}

/** Takes from the widest, letter by letter, until the line fits or nothing more gives way. */
function fittingWidths(
  natural: readonly number[],
  shrinks: readonly boolean[],
  width: number | undefined,
): readonly number[] {
  const widths = [...natural];
  while (lineLength(widths) > (width ?? Infinity)) {
    const most = Math.max(...widths.filter((_, column) => shrinks[column]));
    if (most <= LEAST_WIDTH) break;
    widths[widths.findIndex((one, column) => one === most && shrinks[column])] = most - 1;
  }
  return widths;
}

function lineOf(row: readonly string[], widths: readonly number[], width: number | undefined): string {
  const cells = row.map((text, column) => {
    const room = widths[column] ?? 0;
    return padded(shortened(text, room), room);
  });
  return shortened(cells.join(GAP).trimEnd(), width ?? Infinity);
}

/** In columns. Step by step: there may be more texts than a call takes parameters. */
function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}
