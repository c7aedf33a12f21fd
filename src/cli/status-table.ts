/** How are mounts shown to a person? One line each, as wide as the terminal at most. */
import type { MountStatus } from './mount-status.ts';

interface Column {
  readonly title: string;
  /** Gives way, down to a few letters, when the terminal is narrow. */
  readonly shrinks: boolean;
  readonly text: (status: MountStatus) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'MOUNTPOINT', shrinks: true, text: ({ mountpoint }) => printable(mountpoint) },
  { title: 'BUCKET', shrinks: true, text: ({ bucket }) => printable(bucket) },
  { title: 'SERVICE', shrinks: true, text: ({ baseUrl }) => printable(baseUrl) },
  { title: 'DRIVER', shrinks: false, text: ({ driver }) => driver },
  { title: 'PID', shrinks: false, text: ({ pid }) => String(pid) },
  { title: 'SINCE', shrinks: false, text: ({ since }) => minuteOf(new Date(since)) },
  { title: 'MODE', shrinks: false, text: ({ readOnly }) => (readOnly ? 'ro' : 'rw') },
  { title: 'STATE', shrinks: false, text: ({ state }) => state },
];
const GAP = '  ';
const LEAST_WIDTH = 8;
const MOST_NAMED = 5;

/** `width`: columns of the terminal; undefined when there is none. */
export function statusTable(statuses: readonly MountStatus[], width: number | undefined): string {
  const rows = [
    COLUMNS.map(({ title }) => title),
    ...statuses.map((status) => COLUMNS.map(({ text }) => text(status))),
  ];
  const widths = fittingWidths(
    COLUMNS.map((_, column) => Math.max(...rows.map((row) => lengthOf(row[column])))),
    width,
  );
  return rows.map((row) => `${lineOf(row, widths, width)}\n`).join('');
}

/** Takes from the widest, letter by letter, until the line fits or nothing more gives way. */
function fittingWidths(natural: readonly number[], width: number | undefined): readonly number[] {
  const widths = [...natural];
  const available = (width ?? Infinity) - GAP.length * (COLUMNS.length - 1);
  while (widths.reduce((sum, one) => sum + one, 0) > available) {
    const widest = Math.max(...widths.filter((_, column) => COLUMNS[column]?.shrinks === true));
    if (widest <= LEAST_WIDTH) break;
    widths[widths.findIndex((one, column) => one === widest && COLUMNS[column]?.shrinks === true)] =
      widest - 1;
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

function shortened(text: string, room: number): string {
  return lengthOf(text) <= room
    ? text
    : `${Array.from(text)
        .slice(0, room - 1)
        .join('')}…`;
}

function lengthOf(text: string | undefined): number {
  return Array.from(text ?? '').length;
}

/** A line for each mount that keeps scratch files: the programs that made them know them by these names. */
export function shelfLines(statuses: readonly MountStatus[]): string {
  return statuses
    .filter(({ shelf }) => shelf.length > 0)
    .map(({ mountpoint, shelf }) => {
      const named = shelf.slice(0, MOST_NAMED).map(({ path }) => path.slice(1));
      if (shelf.length > named.length) named.push(`${shelf.length - named.length} more`);
      return `${printable(`only on this machine in ${mountpoint}: ${named.join(', ')}`)}\n`;
    })
    .join('');
}

/** A name may hold what would move the cursor. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?');
}

/** As the clock on the wall shows it. */
function minuteOf(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
