/** How are rows shown to a person? In columns, as wide as the terminal at most. */

export interface Column<Row> {
  readonly title: string;
  /** Gives way, down to a few letters, when the terminal is narrow. */
  readonly shrinks: boolean;
  readonly text: (row: Row) => string;
}

const GAP = '  ';
const LEAST_WIDTH = 8;

/** A line of titles and one a row, each with its end. `width`: columns of the terminal; undefined when there is none. */
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
  const widths = fittingWidths(natural, shrinks, width);
  return lines.map((line) => `${lineOf(line, widths, width)}\n`).join('');
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

/** Takes from the widest, letter by letter, until the line fits or nothing more gives way. */
function fittingWidths(
  natural: readonly number[],
  shrinks: readonly boolean[],
  width: number | undefined,
): readonly number[] {
  const widths = [...natural];
  const available = (width ?? Infinity) - GAP.length * (natural.length - 1);
  while (widths.reduce((sum, one) => sum + one, 0) > available) {
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
