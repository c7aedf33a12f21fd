/** How are rows shown to a person? In columns, or fact by fact where these do not fit; as wide as the terminal at most. */

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
  const natural = columns.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column]))));
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
  const indent = Math.max(...titles.map(lengthOf)) + GAP.length;
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

/** In lines of at most `room` letters, broken between words where there is one. */
export function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((long) => pieces(long, Math.max(1, room)))) {
    if (line !== '' && lengthOf(line) + 1 + lengthOf(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A name may hold what would move the cursor. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?');
}

/** As the clock on the wall shows it. */
export function minuteOf(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Both in milliseconds since 1970. The clocks of two machines differ a little: what seems to come is now. */
export function ageOf(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** `1 file`, `2 files`. */
export function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function pieces(word: string, room: number): string[] {
  const letters = Array.from(word);
  const count = Math.max(1, Math.ceil(letters.length / room));
  return Array.from({ length: count }, (_, index) =>
    letters.slice(index * room, (index + 1) * room).join(''),
  );
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
  const space = ' '.repeat(Math.max(0, indent - lengthOf(others)));
  return [others + space + first, ...more.map((line) => ' '.repeat(indent) + line)];
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
    const widest = Math.max(...widths.filter((_, column) => shrinks[column]));
    if (widest <= LEAST_WIDTH) break;
    widths[widths.findIndex((one, column) => one === widest && shrinks[column])] = widest - 1;
  }
  return widths;
}

function lineOf(row: readonly string[], widths: readonly number[], width: number | undefined): string {
  const cells = row.map((text, column) => {
    const room = widths[column] ?? 0;
    return shortened(text, room) + ' '.repeat(Math.max(0, room - lengthOf(text)));
  });
  return shortened(cells.join(GAP).trimEnd(), width ?? Infinity);
}

/** Cut to `room` letters, the last of which then says so. */
export function shortened(text: string, room: number): string {
  return lengthOf(text) <= room
    ? text
    : `${Array.from(text)
        .slice(0, room - 1)
        .join('')}…`;
}

function lengthOf(text: string | undefined): number {
  return Array.from(text ?? '').length;
}
